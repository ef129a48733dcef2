/* A frame of a million particles (P v id pscale material Jp) is written in at most 0.15 s of processor time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>

#include "bgeo.h"
#include "sample_points.h"
#include "scratch.h"

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void writes_a_million_points(void **state)
{
    (void)state;
    const int64_t n = 1000000;
    uint32_t random = 3;
    firn_points *points = firn_points_create(n);
    firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(points, "id", FIRN_ATTRIBUTE_INT, 1);
    firn_points_add(points, "pscale", FIRN_ATTRIBUTE_FLOAT, 1);
    firn_attribute_intern(firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1), "snow");
    firn_points_add(points, "Jp", FIRN_ATTRIBUTE_FLOAT, 1);
    for (int a = 0; a < points->n_attributes; a++) sample_fill(&points->attributes[a], n, &random);
    double best = 1e9;
    for (int k = 0; k < 5; k++) { /* the best of five: others use the machine as well */
        double began = processor_seconds();
        assert_int_equal(firn_bgeo_write(scratch("speed.bgeo"), points, NULL, NULL), FIRN_OK);
        double seconds = processor_seconds() - began;
        best = seconds < best ? seconds : best;
    }
    print_message("%.3f s of processor time\n", best);
    assert_true(best <= 0.15);
    firn_points_destroy(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writes_a_million_points)};
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
