/* SPDX-License-Identifier: MIT */
/* create.h: a simulation from a scene whose bodies have been opened before. */
#ifndef FIRN_CREATE_H
#define FIRN_CREATE_H

#include "firn/sim.h"
#include "solver/body_source.h"

/* firn_sim_create with sources of bodies, [n_bodies], that are open already; all of them are closed
 * when it returns. NULL: none is. */
firn_status firn_scene_create_sim(const firn_scene_def *scene, const firn_run_options *options,
                                  firn_body_source *bodies, firn_sim **sim,
                                  firn_messages *messages);

#endif
