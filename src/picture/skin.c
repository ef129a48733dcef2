/* SPDX-License-Identifier: MIT */
/* skin.c: see skin.h. For each look: its particles, apart into those of the body and loose ones; the
 * level set of the body (points/surface.c) and its polygons (OpenVDB) with normals, colours and
 * velocities from the field; grains. */
#include "picture/skin.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"
#include "geometry/vdb/vdb.h"
#include "picture/skin_grains.h"
#include "picture/skin_loose.h"
#include "points/surface.h"

#include <math.h>
#include <string.h>

static const double radius_in_spacings = 1.2; /* as firn mesh */

/* The particles of one look; both parts keep the order of the points. */
typedef struct selection {
    int64_t n, n_loose, room;
    int64_t *which; /* [room] indices: n of the body, then n_loose from the end backwards */
} selection;

static firn_status no_memory(firn_messages *messages)
{
    return firn_messages_no_memory(messages, "surface of the picture");
}

/* ---------------------------------------------------------------- particles */

static int is_of(const firn_skin_def *def, int look, int64_t k)
{
    return def->look[k] == look && def->xyzr[4 * k + 3] > 0;
}

static firn_status select_particles(const firn_skin_def *def, int look, selection *s,
                                    firn_messages *messages)
{
    int64_t n = 0;
    *s = (selection){0};
    for (int64_t k = 0; k < def->points->n; k++) n += is_of(def, look, k);
    s->room = n;
    s->which = firn_memory_array(NULL, (size_t)n, sizeof *s->which);
    float *xyz = firn_memory_array(NULL, (size_t)n, 3 * sizeof *xyz);
    uint8_t *is_loose = firn_memory_array(NULL, (size_t)n, sizeof *is_loose);
    firn_status status = s->which && xyz && is_loose ? FIRN_OK : no_memory(messages);
    int64_t at = 0;
    for (int64_t k = 0; k < def->points->n && !status; k++) {
        if (!is_of(def, look, k)) continue;
        memcpy(xyz + 3 * at, def->xyzr + 4 * k, 3 * sizeof *xyz);
        s->which[at++] = k;
    }
    if (!status && def->looks[look]->n_grains > 0 &&
        !firn_skin_find_loose(n, xyz, def->spacing, def->n_threads, is_loose))
        status = no_memory(messages);
    if (!status) { /* xyz is not needed any more: its bytes hold the loose ones meanwhile */
        int64_t *loose = (int64_t *)(void *)xyz;
        for (int64_t k = 0; k < n; k++)
            if (is_loose[k])
                loose[s->n_loose++] = s->which[k];
            else
                s->which[s->n++] = s->which[k];
        memcpy(s->which + s->n, loose, (size_t)s->n_loose * sizeof *loose);
    }
    firn_memory_release(NULL, is_loose, (size_t)n * sizeof *is_loose);
    firn_memory_release(NULL, xyz, (size_t)n * 3 * sizeof *xyz);
    return status;
}

/* Velocity of particle k in local coordinates. */
static void velocity_of(const firn_skin_def *def, const float *v, int64_t k, float out[3])
{
    out[0] = v[3 * k];
    out[1] = def->is_z_up ? v[3 * k + 2] : v[3 * k + 1];
    out[2] = def->is_z_up ? -v[3 * k + 1] : v[3 * k + 2];
}

static const float *velocities(const firn_skin_def *def)
{
    const firn_attribute *v = firn_points_find(def->points, "v");
    return def->shutter > 0 && v && v->n_components == 3 && v->type != FIRN_ATTRIBUTE_INT &&
                   v->type != FIRN_ATTRIBUTE_INDEX
               ? v->data.f
               : NULL;
}

/* The particles of the body as points of their own, and their colours where these differ. */
static firn_status copy_body(const firn_skin_def *def, const selection *s, firn_points **body,
                             float **colors, firn_messages *messages)
{
    const float *v = velocities(def), *first = def->colors + 3 * s->which[0];
    int differs = 0;
    *colors = NULL;
    *body = firn_points_create(s->n);
    firn_attribute *P = *body ? firn_points_add(*body, "P", FIRN_ATTRIBUTE_VECTOR, 3) : NULL;
    float *places = P ? P->data.f : NULL, *speeds = NULL;
    if (P && v) {
        firn_attribute *a = firn_points_add(*body, "v", FIRN_ATTRIBUTE_VECTOR, 3);
        speeds = a ? a->data.f : NULL;
    }
    if (!P || (v && !speeds)) return no_memory(messages);
    for (int64_t k = 0; k < s->n; k++) {
        memcpy(places + 3 * k, def->xyzr + 4 * s->which[k], 3 * sizeof(float));
        if (v) velocity_of(def, v, s->which[k], speeds + 3 * k);
        differs |= memcmp(def->colors + 3 * s->which[k], first, 3 * sizeof(float)) != 0;
    }
    if (!differs) return FIRN_OK;
    *colors = firn_memory_array(NULL, (size_t)s->n, 3 * sizeof **colors);
    if (!*colors) return no_memory(messages);
    for (int64_t k = 0; k < s->n; k++)
        memcpy(*colors + 3 * k, def->colors + 3 * s->which[k], 3 * sizeof(float));
    return FIRN_OK;
}

/* ---------------------------------------------------------------- the mesh */

static firn_status make_room(firn_skin_piece *piece, const firn_mesh *mesh, int is_moving,
                             firn_messages *messages)
{
    size_t n = (size_t)mesh->n_points;
    piece->n_vertices = mesh->n_points;
    piece->n_triangles = mesh->n_triangles;
    piece->xyz = firn_memory_array(NULL, n + 2, 3 * sizeof(float));
    piece->normal = firn_memory_array(NULL, n, 3 * sizeof(float));
    piece->color = firn_memory_array(NULL, n, 3 * sizeof(float));
    piece->triangles = firn_memory_array(NULL, (size_t)mesh->n_triangles, 3 * sizeof(uint32_t));
    piece->xyz_end = is_moving ? firn_memory_array(NULL, n + 2, 3 * sizeof(float)) : NULL;
    int good = piece->xyz && piece->normal && piece->color && piece->triangles &&
               (!is_moving || piece->xyz_end);
    if (good)
        memcpy(piece->triangles, mesh->triangles, (size_t)mesh->n_triangles * 3 * sizeof(uint32_t));
    return good ? FIRN_OK : no_memory(messages);
}

static void fill_vertices(const firn_sdf *volume, const firn_surface_channels *channels,
                          const firn_mesh *mesh, const float *color, const firn_skin_def *def,
                          firn_skin_piece *piece)
{
    int v = piece->xyz_end ? channels->velocity : 0;
#pragma omp parallel for num_threads(def->n_threads) schedule(static)
    for (int64_t p = 0; p < mesh->n_points; p++) {
        double value[FIRN_MAX_CHANNELS], gradient[3];
        const double *x = mesh->xyz + 3 * p;
        firn_skin_normal(volume, x, piece->normal + 3 * p);
        if (channels->carried || v) firn_sdf_sample(volume, x, value, gradient);
        for (int c = 0; c < 3; c++) {
            double half = v ? 0.5 * def->shutter * value[v + c] : 0;
            piece->xyz[3 * p + c] = (float)(x[c] - half);
            if (piece->xyz_end) piece->xyz_end[3 * p + c] = (float)(x[c] + half);
            piece->color[3 * p + c] =
                channels->carried ? (float)value[channels->carried + c] : color[c];
        }
    }
}

/* The body's level set, which grains need too; its mesh in the piece. */
static firn_status make_body(const firn_skin_def *def, const selection *s, firn_skin_piece *piece,
                             firn_sdf **volume, firn_messages *messages)
{
    firn_points *body = NULL;
    float *colors = NULL;
    firn_mesh *mesh = NULL;
    firn_surface_channels channels;
    double radius = radius_in_spacings * def->spacing, voxel = piece->voxel;
    /* passes diffuse over sqrt(passes) voxels: as many as look the same at any voxel */
    int n_smooth = (int)(piece->look->n_smooth * radius * radius / (voxel * voxel) + 0.5);
    firn_status status = copy_body(def, s, &body, &colors, messages);
    firn_surface_def surface = {.radius = radius,
                                .voxel = voxel,
                                .n_smooth = n_smooth,
                                .carried = colors,
                                .no_temperature = 1};
    if (!status) status = firn_surface_make(body, &surface, volume, &channels, messages);
    if (!status) status = firn_vdb_polygons(*volume, 0, def->n_threads, &mesh, messages);
    if (!status) status = make_room(piece, mesh, velocities(def) != NULL, messages);
    if (!status) fill_vertices(*volume, &channels, mesh, def->colors + 3 * s->which[0], def, piece);
    firn_mesh_destroy(mesh);
    firn_memory_release(NULL, colors, (size_t)s->n * 3 * sizeof *colors);
    firn_points_destroy(body);
    return status;
}

static firn_status make_piece(const firn_skin_def *def, int look, firn_skin_piece *piece,
                              firn_messages *messages)
{
    selection s;
    firn_sdf *volume = NULL;
    piece->look = def->looks[look];
    piece->spacing = (float)def->spacing;
    piece->voxel = (float)(def->voxel > 0 ? def->voxel : 0.6 * radius_in_spacings * def->spacing);
    firn_status status = select_particles(def, look, &s, messages);
    if (!status && s.n > 0) status = make_body(def, &s, piece, &volume, messages);
    if (!status && piece->look->n_grains > 0) {
        firn_skin_grains grains = {def, volume, velocities(def), s.which, s.n, s.n_loose};
        if (!firn_skin_make_grains(&grains, piece)) status = no_memory(messages);
    }
    firn_sdf_destroy(volume);
    firn_memory_release(NULL, s.which, (size_t)s.room * sizeof *s.which);
    return status;
}

firn_status firn_skin_make(const firn_skin_def *def, firn_skin *skin, firn_messages *messages)
{
    *skin = (firn_skin){.n = def->n_looks};
    firn_status status = FIRN_OK;
    for (int k = 0; k < def->n_looks && !status; k++)
        status = make_piece(def, k, &skin->pieces[k], messages);
    if (status) firn_skin_clear(skin);
    return status;
}

void firn_skin_clear(firn_skin *skin)
{
    for (int k = 0; k < skin->n; k++) {
        firn_skin_piece *p = &skin->pieces[k];
        size_t n = (size_t)p->n_vertices, m = (size_t)p->n_grains;
        firn_memory_release(NULL, p->xyz, (n + 2) * 3 * sizeof(float));
        firn_memory_release(NULL, p->normal, n * 3 * sizeof(float));
        firn_memory_release(NULL, p->color, n * 3 * sizeof(float));
        firn_memory_release(NULL, p->xyz_end, (n + 2) * 3 * sizeof(float));
        firn_memory_release(NULL, p->triangles, (size_t)p->n_triangles * 3 * sizeof(uint32_t));
        firn_memory_release(NULL, p->grains, m * 4 * sizeof(float));
        firn_memory_release(NULL, p->grain_normal, m * 3 * sizeof(float));
        firn_memory_release(NULL, p->grain_color, m * 3 * sizeof(float));
        firn_memory_release(NULL, p->grains_end, m * 4 * sizeof(float));
        firn_memory_release(NULL, p->grain_id, m * sizeof(uint32_t));
    }
    *skin = (firn_skin){0};
}
