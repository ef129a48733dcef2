/* painter.h: preview.png while a run goes on. One thread of its own paints the newest frame; a frame that comes while
 * it is busy, or rests, is not painted, so a run never waits for a picture. After a picture that took t seconds the
 * painter rests for 19 t: at most a twentieth of one processor goes into it. The last frame is always painted. */
#ifndef FIRN_PAINTER_H
#define FIRN_PAINTER_H

#include "firn/sim.h"

typedef struct firn_painter firn_painter;

/* The picture goes to folder/preview.png; colliders and colours are the scene's, which is lent until destroy. */
firn_status firn_painter_create(const char *folder, const firn_scene_def *scene, firn_painter **painter,
                                firn_report *report);
/* At a frame: takes a snapshot, thinned to at most FIRN_PAINTER_PARTICLES, when a picture is due. */
enum { FIRN_PAINTER_PARTICLES = 200000 };
firn_status firn_painter_offer(firn_painter *painter, firn_sim *sim, int frame, int is_last, firn_report *report);
/* Waits for the picture in the making. What went wrong is told as one warning: no reason to fail a run. */
void firn_painter_destroy(firn_painter *painter, firn_report *report);

#endif
