/* SPDX-License-Identifier: MIT */
/* live_preview.h: preview.png of the newest frame during a run, rendered by a thread of its own. A
 * frame that arrives while the thread renders or rests is skipped, so a run never waits for a
 * picture. After a picture that took t seconds the thread rests for 19 t: at most a twentieth of
 * one core. The last frame is always rendered. */
#ifndef FIRN_LIVE_PREVIEW_H
#define FIRN_LIVE_PREVIEW_H

#include "firn/sim.h"

typedef struct firn_live_preview firn_live_preview;

/* The picture is folder/preview.png, with the colliders and colours of the scene and the rigid
 * shapes of its simulation; all are lent until destroy. */
firn_status firn_live_preview_create(const char *folder, const firn_scene_def *scene,
                                     const firn_sim *sim, firn_live_preview **preview,
                                     firn_messages *messages);
/* At a frame: takes a snapshot of at most FIRN_LIVE_PREVIEW_PARTICLES particles when a picture is
 * due. */
enum { FIRN_LIVE_PREVIEW_PARTICLES = 200000 };
firn_status firn_live_preview_offer(firn_live_preview *preview, firn_sim *sim, int frame,
                                    int is_last, firn_messages *messages);
/* Waits for the present picture. Errors become one warning: they do not fail a run. */
void firn_live_preview_destroy(firn_live_preview *preview, firn_messages *messages);

#endif
