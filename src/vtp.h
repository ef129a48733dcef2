/* vtp.h: points as VTK XML PolyData, for ParaView and everything that writes VTK. An entry of the table in format.c. */
#ifndef FIRN_VTP_H
#define FIRN_VTP_H

#include "file.h"
#include "points.h"

firn_status firn_vtp_read(const char *path, firn_points **points, firn_report *report);
firn_status firn_vtp_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                           firn_report *report);

#endif
