/* solids.h: the colliders of a scene as seen by rays, through their signed distance (sphere tracing: from any point a
 * ray may advance by the distance of the nearest surface without missing anything; J. C. Hart, 1996).
 *
 * Colliders may be endless, so they are drawn inside a box around the shot only, and end there in a plane cut. */
#ifndef FIRN_SOLIDS_H
#define FIRN_SOLIDS_H

#include "camera.h"
#include "props.h"

typedef struct firn_solids {
    const firn_props *props; /* at its time */
    int is_z_up;
    double origin[3];     /* of local coordinates, y up, m */
    float min[3], max[3]; /* the box, local */
    float precision;      /* m: nearer than this is touched */
} firn_solids;

typedef struct firn_solid_hit {
    float t, normal[3]; /* t INFINITY: nothing */
} firn_solid_hit;

/* From `origin` along the unit direction, at most to `far`. A ray that starts inside a solid first leaves it. */
firn_solid_hit firn_solids_trace(const firn_solids *solids, const float origin[3], const float direction[3], float far);
/* Signed distance of a local point, m. */
float firn_solids_distance(const firn_solids *solids, const float p[3]);
/* hits[height * samples][width * samples]. Inside a pixel rays are told apart only where its neighbours differ.
 * FIRN_MEMORY is the only trouble. */
firn_status firn_solids_hits(const firn_solids *solids, const firn_camera *camera, int width, int height, int samples,
                             int n_threads, firn_solid_hit *hits);

#endif
