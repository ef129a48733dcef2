/* vtp.h: points as VTK XML PolyData, for ParaView. An entry of the table in format.c. */
#ifndef FIRN_VTP_H
#define FIRN_VTP_H

#include "file.h"
#include "points.h"

firn_status firn_vtp_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                           firn_report *report);

#endif
