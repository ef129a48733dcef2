/* SPDX-License-Identifier: MIT */
/* live_preview.h: preview.png while a run goes on. One thread of its own paints the newest
 * frame; a frame that comes while it is busy, or rests, is not painted, so a run never waits for
 * a picture. After a picture that took t seconds the painter rests for 19 t: at most a twentieth
 * of one processor goes into it. The last frame is always painted. */
#ifndef FIRN_LIVE_PREVIEW_H
#define FIRN_LIVE_PREVIEW_H

#include "firn/sim.h"

typedef struct firn_live_preview firn_live_preview;

/* The picture goes to folder/preview.png; colliders and colours are the scene's, which is lent
 * until destroy. */
firn_status firn_live_preview_create(const char *folder, const firn_scene_def *scene,
                                     const firn_sim *sim, firn_live_preview **painter,
                                     firn_messages *messages);
/* At a frame: takes a snapshot, thinned to at most FIRN_LIVE_PREVIEW_PARTICLES, when a picture
 * is due. */
enum { FIRN_LIVE_PREVIEW_PARTICLES = 200000 };
firn_status firn_live_preview_offer(firn_live_preview *painter, firn_sim *sim, int frame,
                                    int is_last, firn_messages *messages);
/* Waits for the picture in the making. What went wrong is told as one warning: no reason to fail
 * a run. */
void firn_live_preview_destroy(firn_live_preview *painter, firn_messages *messages);

#endif
