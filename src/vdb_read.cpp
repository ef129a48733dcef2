// vdb_read.cpp: .vdb files to distance fields, behind vdb.h.
#include "vdb.h"
#include "vdb_archive.hpp"
#include "vdb_guard.hpp"
#include "vdb_volume.hpp"

#include <openvdb/tools/LevelSetRebuild.h>
#include <algorithm>
#include <cmath>
#include <string>

namespace
{

using openvdb::FloatGrid;

/* Grids that paint the surface, and what they may hold: what the same keys of a collider may. */
const struct {
    const char *name;
    float most; /* the least is 0 */
} PAINTS[2] = {{"friction", 100}, {"stickiness", 1e12f}};

struct reader {
    const char *path;
    firn_report *report;
    std::string name; /* of the grid that is the surface */
    FloatGrid::Ptr grid, paints[2];
    openvdb::Vec3SGrid::Ptr velocity;

    firn_status read(const char *wanted, bool wants_velocity)
    {
        size_t n_bytes = 0;
        firn_status status = firn::file_length(path, &n_bytes, report);
        return status ? status : firn::within(n_bytes, path, report, [&] { return take(wanted, wants_velocity); });
    }

    firn_status take(const char *wanted, bool wants_velocity)
    {
        firn::archive file(path);
        firn_status status = choose(file, wanted);
        if (!status) status = load(file, name.c_str(), grid);
        for (int i = 0; i < 2 && !status; i++)
            if (file.find(PAINTS[i].name)) status = load(file, PAINTS[i].name, paints[i]);
        if (!status && wants_velocity && file.find("v")) status = load(file, "v", velocity);
        return status;
    }

    /* The wanted grid, or the first level set, or the first float grid. */
    firn_status choose(const firn::archive &file, const char *wanted)
    {
        if (wanted[0]) {
            name = wanted;
            if (file.find(name)) return FIRN_OK;
            return firn_report_add(report, FIRN_REFUSED, "%s: there is no grid \"%s\" in it; %s.", path, wanted,
                                   file.contents().c_str());
        }
        for (const auto &entry : file.entries) {
            if (entry.type() != "float" || entry.name() == PAINTS[0].name || entry.name() == PAINTS[1].name) continue;
            if (name.empty()) name = entry.name();
            if (entry.grid->getGridClass() != openvdb::GRID_LEVEL_SET) continue;
            name = entry.name();
            return FIRN_OK;
        }
        if (!name.empty()) return FIRN_OK;
        return firn_report_add(report, FIRN_REFUSED, "%s: there is no float grid in it that could be a surface; %s.",
                               path, file.contents().c_str());
    }

    template <class Pointer> firn_status load(firn::archive &file, const char *which, Pointer &loaded)
    {
        using Grid = typename Pointer::element_type;
        const firn::archive::entry *entry = file.find(which);
        if (entry->where.gridType() != Grid::gridType())
            return firn_report_add(report, FIRN_REFUSED, "%s: grid \"%s\" does not hold %s but %s; convert it.", path,
                                   which, Grid::gridType().c_str(), entry->where.gridType().c_str());
        loaded = openvdb::gridPtrCast<Grid>(file.load(*entry));
        return FIRN_OK;
    }
};

/* x = origin + voxel * index, the same voxel along all axes */
bool placement(const openvdb::math::Transform &transform, double &voxel, double origin[3])
{
    if (!transform.isLinear()) return false;
    openvdb::Mat4R m = transform.baseMap()->getAffineMap()->getMat4(); /* rows are images of the axes */
    voxel = m(0, 0);
    for (int i = 0; i < 3; i++) {
        origin[i] = m(3, i);
        for (int j = 0; j < 3; j++)
            if (std::abs(m(i, j) - (i == j ? voxel : 0)) > 1e-6 * std::abs(voxel)) return false;
    }
    return voxel > 0 && std::isfinite(voxel);
}

/* A fog's surface is where it has half of its largest value. */
FloatGrid::Ptr surface_of_fog(const FloatGrid &fog, float inner)
{
    float largest = 0;
    for (auto value = fog.cbeginValueOn(); value; ++value) largest = std::max(largest, *value);
    FloatGrid::Ptr below = fog.deepCopy();
    float half = 0.5f * largest;
    openvdb::tools::changeBackground(below->tree(), 0.0f);
    for (auto value = below->beginValueAll(); value; ++value) value.setValue(half - *value);
    openvdb::tools::changeBackground(below->tree(), half);
    below->setGridClass(openvdb::GRID_LEVEL_SET);
    return openvdb::tools::levelSetRebuild(*below, 0.0f, 4.0f, inner);
}

/* Values of a grid, of `n` numbers each, at the places of the volume's voxels */
template <class Grid> void fill_channels(const firn_volume &volume, int channel, int n, const Grid &grid, double scale)
{
    typename Grid::ConstAccessor accessor = grid.getConstAccessor();
    for (int64_t l = 0; l < volume.n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            const int cell[3] = {m >> 6, m >> 3 & 7, m & 7};
            openvdb::Vec3d x;
            for (int a = 0; a < 3; a++)
                x[a] = (volume.origin[a] + volume.voxel * (8.0 * volume.leaf_block[l][a] + cell[a])) / scale;
            auto value = accessor.getValue(openvdb::Coord::round(grid.worldToIndex(x)));
            const float *numbers = reinterpret_cast<const float *>(&value);
            for (int c = 0; c < n; c++)
                *firn_volume_at(&volume, l, (cell[0] * 9 + cell[1]) * 9 + cell[2], channel + c) = numbers[c];
        }
}

/* Numbers that are not finite would spread: the distance refuses them, paint and velocity as well. */
firn_status check_finite(const reader &r, const firn_volume &volume)
{
    for (int64_t l = 0; l < volume.n_leaves; l++)
        for (int c = 0; c < volume.n_channels; c++) {
            for (int n = 0; n < FIRN_LEAF_SIZE; n++)
                if (!std::isfinite(*firn_volume_at(&volume, l, n, c)))
                    return firn_report_add(r.report, FIRN_REFUSED, "%s: grid \"%s\" holds a value that is not finite.",
                                           r.path, c == 0 ? r.name.c_str() : "friction, stickiness or v");
        }
    return FIRN_OK;
}

firn_status read(const char *path, const char *wanted, double scale, double depth, firn_volume **volume,
                 firn_vdb_channels *channels, bool wants_velocity, firn_report *report)
{
    reader r;
    r.path = path, r.report = report;
    firn_status status = r.read(wanted, wants_velocity);
    if (status) return status;
    FloatGrid::Ptr grid = r.grid;
    double voxel, origin[3];
    if (grid->empty() || !placement(grid->transform(), voxel, origin))
        return firn_report_add(report, FIRN_REFUSED,
                               "%s: grid \"%s\" is empty, or its voxels are not cubes along the axes; resample it.",
                               path, r.name.c_str());
    double wanted_width = depth / (scale * voxel) + 1, width = grid->background() / voxel; /* voxels, inside */
    float inner = (float)std::min(std::max(4.0, wanted_width), 100.0);
    bool is_rebuilt = true;
    if (grid->getGridClass() != openvdb::GRID_LEVEL_SET)
        grid = surface_of_fog(*grid, inner);
    else if (width < wanted_width)
        grid = openvdb::tools::levelSetRebuild(*grid, 0.0f, (float)std::max(width, 3.0), inner);
    else
        is_rebuilt = false;
    int n_channels = 1, *paint[2] = {&channels->friction, &channels->stickiness};
    for (int i = 0; i < 2; i++)
        if (r.paints[i]) *paint[i] = n_channels++;
    if (r.velocity) channels->velocity = n_channels, n_channels += 3;
    for (double &o : origin) o *= scale;
    status = firn::volume_from_tree(grid->tree(), voxel * scale, origin, scale, n_channels, volume, report);
    if (status) return status;
    if (is_rebuilt) (*volume)->inner = inner * voxel * scale;
    for (int i = 0; i < 2; i++)
        if (r.paints[i]) fill_channels(**volume, *paint[i], 1, *r.paints[i], scale);
    if (r.velocity) fill_channels(**volume, channels->velocity, 3, *r.velocity, scale);
    for (int64_t l = 0; r.velocity && scale != 1 && l < (*volume)->n_leaves; l++)
        for (int n = 0; n < 3 * FIRN_LEAF_SIZE; n++)
            *firn_volume_at(*volume, l, n / 3, channels->velocity + n % 3) *= (float)scale;
    return check_finite(r, **volume);
}

} // namespace

extern "C" firn_status firn_vdb_read_volume(const char *path, const char *grid, double scale, double depth,
                                            int wants_velocity, int n_threads, firn_volume **volume,
                                            firn_vdb_channels *channels, firn_report *report)
{
    *volume = nullptr, *channels = {};
    std::string what = std::string(path) + " cannot be read";
    firn_status status = firn::guarded(report, what.c_str(), n_threads, [&] {
        return read(path, grid, scale, depth, volume, channels, wants_velocity != 0, report);
    });
    if (status && *volume) {
        firn_volume_destroy(*volume);
        *volume = nullptr;
    }
    return status;
}
