// SPDX-License-Identifier: MIT
// vdb_mesh.cpp: triangles to a distance field, behind vdb.h.
// Solids, cavities in them, solids in those, ... are fields of their own, taken from and added
// to each other, because a flood fill sees the outermost surface alone.
#include "geometry/vdb/vdb.h"
#include "geometry/vdb/vdb_guard.hpp"
#include "geometry/vdb/vdb_volume.hpp"

extern "C" {
#include "geometry/mesh/mesh_shells.h"
}

#include <openvdb/tools/Composite.h>
#include <openvdb/tools/MeshToVolume.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace
{

// The shells of one level of the mesh (mesh_shells.h), as a field of their own
struct layer {
    std::vector<openvdb::Vec3I> triangles;
    std::vector<int32_t> numbers; // in the mesh
    openvdb::FloatGrid::Ptr distance;
    openvdb::Int32Grid index;
};

std::vector<openvdb::Vec3s> points_in_voxels(const firn_mesh *mesh, double voxel, double origin[3])
{
    double min[3], max[3];
    firn_mesh_bounds(mesh, min, max);
    for (int a = 0; a < 3; a++) origin[a] = 0.5 * (min[a] + max[a]);
    std::vector<openvdb::Vec3s> points(
        (size_t)mesh->n_points); /* from the middle: floats suffice */
    for (size_t i = 0; i < points.size(); i++)
        for (int a = 0; a < 3; a++)
            points[i][a] = (float)((mesh->xyz[3 * i + (size_t)a] - origin[a]) / voxel);
    return points;
}

// An unsigned field knows no inside and has all triangles in one layer.
firn_status split(const firn_mesh *mesh, int is_signed, std::vector<layer> &layers,
                  firn_messages *messages)
{
    std::vector<uint8_t> levels((size_t)mesh->n_triangles);
    int n_levels = 1;
    firn_status status =
        is_signed ? firn_mesh_shells(mesh, nullptr, levels.data(), &n_levels, messages) : FIRN_OK;
    if (status) return status;
    layers = std::vector<layer>((size_t)n_levels);
    for (size_t t = 0; t < levels.size(); t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        layers[levels[t]].triangles.emplace_back(c[0], c[1], c[2]);
        layers[levels[t]].numbers.push_back((int32_t)t);
    }
    return FIRN_OK;
}

void measure(const std::vector<openvdb::Vec3s> &points, layer &l, float outer, float inner,
             int flags, bool wants_index)
{
    /* exactly this combination of types lies compiled in the library */
    openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(points,
                                                                                       l.triangles);
    openvdb::math::Transform::Ptr unit = openvdb::math::Transform::createLinearTransform(1.0);
    openvdb::util::NullInterrupter never;
    l.distance = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
        never, adapter, *unit, outer, inner, flags, wants_index ? &l.index : nullptr);
}

// Of each voxel: a triangle of the layer whose surface is nearest there. Layers lie in each
// other, so the distance to this one is what the whole field has there.
int32_t *copy_nearest(const firn_sdf &volume, const std::vector<layer> &layers)
{
    int32_t *nearest =
        (int32_t *)firn_memory_array(nullptr, (size_t)volume.n_leaves, 512 * sizeof(int32_t));
    if (!nearest) return nullptr;
    for (size_t i = 0; i < 512 * (size_t)volume.n_leaves; i++) nearest[i] = -1;
    std::vector<float> least(512);
    for (int64_t l = 0; l < volume.n_leaves; l++) {
        const int32_t *b = volume.leaf_block[l];
        const openvdb::Coord corner(8 * b[0], 8 * b[1], 8 * b[2]);
        std::fill(least.begin(), least.end(), std::numeric_limits<float>::infinity());
        for (const layer &from : layers) {
            const auto *index = from.index.tree().probeConstLeaf(corner);
            const auto *distance = from.distance->tree().probeConstLeaf(corner);
            for (openvdb::Index n = 0; n < 512 && index; n++) {
                const float d =
                    distance ? std::abs(distance->getValue(n)) : from.distance->background();
                if (!index->isValueOn(n) || !(d < least[n])) continue;
                least[n] = d;
                nearest[512 * l + n] = from.numbers[(size_t)index->getValue(n)];
            }
        }
    }
    return nearest;
}

firn_status convert(const firn_mesh *mesh, double voxel, double band, double inner, int is_signed,
                    int n_channels, firn_sdf **volume, int32_t **nearest, firn_messages *messages)
{
    double origin[3];
    std::vector<layer> layers;
    firn_status status = split(mesh, is_signed, layers, messages);
    if (status) return status;
    const std::vector<openvdb::Vec3s> points = points_in_voxels(mesh, voxel, origin);
    float widths[2] = {(float)(band / voxel), (float)(inner / voxel)}; /* outside, inside */
    int flags = is_signed ? 0 : (int)openvdb::tools::UNSIGNED_DISTANCE_FIELD;
    openvdb::FloatTree::Ptr tree;
    for (size_t k = 0; k < layers.size(); k++) { /* what is inside of a cavity's shell is outside */
        measure(points, layers[k], widths[k % 2], widths[1 - k % 2], flags, nearest != nullptr);
        const openvdb::FloatTree &one = layers[k].distance->tree();
        if (k == 0)
            tree = layers[k].distance->treePtr();
        else
            tree = k % 2 ? openvdb::tools::csgDifferenceCopy(*tree, one)
                         : openvdb::tools::csgUnionCopy(*tree, one);
    }
    status = firn::volume_from_tree(*tree, voxel, origin, voxel, n_channels, volume, messages);
    if (!status) (*volume)->inner = inner;
    if (status || !nearest) return status;
    *nearest = copy_nearest(**volume, layers);
    if (*nearest) return FIRN_OK;
    firn_sdf_destroy(*volume);
    *volume = nullptr;
    return firn_messages_no_memory(messages, "distance field of a mesh");
}

} // namespace

extern "C" firn_status firn_vdb_from_mesh(const firn_mesh *mesh, double voxel, double band,
                                          double inner, int is_signed, int n_channels,
                                          int n_threads, firn_sdf **volume, int32_t **nearest,
                                          firn_messages *messages)
{
    *volume = nullptr;
    if (nearest) *nearest = nullptr;
    return firn::guarded(messages, "distance field of a mesh", n_threads, [&] {
        return convert(mesh, voxel, band, inner, is_signed, n_channels, volume, nearest, messages);
    });
}
