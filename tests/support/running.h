/* SPDX-License-Identifier: MIT */
/* running.h: simulations for tests, which fail with the sentences where one cannot be made. */
#ifndef FIRN_TEST_RUNNING_H
#define FIRN_TEST_RUNNING_H

#include "firn/firn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static inline firn_sim *running_start(const firn_scene_def *scene, const firn_run_options *options)
{
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    if (firn_sim_create(scene, options, &sim, messages) != FIRN_OK)
        for (int i = 0; i < firn_messages_total(messages); i++)
            print_error("%s\n", firn_messages_text(messages, i, NULL));
    firn_messages_destroy(messages);
    assert_non_null(sim);
    return sim;
}

static inline firn_sim *running_until(const firn_scene_def *scene, const firn_run_options *options,
                                      double until)
{
    firn_sim *sim = running_start(scene, options);
    assert_int_equal(firn_sim_advance_to(sim, until, NULL), FIRN_OK);
    return sim;
}

/* An attribute of all particles by id, to be freed; a history field has one number each. */
static inline double *running_copy(firn_sim *sim, const char *name)
{
    int n_components = firn_attribute_components(name);
    size_t n = (size_t)firn_sim_n_particles(sim) * (size_t)(n_components ? n_components : 1);
    double *values = malloc(n * sizeof *values);
    assert_int_equal(firn_sim_copy(sim, name, values, n, NULL), FIRN_OK);
    return values;
}

#endif
