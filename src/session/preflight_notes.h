/* SPDX-License-Identifier: MIT */
/* preflight_notes.h: what `firn check` knows of a scene's physics: flow curves, and contact that
 * begins early. */
#ifndef FIRN_PREFLIGHT_NOTES_H
#define FIRN_PREFLIGHT_NOTES_H

#include "session/preflight.h"

/* Stress and viscosity of materials that flow at a rate, a line each, as far as `text` reaches. */
void firn_preflight_flow(const firn_sim *sim, const firn_scene_def *scene, char *text,
                         size_t n_text);

/* Warns where a moving collider with `touch: grid` meets a body of few cells. */
void firn_preflight_contact(const firn_scene_def *scene, const firn_check *check,
                            firn_messages *messages);

#endif
