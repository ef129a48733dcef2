/* A picture of a million particles, 1280 x 720 as it comes when nothing is said, takes at most 3 s of processor time:
 * 1.5 s on two threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "picture.h"
#include "render.h"

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draws_a_million_points(void **state)
{
    (void)state;
    firn_points *points = picture_points(1000000, 0.005f);
    firn_survey survey = firn_survey_default();
    assert_int_equal(firn_survey_add(&survey, points, "", NULL), FIRN_OK);
    firn_render_def def = firn_render_default();
    def.n_threads = 2;
    double best = 1e9;
    for (int k = 0; k < 3; k++) { /* the best of three: others use the machine as well */
        firn_image *image;
        double began = processor_seconds();
        assert_int_equal(firn_render_frame(points, &survey, &def, &image, NULL), FIRN_OK);
        double seconds = processor_seconds() - began;
        best = seconds < best ? seconds : best;
        firn_image_destroy(image);
    }
    print_message("%.2f s of processor time on two threads\n", best);
    assert_true(best <= 3.0);
    firn_points_destroy(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(draws_a_million_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
