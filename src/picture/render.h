/* SPDX-License-Identifier: MIT */
/* render.h: a frame of points as a picture. A firn_render_def describes the picture, a
 * firn_view_bounds holds what must be the same for all frames of the shot. */
#ifndef FIRN_RENDER_H
#define FIRN_RENDER_H

#include "picture/camera.h"
#include "picture/colormap.h"
#include "picture/layers.h"
#include "plot/image.h"
#include "points/points.h"
#include "picture/scene_colliders.h"
#include "picture/view_bounds.h"

typedef enum firn_engine { FIRN_ENGINE_AUTO, FIRN_ENGINE_EMBREE, FIRN_ENGINE_SPLAT } firn_engine;
typedef enum firn_ground { FIRN_GROUND_AUTO, FIRN_GROUND_NONE, FIRN_GROUND_GIVEN } firn_ground;

typedef struct firn_render_def {
    int width, height;
    int samples;  /* rays per side of a pixel: 2 is 2 x 2 */
    int sky_rays; /* per sample; 0: no ambient occlusion */
    firn_camera_def camera;
    char attribute[80]; /* as in particle_color.h; "": by material */
    int has_range, is_log;
    double min, max;
    char map[16];        /* "": the default map */
    double radius_scale; /* times pscale, or the radius used without it */
    firn_ground ground;
    double ground_height;              /* m, along the axis that points up */
    double sun_azimuth, sun_elevation; /* rad; azimuth NAN: to the left behind the camera */
    firn_engine engine;
    int n_threads; /* 0: as many as OpenMP has */
    /* at their time, and colours; NULL: none. A shutter moves them and puts them back. */
    firn_scene_colliders *colliders;
    int is_ghost;        /* colliders are glass: what lies behind is seen */
    int is_surface;      /* surfaces of looks (look.h) in place of spheres; wants Embree */
    char look[512];      /* "LOOK" or "MATERIAL=LOOK", separated by commas; "": by the scene */
    double shutter;      /* s of motion in a picture of surfaces */
    firn_layers *layers; /* of the picture's size, to be filled from surfaces; NULL: none */
    int has_legend;
    char caption[200]; /* "": none */
} firn_render_def;

firn_render_def firn_render_default(void);
/* The sun's azimuth with NAN resolved. Where the camera moves it must be fixed with this before the
 * first frame, or the sun moves along. */
double firn_render_sun_azimuth(const firn_render_def *def);

/* The azimuth nearest to def's from which no collider hides the shot; def's own where there is
 * none. */
double firn_render_free_azimuth(const firn_render_def *def, const firn_view_bounds *bounds);

/* From where the picture is taken: for what is drawn over it. The bounds are not empty. */
typedef struct firn_render_view {
    firn_camera camera;
    double origin[3]; /* of local coordinates, y up, m */
    int is_z_up;
    float size; /* half the diagonal of the shot, m */
} firn_render_view;
void firn_render_view_of(const firn_view_bounds *bounds, const firn_render_def *def,
                         firn_render_view *view);

/* The picture, to be destroyed by the caller. Spheres have radius pscale; without it half of the
 * detail dx; without that the radius at which n spheres fill the box of `bounds`. */
firn_status firn_render_frame(const firn_points *points, const firn_view_bounds *bounds,
                              const firn_render_def *def, firn_image **image,
                              firn_messages *messages);

#endif
