/* SPDX-License-Identifier: MIT */
/* How long a picture of a million particles takes, 1280 x 720 as it comes when nothing is said:
 * processor seconds on two threads, the best of three. `meson test -C build --benchmark -v` */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <time.h>

#include "support/picture.h"
#include "picture/render.h"

int main(void)
{
    firn_points *points = picture_points(1000000, 0.005f);
    firn_view_bounds bounds = firn_view_bounds_default();
    firn_render_def def = firn_render_default();
    def.n_threads = 2;
    double best = 1e9;
    if (firn_view_bounds_add(&bounds, points, "", NULL) != FIRN_OK) return 1;
    for (int k = 0; k < 3; k++) {
        firn_image *image;
        clock_t began = clock(); /* of all threads */
        if (firn_render_frame(points, &bounds, &def, &image, NULL) != FIRN_OK) return 1;
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
        firn_image_destroy(image);
    }
    printf("a picture of 1 M particles: %.2f s of processor time on two threads\n", best);
    def.is_surface = 1;
    best = 1e9;
    for (int k = 0; k < 3; k++) {
        firn_image *image;
        clock_t began = clock();
        if (firn_render_frame(points, &bounds, &def, &image, NULL) != FIRN_OK) return 1;
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
        firn_image_destroy(image);
    }
    printf("its surfaces, of snow and of dough: %.2f s\n", best);
    firn_points_destroy(points);
    return 0;
}
