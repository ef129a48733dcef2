// vdb_read.cpp: .vdb files to distance fields, behind vdb.h.
#include "vdb.h"
#include "vdb_guard.hpp"
#include "vdb_volume.hpp"

#include <openvdb/io/File.h>
#include <openvdb/tools/LevelSetRebuild.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <sys/stat.h>

namespace
{

using openvdb::FloatGrid;

struct reader {
    const char *path;
    firn_report *report;
    openvdb::io::File file;

    reader(const char *p, firn_report *r) : path(p), report(r), file(p) {}

    firn_status open()
    {
        struct stat info;
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
            return firn_report_add(report, FIRN_IO, "%s: there is no such file, or it is not an ordinary one.", path);
        openvdb::initialize();
        file.open(false); /* throws with a sentence when it is not a .vdb file */
        return FIRN_OK;
    }

    std::string names()
    {
        std::string all;
        for (auto name = file.beginName(); name != file.endName(); ++name)
            all += (all.empty() ? "" : ", ") + name.gridName() + " (" +
                   file.readGridMetadata(name.gridName())->valueType() + ")";
        return all;
    }

    bool has(const std::string &name) { return file.hasGrid(name); }

    /* The wanted grid, or the first level set, or the first float grid. */
    firn_status choose(const char *wanted, std::string &chosen)
    {
        if (wanted[0]) {
            if (!has(wanted))
                return firn_report_add(report, FIRN_REFUSED, "%s: there is no grid \"%s\" in it; there are: %s.", path,
                                       wanted, names().c_str());
            chosen = wanted;
            return FIRN_OK;
        }
        for (auto name = file.beginName(); name != file.endName(); ++name) {
            openvdb::GridBase::Ptr grid = file.readGridMetadata(name.gridName());
            if (grid->valueType() != "float" || name.gridName() == "friction" || name.gridName() == "stickiness")
                continue;
            if (chosen.empty()) chosen = name.gridName();
            if (grid->getGridClass() != openvdb::GRID_LEVEL_SET) continue;
            chosen = name.gridName();
            return FIRN_OK;
        }
        if (!chosen.empty()) return FIRN_OK;
        return firn_report_add(report, FIRN_REFUSED, "%s: there is no float grid in it; there are: %s.", path,
                               names().c_str());
    }

    FloatGrid::Ptr load(const std::string &name)
    {
        return openvdb::gridPtrCast<FloatGrid>(file.readGrid(name)); /* null for other types */
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

/* Values of a grid at the places of the volume's voxels */
void paint_channel(const firn_volume &volume, int channel, const FloatGrid &grid, double scale)
{
    FloatGrid::ConstAccessor accessor = grid.getConstAccessor();
    for (int64_t l = 0; l < volume.n_leaves; l++) {
        float *to = firn_volume_leaf(&volume, l, channel);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                for (int k = 0; k < 8; k++) {
                    const int cell[3] = {i, j, k};
                    openvdb::Vec3d x;
                    for (int a = 0; a < 3; a++)
                        x[a] = (volume.origin[a] + volume.voxel * (8.0 * volume.leaf_block[l][a] + cell[a])) / scale;
                    to[(i * 9 + j) * 9 + k] = accessor.getValue(openvdb::Coord::round(grid.worldToIndex(x)));
                }
    }
}

firn_status read(const char *path, const char *wanted, double scale, double depth, firn_volume **volume, int paint[2],
                 firn_report *report)
{
    reader r(path, report);
    std::string name;
    firn_status status = r.open();
    if (!status) status = r.choose(wanted, name);
    if (status) return status;
    FloatGrid::Ptr grid = r.load(name);
    if (!grid)
        return firn_report_add(report, FIRN_REFUSED, "%s: grid \"%s\" does not hold single floats; there are: %s.",
                               path, name.c_str(), r.names().c_str());
    double voxel, origin[3];
    if (grid->empty() || !placement(grid->transform(), voxel, origin))
        return firn_report_add(report, FIRN_REFUSED,
                               "%s: grid \"%s\" is empty, or its voxels are not cubes along the axes; resample it.",
                               path, name.c_str());
    double wanted_width = depth / (scale * voxel) + 1, width = grid->background() / voxel; /* voxels, inside */
    float inner = (float)std::min(std::max(4.0, wanted_width), 100.0);
    bool is_rebuilt = true;
    if (grid->getGridClass() != openvdb::GRID_LEVEL_SET)
        grid = surface_of_fog(*grid, inner);
    else if (width < wanted_width)
        grid = openvdb::tools::levelSetRebuild(*grid, 0.0f, (float)std::max(width, 3.0), inner);
    else
        is_rebuilt = false;
    FloatGrid::Ptr paints[2];
    int n_channels = 1;
    for (int i = 0; i < 2; i++) {
        const char *paint_name = i ? "stickiness" : "friction";
        if (r.has(paint_name)) paints[i] = r.load(paint_name);
        paint[i] = paints[i] ? n_channels++ : 0;
    }
    for (double &o : origin) o *= scale;
    status = firn::volume_from_tree(grid->tree(), voxel * scale, origin, scale, n_channels, volume, report);
    for (int64_t l = 0; !status && l < (*volume)->n_leaves; l++) {
        const float *d = firn_volume_leaf(*volume, l, 0);
        for (int n = 0; !status && n < FIRN_LEAF_SIZE; n++)
            if (!std::isfinite(d[n]))
                status = firn_report_add(report, FIRN_REFUSED, "%s: grid \"%s\" holds a value that is not finite.",
                                         path, name.c_str());
    }
    if (!status && is_rebuilt) (*volume)->inner = inner * voxel * scale;
    for (int i = 0; i < 2 && !status; i++)
        if (paints[i]) paint_channel(**volume, paint[i], *paints[i], scale);
    return status;
}

} // namespace

extern "C" firn_status firn_vdb_read_volume(const char *path, const char *grid, double scale, double depth,
                                            int n_threads, firn_volume **volume, int paint[2], firn_report *report)
{
    *volume = nullptr;
    paint[0] = paint[1] = 0;
    std::string what = std::string(path) + " cannot be read";
    firn_status status = firn::guarded(report, what.c_str(), n_threads,
                                       [&] { return read(path, grid, scale, depth, volume, paint, report); });
    if (status && *volume) {
        firn_volume_destroy(*volume);
        *volume = nullptr;
    }
    return status;
}
