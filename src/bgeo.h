/* bgeo.h: Houdini's classic binary geometry, version 5. Entries of the table in format.c. */
#ifndef FIRN_BGEO_H
#define FIRN_BGEO_H

#include "file.h"
#include "points.h"

firn_status firn_bgeo_read(const char *path, firn_points **points, firn_report *report);
firn_status firn_bgeo_read_gzip(const char *path, firn_points **points, firn_report *report);
firn_status firn_bgeo_read_gzip_within(const char *path, uint64_t most, firn_points **points, firn_report *report);
firn_status firn_bgeo_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                            firn_report *report);
firn_status firn_bgeo_write_gzip(const char *path, const firn_points *points, firn_file_receipt *receipt,
                                 firn_report *report);

#endif
