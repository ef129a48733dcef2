/* SPDX-License-Identifier: MIT */
/* How long a cache of a million particles (P v id pscale material Jp) takes to write as .bgeo:
 * processor seconds, the best of five. `meson test -C build --benchmark -v` */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>

#include "points/bgeo.h"
#include "support/sample_points.h"
#include "support/scratch.h"

int main(void)
{
    const int64_t n = 1000000;
    uint32_t random = 3;
    double best = 1e9;
    if (scratch_create(NULL) != 0) return 1;
    firn_points *points = firn_points_create(n);
    firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(points, "id", FIRN_ATTRIBUTE_INT, 1);
    firn_points_add(points, "pscale", FIRN_ATTRIBUTE_FLOAT, 1);
    firn_attribute_intern(firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1), "snow");
    firn_points_add(points, "Jp", FIRN_ATTRIBUTE_FLOAT, 1);
    for (int a = 0; a < points->n_attributes; a++) sample_fill(&points->attributes[a], n, &random);
    for (int k = 0; k < 5; k++) {
        clock_t began = clock();
        if (firn_bgeo_write(scratch("speed.bgeo"), points, NULL, NULL) != FIRN_OK) return 1;
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
    }
    printf("a .bgeo of 1 M particles: %.3f s of processor time\n", best);
    firn_points_destroy(points);
    return scratch_destroy(NULL);
}
