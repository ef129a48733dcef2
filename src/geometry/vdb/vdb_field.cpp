// SPDX-License-Identifier: MIT
// vdb_field.cpp: grids of .vdb files as numbers in space (geometry/volume.h), behind vdb.h: fog,
// wetness, temperature, velocity. A child process reads the file (vdb_child.hpp).
#include "geometry/vdb/vdb.h"
#include "geometry/vdb/vdb_archive.hpp"
#include "geometry/vdb/vdb_guard.hpp"
#include "geometry/vdb/vdb_transfer.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using openvdb::FloatGrid;
using openvdb::Vec3SGrid;

constexpr double MAX_NUMBERS = 1 << 28; // of a volume, 1 GiB

struct wanted_field {
    const char *path, *grid;
    double scale;
    int n_components;
    std::size_t most; // --max-memory; 0: not given
    firn_messages *messages;
};

// In the child: the grid of that name, or the first of the right type.
template <class Grid>
firn_status load(firn::archive &file, const wanted_field &w, firn_messages *messages,
                 typename Grid::Ptr &loaded, std::string &name)
{
    const firn::archive::entry *found = w.grid[0] ? file.find(w.grid) : nullptr;
    for (const auto &entry : file.entries)
        if (!w.grid[0] && !found && entry.where.gridType() == Grid::gridType()) found = &entry;
    const char *wants =
        std::is_same<Grid, Vec3SGrid>::value ? "vectors of single floats (vec3s)" : "single floats";
    if (!found)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: no grid %s%s%s in it (%s)", w.path,
                                 w.grid[0] ? "\"" : "of ", w.grid[0] ? w.grid : wants,
                                 w.grid[0] ? "\"" : "", file.contents().c_str());
    name = found->own_name();
    if (found->where.gridType() != Grid::gridType())
        return firn_messages_add(messages, FIRN_REFUSED, "%s: grid \"%s\" holds %s; allowed: %s",
                                 w.path, name.c_str(), found->type().c_str(), wants);
    loaded = openvdb::gridPtrCast<Grid>(file.load(*found));
    firn::check_statistics(*loaded, name);
    return FIRN_OK;
}

firn_status check_size(const wanted_field &w, const std::string &name, double n_voxels)
{
    const double n = n_voxels * w.n_components, n_bytes = 4 * n;
    if (n > MAX_NUMBERS)
        return firn_messages_add(w.messages, FIRN_REFUSED,
                                 "%s: grid \"%s\" has %.0f active voxels; allowed: at most %.0f; "
                                 "try: larger voxels",
                                 w.path, name.c_str(), n_voxels, MAX_NUMBERS / w.n_components);
    if (!w.most || n_bytes <= (double)w.most) return FIRN_OK;
    return firn_messages_add(w.messages, FIRN_MEMORY,
                             "%s: grid \"%s\" takes about %.4g MiB, more than --max-memory (%.4g "
                             "MiB); try: larger voxels, or a higher --max-memory",
                             w.path, name.c_str(), n_bytes / (1 << 20), (double)w.most / (1 << 20));
}

inline float component(float value, int) { return value; }
inline float component(const openvdb::Vec3s &value, int c) { return value[c]; }

// to_index from what the grid's transform does to the origin and the unit vectors.
template <class Grid> void place(const Grid &grid, double scale, firn_volume &v)
{
    const openvdb::Vec3d at = grid.worldToIndex(openvdb::Vec3d(0.0));
    for (int b = 0; b < 3; b++) {
        openvdb::Vec3d unit(0.0);
        unit[b] = 1;
        const openvdb::Vec3d to = grid.worldToIndex(unit);
        for (int a = 0; a < 3; a++) v.to_index[a][b] = (to[a] - at[a]) / scale;
    }
    for (int a = 0; a < 3; a++) v.to_index[a][3] = at[a];
}

template <class Grid>
firn_status convert(const wanted_field &w, Grid &grid, const std::string &name,
                    firn_volume **volume)
{
    if (!grid.transform().isLinear())
        return firn_messages_add(w.messages, FIRN_REFUSED,
                                 "%s: grid \"%s\" is no box of equal voxels: they widen with their "
                                 "distance from a camera; try: resample it",
                                 w.path, name.c_str());
    firn_status status = check_size(w, name, (double)grid.activeVoxelCount());
    if (status) return status;
    grid.tree().voxelizeActiveTiles(false);
    std::vector<const typename Grid::TreeType::LeafNodeType *> leaves;
    grid.tree().getNodes(leaves);
    status = check_size(w, name, 512.0 * (double)leaves.size());
    if (!status)
        status = firn_volume_create(w.n_components, (int64_t)leaves.size(), volume, w.messages);
    if (status) return status;
    firn_volume *v = *volume;
    place(grid, w.scale, *v);
    for (int c = 0; c < w.n_components; c++) v->background[c] = component(grid.background(), c);
    float *to = v->values;
    for (size_t l = 0; l < leaves.size(); l++) {
        for (int a = 0; a < 3; a++) v->block[l][a] = leaves[l]->origin()[a] >> 3;
        const auto *from = leaves[l]->buffer().data();
        for (int m = 0; m < 512; m++)
            for (int c = 0; c < w.n_components; c++) {
                *to = component(from[m], c);
                if (!std::isfinite(*to++))
                    return firn_messages_add(w.messages, FIRN_REFUSED,
                                             "%s: grid \"%s\" holds a value that is not finite",
                                             w.path, name.c_str());
            }
    }
    firn_volume_finish(v);
    return FIRN_OK;
}

template <class Grid> firn_status read(const wanted_field &w, int n_threads, firn_volume **volume)
{
    typename Grid::Ptr grid;
    std::string name;
    const firn::child_work work = {[&](std::size_t n_bytes, firn_messages *of_child) {
                                       auto *file =
                                           new firn::archive; // never destroyed: see vdb_child.hpp
                                       file->open(w.path, n_bytes);
                                       return load<Grid>(*file, w, of_child, grid, name);
                                   },
                                   [&](firn::outlet &out) {
                                       out.text(name);
                                       firn::send_grid(out, *grid);
                                   }};
    firn_status status =
        firn::read_in_child(w.path, w.most, w.messages, work, [&](firn::inlet &in) {
            openvdb::initialize();
            name = in.text();
            grid = firn::take_grid<Grid>(in);
            return FIRN_OK;
        });
    if (status) return status;
    return firn::guarded(w.messages, w.path, n_threads, [&] {
        typename Grid::Ptr own = std::move(grid);
        return convert(w, *own, name, volume);
    });
}

} // namespace

extern "C" firn_status firn_vdb_read_field(const char *path, const char *grid, double scale,
                                           int n_components, size_t max_memory, int n_threads,
                                           firn_volume **volume, firn_messages *messages)
{
    *volume = nullptr;
    const wanted_field w = {path, grid, scale, n_components, max_memory, messages};
    firn_status status = n_components == 3 ? read<Vec3SGrid>(w, n_threads, volume)
                                           : read<FloatGrid>(w, n_threads, volume);
    if (status && *volume) {
        firn_volume_destroy(*volume);
        *volume = nullptr;
    }
    return status;
}
