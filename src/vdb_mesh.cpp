// vdb_mesh.cpp: triangles to a distance field, behind vdb.h.
#include "vdb.h"
#include "vdb_guard.hpp"
#include "vdb_volume.hpp"

#include <openvdb/tools/MeshToVolume.h>

namespace
{

int32_t *copy_nearest(const firn_volume &volume, const openvdb::Int32Grid &index)
{
    int32_t *nearest = (int32_t *)firn_memory_array(nullptr, (size_t)volume.n_leaves, 512 * sizeof(int32_t));
    if (!nearest) return nullptr;
    openvdb::Int32Grid::ConstAccessor accessor = index.getConstAccessor();
    for (int64_t l = 0; l < volume.n_leaves; l++) {
        const int32_t *b = volume.leaf_block[l];
        const auto *leaf = accessor.probeConstLeaf(openvdb::Coord(8 * b[0], 8 * b[1], 8 * b[2]));
        for (int n = 0; n < 512; n++)
            nearest[512 * l + n] = leaf && leaf->isValueOn((openvdb::Index)n) ? leaf->getValue((openvdb::Index)n) : -1;
    }
    return nearest;
}

firn_status convert(const firn_mesh *mesh, double voxel, double band, double inner, int is_signed, int n_channels,
                    firn_volume **volume, int32_t **nearest, firn_report *report)
{
    double min[3], max[3], origin[3];
    firn_mesh_bounds(mesh, min, max);
    for (int a = 0; a < 3; a++) origin[a] = 0.5 * (min[a] + max[a]);
    std::vector<openvdb::Vec3s> points((size_t)mesh->n_points); /* in voxels from the middle: floats suffice */
    for (size_t i = 0; i < points.size(); i++)
        for (int a = 0; a < 3; a++) points[i][a] = (float)((mesh->xyz[3 * i + (size_t)a] - origin[a]) / voxel);
    std::vector<openvdb::Vec3I> triangles((size_t)mesh->n_triangles);
    for (size_t t = 0; t < triangles.size(); t++)
        for (int c = 0; c < 3; c++) triangles[t][c] = mesh->triangles[3 * t + (size_t)c];
    float width = (float)(band / voxel), inner_width = (float)(inner / voxel);
    int flags = is_signed ? 0 : (int)openvdb::tools::UNSIGNED_DISTANCE_FIELD;
    /* exactly this combination of types lies compiled in the library */
    openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(points, triangles);
    openvdb::math::Transform::Ptr unit = openvdb::math::Transform::createLinearTransform(1.0);
    openvdb::util::NullInterrupter never;
    openvdb::Int32Grid index;
    openvdb::FloatGrid::Ptr grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
        never, adapter, *unit, width, inner_width, flags, nearest ? &index : nullptr);
    firn_status status = firn::volume_from_tree(grid->tree(), voxel, origin, voxel, n_channels, volume, report);
    if (!status) (*volume)->inner = inner;
    if (status || !nearest) return status;
    *nearest = copy_nearest(**volume, index);
    if (*nearest) return FIRN_OK;
    firn_volume_destroy(*volume);
    *volume = nullptr;
    return firn_report_add(report, FIRN_MEMORY, "There is no memory for the distance field of a mesh.");
}

} // namespace

extern "C" firn_status firn_vdb_from_mesh(const firn_mesh *mesh, double voxel, double band, double inner, int is_signed,
                                          int n_channels, int n_threads, firn_volume **volume, int32_t **nearest,
                                          firn_report *report)
{
    *volume = nullptr;
    if (nearest) *nearest = nullptr;
    return firn::guarded(report, "", "The mesh cannot be made a volume", n_threads, [&] {
        return convert(mesh, voxel, band, inner, is_signed, n_channels, volume, nearest, report);
    });
}
