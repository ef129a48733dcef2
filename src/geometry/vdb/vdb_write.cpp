// SPDX-License-Identifier: MIT
// vdb_write.cpp: firn's volumes to .vdb files and to polygons,
// behind vdb.h.
#include "geometry/vdb/vdb.h"
#include "geometry/vdb/vdb_archive.hpp"
#include "geometry/vdb/vdb_guard.hpp"

extern "C" {
#include "base/file.h"
#include "base/memory.h"
}

#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <cmath>
#include <string>
#include <vector>

namespace
{

template <class Grid> void place(Grid &grid, const firn_sdf &v, const char *name)
{
    openvdb::Mat4R m = openvdb::Mat4R::identity();
    for (int a = 0; a < 3; a++) m(a, a) = v.voxel, m(3, a) = v.origin[a];
    grid.setTransform(openvdb::math::Transform::createLinearTransform(m));
    grid.setName(name);
}

/* One value of a voxel of every leaf; voxels for which `is_on` is false stay inactive. */
template <class Grid, class Value> void fill(Grid &grid, const firn_sdf &v, Value &&value)
{
    typename Grid::Accessor accessor = grid.getAccessor();
    for (int64_t l = 0; l < v.n_leaves; l++) {
        const int32_t *b = v.leaf_block[l];
        auto *leaf = accessor.touchLeaf(openvdb::Coord(8 * b[0], 8 * b[1], 8 * b[2]));
        for (openvdb::Index n = 0; n < 512; n++) {
            int at = ((int)(n >> 6) * 9 + (int)(n >> 3 & 7)) * 9 + (int)(n & 7);
            bool is_on = *firn_sdf_at(&v, l, at, 0) < (float)v.band;
            if (is_on) leaf->setValueOn(n, value(l, at));
        }
    }
}

openvdb::FloatGrid::Ptr level_set(const firn_sdf &v)
{
    auto grid = openvdb::FloatGrid::create((float)v.band);
    place(*grid, v, "surface");
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    fill(*grid, v, [&](int64_t l, int at) { return *firn_sdf_at(&v, l, at, 0); });
    return grid;
}

firn_status write(const char *path, const char *shown, const firn_sdf &v,
                  const firn_vdb_contents &contents, firn_messages *messages)
{
    openvdb::GridPtrVec grids;
    openvdb::initialize();
    grids.push_back(level_set(v));
    if (contents.has_density) { /* the share of a voxel that lies below the surface */
        auto fog = openvdb::FloatGrid::create(0.0f);
        place(*fog, v, "density");
        fog->setGridClass(openvdb::GRID_FOG_VOLUME);
        fill(*fog, v, [&](int64_t l, int at) {
            float inside = 0.5f - *firn_sdf_at(&v, l, at, 0) / (float)(2 * v.voxel);
            return inside < 0 ? 0.0f : inside > 1 ? 1.0f : inside;
        });
        openvdb::tools::pruneInactive(fog->tree());
        grids.push_back(fog);
    }
    if (contents.velocity) {
        auto speed = openvdb::Vec3SGrid::create();
        place(*speed, v, "v");
        speed->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
        int c = contents.velocity;
        fill(*speed, v, [&](int64_t l, int at) {
            return openvdb::Vec3s(*firn_sdf_at(&v, l, at, c), *firn_sdf_at(&v, l, at, c + 1),
                                  *firn_sdf_at(&v, l, at, c + 2));
        });
        grids.push_back(speed);
    }
    const struct {
        const char *name;
        int channel;
    } numbers[] = {{"temperature", contents.temperature},
                   {"friction", contents.friction},
                   {"stickiness", contents.stickiness}};
    for (const auto &number : numbers) {
        if (!number.channel) continue;
        auto grid = openvdb::FloatGrid::create(0.0f);
        place(*grid, v, number.name);
        fill(*grid, v, [&](int64_t l, int at) { return *firn_sdf_at(&v, l, at, number.channel); });
        for (auto value = grid->beginValueOn(); value; ++value) /* where there is no paint */
            if (std::isnan(*value)) value.setValue(0), value.setValueOff();
        grids.push_back(grid);
    }
    for (auto &grid : grids) grid->setSaveFloatAsHalf(contents.is_half);
    return firn::new_archive().put(path, shown, grids, messages);
}

firn_status polygons(const firn_sdf &v, const openvdb::FloatGrid &grid, double adaptivity,
                     firn_mesh **mesh, firn_messages *messages)
{
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0.0, adaptivity);
    *mesh =
        firn_mesh_create((int64_t)points.size(), (int64_t)(triangles.size() + 2 * quads.size()));
    if (!*mesh) return firn_messages_no_memory(messages, "polygons of a surface");
    for (size_t i = 0; i < points.size(); i++)
        for (int a = 0; a < 3; a++)
            (*mesh)->xyz[3 * i + (size_t)a] = v.origin[a] + v.voxel * (double)points[i][a];
    uint32_t *t = (*mesh)->triangles; /* OpenVDB counts corners clockwise seen from outside */
    for (const auto &q : triangles)
        for (int c = 2; c >= 0; c--) *t++ = q[c];
    for (const auto &q : quads)
        for (int c : {2, 1, 0, 3, 2, 0}) *t++ = q[c];
    return FIRN_OK;
}

/* Large polygons lie inside a curved surface (a ball of six voxels loses 4.5 % at full
 * adaptivity), so adaptivity is halved until what is lost against polygons of one size is at
 * most VOLUME_LOSS. */
const double VOLUME_LOSS = 0.01;

firn_status bounded_polygons(const firn_sdf &v, double adaptivity, firn_mesh **mesh,
                             firn_messages *messages)
{
    auto grid = level_set(v);
    grid->setTransform(openvdb::math::Transform::createLinearTransform(
        1.0)); /* in voxels, where floats are fine */
    firn_mesh *uniform = nullptr;
    firn_status status = polygons(v, *grid, 0, &uniform, messages);
    double volume = status ? 0 : std::abs(firn_mesh_volume(uniform));
    for (; !status && adaptivity > 1e-3; adaptivity *= 0.5) {
        status = polygons(v, *grid, adaptivity, mesh, messages);
        if (!status && std::abs(std::abs(firn_mesh_volume(*mesh)) - volume) <= VOLUME_LOSS * volume)
            break;
        firn_mesh_destroy(*mesh);
        *mesh = nullptr;
    }
    if (status || *mesh)
        firn_mesh_destroy(uniform);
    else
        *mesh = uniform;
    return status;
}

} // namespace

extern "C" firn_status firn_vdb_write_volume(const char *path, const firn_sdf *volume,
                                             const firn_vdb_contents *contents, int n_threads,
                                             firn_messages *messages)
{
    char temporary[FIRN_PATH + 64];
    firn_status status = firn_file_temporary(path, temporary, sizeof temporary, messages);
    if (status) return status;
    status = firn::guarded(messages, path, n_threads,
                           [&] { return write(temporary, path, *volume, *contents, messages); });
    if (!status) return firn_file_publish(temporary, path, nullptr, messages);
    firn_file_discard(temporary);
    return status;
}

extern "C" firn_status firn_vdb_polygons(const firn_sdf *volume, double adaptivity, int n_threads,
                                         firn_mesh **mesh, firn_messages *messages)
{
    *mesh = nullptr;
    return firn::guarded(messages, "polygons of a surface", n_threads,
                         [&] { return bounded_polygons(*volume, adaptivity, mesh, messages); });
}
