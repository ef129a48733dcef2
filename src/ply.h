/* ply.h: points as binary PLY. Entries of the table in format.c. */
#ifndef FIRN_PLY_H
#define FIRN_PLY_H

#include "file.h"
#include "points.h"

firn_status firn_ply_read(const char *path, firn_points **points, firn_report *report);
firn_status firn_ply_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                           firn_report *report);

#endif
