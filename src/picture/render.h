/* SPDX-License-Identifier: MIT */
/* render.h: a frame of points as a picture. What is wanted is a firn_render_def; what has to be
 * known of the whole shot is a firn_view_bounds; a frame is then one call. */
#ifndef FIRN_RENDER_H
#define FIRN_RENDER_H

#include "picture/camera.h"
#include "picture/colormap.h"
#include "plot/image.h"
#include "points/points.h"
#include "picture/scene_colliders.h"
#include "picture/view_bounds.h"

typedef enum firn_engine { FIRN_ENGINE_AUTO, FIRN_ENGINE_EMBREE, FIRN_ENGINE_SPLAT } firn_engine;
typedef enum firn_ground { FIRN_GROUND_AUTO, FIRN_GROUND_NONE, FIRN_GROUND_GIVEN } firn_ground;

typedef struct firn_render_def {
    int width, height;
    int samples;  /* rays a side of a pixel: 2 is 2 x 2 */
    int sky_rays; /* a sample; 0: no ambient occlusion */
    firn_camera_def camera;
    char attribute[80]; /* as in particle_color.h; "": by material */
    int has_range, is_log;
    double min, max;
    char map[16];        /* "": the default map */
    double radius_scale; /* times pscale; see below where there is none */
    firn_ground ground;
    double ground_height;              /* m, along the axis that points up */
    double sun_azimuth, sun_elevation; /* rad; azimuth NAN: to the left behind the camera */
    firn_engine engine;
    int n_threads;                     /* 0: as many as OpenMP offers */
    const firn_scene_colliders *props; /* colliders, at their time, and colours; NULL: none */
    int has_legend;
    char caption[200]; /* "": none */
} firn_render_def;

firn_render_def firn_render_default(void);
/* The sun's azimuth with NAN resolved. A caller whose camera moves fixes it with this
 * beforehand: else the sun would move along. */
double firn_render_sun_azimuth(const firn_render_def *def);

/* The azimuth nearest to def's from which no collider stands between camera and shot; def's own
 * where there is none. */
double firn_render_free_azimuth(const firn_render_def *def, const firn_view_bounds *survey);

/* The picture, to be destroyed by the caller. Spheres have radius pscale; without pscale half of
 * the detail dx, and without that a radius at which n spheres would fill the box of the survey. */
firn_status firn_render_frame(const firn_points *points, const firn_view_bounds *survey,
                              const firn_render_def *def, firn_image **image,
                              firn_messages *messages);

#endif
