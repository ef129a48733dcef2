/* SPDX-License-Identifier: MIT */
/* render_scene.h: `firn render SCENE.yaml`: the picture of a scene that has not been run. */
#ifndef FIRN_RENDER_SCENE_H
#define FIRN_RENDER_SCENE_H

#include "picture/render.h"
#include "program/cli.h"

/* Whether a path names a scene: it ends in .yaml or .yml. */
int firn_render_is_scene(const char *path);
/* The initial particles, colliders at --at, emitters, grips and sinks, with names, as --out or
 * NAME.png. */
firn_status firn_render_scene(const firn_cli *cli, firn_render_def *def, firn_messages *messages);

#endif
