/* survey.h: what has to be known of a whole shot before its first frame is drawn, so that camera, ground and colours
 * stand still: where the material goes, and between which values an attribute moves. A handful of frames is enough. */
#ifndef FIRN_SURVEY_H
#define FIRN_SURVEY_H

#include "points.h"

typedef struct firn_survey {
    int is_z_up;
    int64_t n;             /* points seen; nothing below means anything while it is 0 */
    double min[3], max[3]; /* box of all but the outermost 0.5 % a side, y up, m */
    double lowest;         /* lowest y but for the outermost 0.1 %: where a ground would be */
    int has_values;
    double value_min, value_max; /* of the attribute: all but the outermost 1 % a side */
} firn_survey;

firn_survey firn_survey_default(void); /* empty, y up */
/* Adds a frame. `attribute` as in tint.h, "" for none. */
firn_status firn_survey_add(firn_survey *survey, const firn_points *points, const char *attribute, firn_report *report);
/* A point of the scene in the coordinates of the picture (y up). */
void firn_survey_turn(int is_z_up, const double scene[3], double turned[3]);

#endif
