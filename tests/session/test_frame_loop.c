/* SPDX-License-Identifier: MIT */
/* test_run.c: which moments a run visits, with a simulation that does nothing but keep time. The
 * public functions that src/session/frame_loop.c calls are defined here instead of linking the
 * solver. */
#include "session/frame_loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

struct firn_sim {
    double time, dt;
    int n_steps, fails_at, stops_at;
};

double firn_sim_time(const firn_sim *sim) { return sim->time; }

firn_status firn_sim_step(firn_sim *sim, double until, firn_messages *messages)
{
    (void)messages;
    if (++sim->n_steps == sim->fails_at) return FIRN_STOPPED;
    sim->time = sim->time + sim->dt < until ? sim->time + sim->dt : until;
    return FIRN_OK;
}

enum { N_MAX = 200 };
typedef struct visited {
    firn_output_time output_times[N_MAX];
    int n, last_making;
    firn_status answer;
} visited;

static int on_step(void *user, firn_sim *sim, int frame)
{
    visited *v = user;
    assert_true(frame >= v->last_making); /* the frame in the making never goes back */
    v->last_making = frame;
    return sim->n_steps == sim->stops_at;
}

static firn_status on_moment(void *user, firn_sim *sim, const firn_output_time *output_time,
                             firn_messages *messages)
{
    (void)messages;
    visited *v = user;
    assert_true(v->n < N_MAX);
    assert_true(output_time->time == sim->time);
    v->output_times[v->n++] = *output_time;
    return v->answer;
}

static firn_status go(firn_sim *sim, const firn_frame_plan *plan, visited *v)
{
    firn_frame_observer observer = {v, on_step, on_moment};
    return firn_frame_loop(sim, plan, &observer, NULL);
}

static void test_frames_from_zero_to_the_last(void **state)
{
    (void)state;
    firn_sim sim = {.dt = 0.013};
    visited v = {0};
    /* 24 fps is no binary fraction: the times must be k / 24 to the bit all the same */
    firn_frame_plan plan = {.fps = 24, .n_subframes = 1, .end = 48 / 24.0};
    assert_int_equal(go(&sim, &plan, &v), FIRN_OK);
    assert_int_equal(v.n, 49);
    for (int k = 0; k < v.n; k++) {
        assert_int_equal(v.output_times[k].frame, k);
        assert_int_equal(v.output_times[k].sub, 0);
        assert_true(v.output_times[k].time == k / 24.0);
        assert_int_equal(v.output_times[k].is_end, k == 48);
    }
    assert_int_equal(v.last_making, 48);
}

static void test_subframes_and_an_end_between_frames(void **state)
{
    (void)state;
    firn_sim sim = {.dt = 1};
    visited v = {0};
    firn_frame_plan plan = {.fps = 10, .n_subframes = 3, .end = 0.15};
    assert_int_equal(go(&sim, &plan, &v), FIRN_OK);
    static const int frames[] = {0, 0, 0, 1, 1, 1}, subs[] = {0, 1, 2, 0, 1, -1};
    assert_int_equal(v.n, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(v.output_times[i].frame, frames[i]);
        assert_int_equal(v.output_times[i].sub, subs[i]);
    }
    assert_true(v.output_times[5].time == 0.15 && v.output_times[5].is_end);
}

static void test_extra_times_are_merged(void **state)
{
    (void)state;
    firn_sim sim = {.dt = 0.03};
    visited v = {0};
    static const double extra[] = {0, 0.05, 0.1, 0.1, 0.17};
    firn_frame_plan plan = {.fps = 10, .n_subframes = 1, .end = 0.2, .n_extra = 5, .extra = extra};
    assert_int_equal(go(&sim, &plan, &v), FIRN_OK);
    static const double times[] = {0, 0.05, 0.1, 0.17, 0.2};
    static const int is_extra[] = {1, 1, 1, 1, 0}, subs[] = {0, -1, 0, -1, 0},
                     frames[] = {0, 0, 1, 1, 2};
    assert_int_equal(v.n, 5); /* a time that is both is visited once */
    for (int i = 0; i < 5; i++) {
        assert_true(v.output_times[i].time == times[i]);
        assert_int_equal(v.output_times[i].is_extra, is_extra[i]);
        assert_int_equal(v.output_times[i].sub, subs[i]);
        assert_int_equal(v.output_times[i].frame, frames[i]);
    }
}

/* A run that is stopped anywhere and goes on visits what an undisturbed run visits, nothing
 * twice, nothing left out. */
static void test_stop_and_go_on(void **state)
{
    (void)state;
    static const double extra[] = {0.03, 0.11};
    for (int stop = 1; stop < 40; stop++) {
        firn_sim sim = {.dt = 0.0077, .stops_at = stop};
        visited v = {0};
        firn_frame_plan plan = {
            .fps = 30, .n_subframes = 2, .end = 0.2, .n_extra = 2, .extra = extra};
        firn_status status = go(&sim, &plan, &v);
        assert_int_equal(status, v.output_times[v.n - 1].is_end ? FIRN_OK : FIRN_INTERRUPTED);
        plan.skip_now = 1;
        assert_int_equal(go(&sim, &plan, &v), FIRN_OK);
        assert_int_equal(v.n, 15);
        for (int i = 1; i < v.n; i++)
            assert_true(v.output_times[i].time > v.output_times[i - 1].time);
        assert_true(v.output_times[14].is_end);
    }
}

static void test_what_went_wrong_is_handed_on(void **state)
{
    (void)state;
    firn_frame_plan plan = {.fps = 10, .n_subframes = 1, .end = 1};
    firn_sim sim = {.dt = 0.03, .fails_at = 6};
    visited v = {0};
    assert_int_equal(go(&sim, &plan, &v), FIRN_STOPPED);
    assert_int_equal(v.n, 2);
    sim = (firn_sim){.dt = 0.03};
    v = (visited){.answer = FIRN_IO};
    assert_int_equal(go(&sim, &plan, &v), FIRN_IO);
    assert_int_equal(v.n, 1);
}

static void test_nothing_left_to_do(void **state)
{
    (void)state;
    firn_sim sim = {.dt = 0.03, .time = 1};
    visited v = {0};
    firn_frame_plan plan = {.fps = 10, .n_subframes = 1, .end = 1, .skip_now = 1};
    assert_int_equal(go(&sim, &plan, &v), FIRN_OK);
    assert_int_equal(v.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_from_zero_to_the_last),
        cmocka_unit_test(test_subframes_and_an_end_between_frames),
        cmocka_unit_test(test_extra_times_are_merged),
        cmocka_unit_test(test_stop_and_go_on),
        cmocka_unit_test(test_what_went_wrong_is_handed_on),
        cmocka_unit_test(test_nothing_left_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
