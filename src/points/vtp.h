/* SPDX-License-Identifier: MIT */
/* vtp.h: points as VTK XML PolyData, for ParaView and everything that writes VTK. An entry of
 * the table in format.c. */
#ifndef FIRN_VTP_H
#define FIRN_VTP_H

#include "base/file.h"
#include "points/points.h"

firn_status firn_vtp_read(const char *path, firn_points **points, firn_messages *messages);
firn_status firn_vtp_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                           firn_messages *messages);

#endif
