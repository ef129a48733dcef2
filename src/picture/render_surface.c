/* SPDX-License-Identifier: MIT */
/* render_surface.c: see render_surface.h. Looks of materials, meshes and grains, the Embree scene. */
#include "picture/render_surface.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/messages.h"
#include "points/surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- looks */

/* The look that the definition names for a material, "LOOK" or "MATERIAL=LOOK", separated by commas;
 * the last that fits. 0: none. */
static int named_look(const char *list, const char *material, char name[64])
{
    int found = 0;
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ","), key = strcspn(at, "=");
        if (key >= n)
            found = snprintf(name, 64, "%.*s", (int)n, at) > 0;
        else if (key == strlen(material) && !strncmp(at, material, key))
            found = snprintf(name, 64, "%.*s", (int)(n - key - 1), at + key + 1) > 0;
        at += n + (at[n] == ',');
    }
    return found;
}

static firn_status refuse_look(const char *name, firn_messages *messages)
{
    char shown[512], near[64];
    const int has_near = firn_suggest_word(name, firn_look_names(), near, sizeof near);
    firn_suggest_list(firn_look_names(), shown, sizeof shown);
    return firn_messages_add(messages, FIRN_REFUSED, "look: unknown (%s); allowed: %s%s%s%s", name,
                             shown, has_near ? "; did you mean \"" : "", has_near ? near : "",
                             has_near ? "\"?" : "");
}

firn_status firn_render_surface_check(const firn_render_def *def, firn_messages *messages)
{
    for (const char *at = def->look; *at;) {
        size_t n = strcspn(at, ","), key = strcspn(at, "=");
        const char *look = key < n ? at + key + 1 : at;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(n - (size_t)(look - at)), look);
        if (!firn_look_find(name)) return refuse_look(name, messages);
        at += n + (at[n] == ',');
    }
    if (!firn_tracer_embree)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "surface: this firn was built without Embree; try: without "
                                 "--surface, or install Embree 3 and build again");
    return FIRN_OK;
}

/* The look of category k, and whether it brings its own colour. */
static const firn_look *look_of(const firn_render_surface *s, int k, int *has_color)
{
    const char *material = s->palette->names[k], *law = "", *preset = "";
    firn_scene_colliders *scene = s->def->colliders;
    firn_color color;
    char name[64];
    if (named_look(s->def->look, material, name)) {
        *has_color = 1;
        return firn_look_find(name);
    }
    if (scene) firn_scene_colliders_material(scene, material, &law, &preset);
    *has_color = !scene || !firn_scene_colliders_color(scene, material, &color);
    return firn_look_choose(material, preset, law);
}

/* Whether it is the default colour of scenes (sRGB 0.8 in all channels), as Cd. */
static int is_default_color(const float color[3])
{
    float grey = firn_color_decode(0.8f);
    return fabsf(color[0] - grey) + fabsf(color[1] - grey) + fabsf(color[2] - grey) < 1e-3f;
}

/* Fills looks and the particles' numbers in them; colours of the look where the scene has none. */
static void choose_looks(const firn_render_surface *s, firn_skin_def *def, uint8_t *number)
{
    uint8_t place[32];
    int has_color[32];
    float colors[32][3];
    int has_own = firn_points_find(s->points, "Cd") != NULL;
    for (int k = 0; k < s->palette->n; k++) {
        const firn_look *look = look_of(s, k, &has_color[k]);
        firn_color c = firn_color_hex(look->rgb);
        int at = 0;
        while (at < def->n_looks && def->looks[at] != look) at++;
        if (at == FIRN_SKIN_LOOKS) at--;
        def->looks[at] = at < def->n_looks ? def->looks[at] : look;
        def->n_looks = at < def->n_looks ? def->n_looks : at + 1;
        place[k] = (uint8_t)at;
        colors[k][0] = firn_color_decode(c.r);
        colors[k][1] = firn_color_decode(c.g);
        colors[k][2] = firn_color_decode(c.b);
    }
    for (int64_t p = 0; p < s->points->n; p++) {
        int k = firn_particle_color_category(s->points, s->palette, p);
        number[p] = place[k];
        int is_own = has_own && !is_default_color(s->colors + 3 * p) && !s->def->look[0];
        if (has_color[k] && !is_own && !s->def->attribute[0])
            memcpy(s->colors + 3 * p, colors[k], sizeof colors[k]);
    }
}

/* ---------------------------------------------------------------- the picture */

static firn_status make_tracer(const firn_skin *skin, int n_threads, firn_tracer **tracer,
                               firn_messages *messages)
{
    firn_tracer_shape shapes[2 * FIRN_SKIN_LOOKS] = {0};
    for (int k = 0; k < skin->n; k++) {
        const firn_skin_piece *p = &skin->pieces[k];
        shapes[2 * k] = (firn_tracer_shape){.n_vertices = p->n_vertices,
                                            .n_triangles = p->n_triangles,
                                            .xyz = p->xyz,
                                            .xyz_end = p->xyz_end,
                                            .triangles = p->triangles};
        shapes[2 * k + 1] = (firn_tracer_shape){
            .n_spheres = p->n_grains, .xyzr = p->grains, .xyzr_end = p->grains_end};
    }
    return firn_tracer_embree->create(2 * skin->n, shapes, n_threads, tracer, messages);
}

/* Size of a pixel where the shot is, m. */
static double pixel_of(const firn_camera *camera, int height)
{
    double distance = 0;
    for (int c = 0; c < 3; c++) distance += (double)camera->eye[c] * camera->eye[c];
    return 2 * camera->tan_y * sqrt(distance) / height;
}

firn_status firn_render_surface_paint(const firn_render_surface *s, const firn_surface_shading *how,
                                      firn_image *image, firn_messages *messages)
{
    firn_surface_shading own = *how;
    firn_skin skin = {0};
    firn_tracer *tracer = NULL;
    double spacing = firn_surface_natural_radius(s->points) / 1.2;
    firn_skin_def def = {.points = s->points,
                         .xyzr = s->xyzr,
                         .colors = s->colors,
                         .is_z_up = s->is_z_up,
                         .spacing = spacing > 0 ? spacing : 2 * s->radius,
                         .pixel = pixel_of(own.camera, image->height),
                         .shutter = s->def->shutter,
                         .n_threads = own.n_threads};
    uint8_t *number = firn_memory_array(NULL, (size_t)s->points->n, sizeof *number);
    if (!number) return firn_messages_no_memory(messages, "picture");
    choose_looks(s, &def, number);
    def.look = number;
    firn_status status = firn_skin_make(&def, &skin, messages);
    if (!status) status = make_tracer(&skin, own.n_threads, &tracer, messages);
    own.skin = &skin;
    own.tracer = tracer;
    if (!status) status = firn_surface_shading_paint(&own, image, s->def->layers);
    if (tracer) firn_tracer_embree->destroy(tracer);
    firn_skin_clear(&skin);
    firn_memory_release(NULL, number, (size_t)s->points->n * sizeof *number);
    return status;
}
