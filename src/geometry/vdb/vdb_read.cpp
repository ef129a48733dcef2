// SPDX-License-Identifier: MIT
// vdb_read.cpp: .vdb files to distance fields, behind vdb.h.
//
// Grids arrive from the child process that reads the file (vdb_grids.hpp). Here they are held
// against what a surface may be, put along the axes, made deep enough, and become a firn_sdf.
#include "geometry/vdb/vdb.h"
#include "geometry/vdb/vdb_grids.hpp"
#include "geometry/vdb/vdb_guard.hpp"
#include "geometry/vdb/vdb_volume.hpp"
#include "geometry/sdf/sdf_extrapolate.h"

#include <openvdb/tools/LevelSetRebuild.h>
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <string>

namespace
{

using openvdb::FloatGrid;

struct reader : firn::vdb_grids {
    const char *path;
    firn_messages *messages;
    size_t most; // --max-memory, bytes; 0: not given
};

/* ---------------------------------------------------------------- is it a surface */

// Refuses the first active value outside of least ... most, and NaN.
firn_status check_values(const reader &r, const char *name, const FloatGrid &grid, float least,
                         float most)
{
    for (auto value = grid.cbeginValueOn(); value; ++value) {
        if (*value >= least && *value <= most) continue;
        openvdb::Coord c = value.getCoord();
        openvdb::Vec3d x = grid.indexToWorld(c);
        if (!std::isfinite(*value))
            return firn_messages_add(r.messages, FIRN_REFUSED,
                                     "%s: grid \"%s\" holds a value that is not finite (%g) at "
                                     "voxel (%d, %d, %d), x = (%g, %g, %g) m",
                                     r.path, name, *value, c[0], c[1], c[2], x[0], x[1], x[2]);
        return firn_messages_add(r.messages, FIRN_REFUSED,
                                 "%s: grid \"%s\" holds %g at voxel (%d, %d, %d), x = (%g, %g, %g) "
                                 "m; allowed: %g to %g",
                                 r.path, name, *value, c[0], c[1], c[2], x[0], x[1], x[2], least,
                                 most);
    }
    return FIRN_OK;
}

// Level set or fog, as the file says. Where it does not: a level set has values below 0, inside,
// and the width of its band as background; a fog has no value below 0 and the background 0.
firn_status find_class(const reader &r, bool &is_fog)
{
    is_fog = r.surface->getGridClass() == openvdb::GRID_FOG_VOLUME;
    if (is_fog || r.surface->getGridClass() == openvdb::GRID_LEVEL_SET) return FIRN_OK;
    r.surface->setGridClass(
        openvdb::GRID_LEVEL_SET); // OpenVDB's tools want it, also of a fog's copy
    float background = r.surface->background(), least = 0;
    for (auto value = r.surface->cbeginValueOn(); value; ++value) least = std::min(least, *value);
    is_fog = !(least < 0);
    if (is_fog ? background == 0 : background > 0) {
        firn_messages_warn(r.messages,
                           "%s: grid \"%s\" has no class; it is read as a %s (%s values below 0, "
                           "background %g)",
                           r.path, r.name.c_str(), is_fog ? "fog" : "level set",
                           is_fog ? "no" : "active", background);
        return FIRN_OK;
    }
    return firn_messages_add(
        r.messages, FIRN_REFUSED,
        "%s: grid \"%s\" has no class and is neither a level set (values below 0, background above "
        "0) nor a fog (no value below 0, background 0): its least value is %g, its background %g; "
        "try: class \"level set\" or \"fog volume\"",
        r.path, r.name.c_str(), least, background);
}

constexpr double MAX_WIDTH = 100;      // of a band to one side, voxels
constexpr double MAX_BLOCKS = 1 << 27; // as in sdf.c: of 8^3 voxels, in the box of all active ones
// bytes in a firn_sdf and, with OpenVDB's own copy, for an active voxel
constexpr double BYTES_OF_BLOCK = 6, BYTES_OF_VOXEL = 8;

// n_wanted: voxels from the outer to the inner end of the band; width: of the band that is there,
// to one side. A level set that is made deeper takes a column for each voxel of its surface.
firn_status check_size(const reader &r, bool is_fog, double width, double n_wanted, bool is_rebuilt)
{
    double n = (double)r.surface->activeVoxelCount(), n_blocks = 1;
    openvdb::Coord dim = r.surface->evalActiveVoxelBoundingBox().dim();
    for (int a = 0; a < 3; a++) n_blocks *= dim[a] / 8 + 3;
    if (n_blocks > MAX_BLOCKS)
        return firn_messages_add(r.messages, FIRN_REFUSED,
                                 "%s: the box of grid \"%s\" has %d x %d x %d voxels; allowed: at "
                                 "most %.3g; try: larger voxels, or without what lies far off",
                                 r.path, r.name.c_str(), dim[0], dim[1], dim[2], MAX_BLOCKS * 512);
    firn_status status = is_fog ? firn::check_fog(n, r.name, r.path, r.messages) : FIRN_OK;
    if (status) return status;
    const bool is_deepened = is_rebuilt && !is_fog;
    const double needed = is_deepened ? n / (2 * std::max(width, 1.0)) * n_wanted : n;
    if (is_deepened && needed > firn::MAX_NUMBERS)
        return firn_messages_add(r.messages, FIRN_REFUSED,
                                 "%s: grid \"%s\" has %.0f active voxels, and about %.2g with the "
                                 "band of %.0f voxels that nodes below the surface, or walls, "
                                 "need; allowed: at most %.2g; try: larger voxels",
                                 r.path, r.name.c_str(), n, needed, n_wanted, firn::MAX_NUMBERS);
    const double n_bytes = BYTES_OF_BLOCK * n_blocks + BYTES_OF_VOXEL * needed;
    if (!r.most || n_bytes <= (double)r.most) return FIRN_OK;
    return firn_messages_add(r.messages, FIRN_MEMORY,
                             "%s: grid \"%s\" takes about %.4g MiB as distance field, more than "
                             "--max-memory (%.4g MiB); try: larger voxels, or a higher "
                             "--max-memory",
                             r.path, r.name.c_str(), n_bytes / (1 << 20),
                             (double)r.most / (1 << 20));
}

/* ---------------------------------------------------------------- where it is */

// x = origin + voxel * index, m. Index i runs along the axis axes[i], from high to low where
// signs[i] is -1.
struct placement {
    double voxel, origin[3];
    int axes[3], signs[3];
    bool is_turned() const
    {
        return axes[0] != 0 || axes[1] != 1 || signs[0] < 0 || signs[1] < 0 || signs[2] < 0;
    }
};

// Null, or why a transform is none of these.
const char *find_placement(const openvdb::math::Transform &transform, placement &p)
{
    if (!transform.isLinear()) return "its voxels widen with their distance from a camera";
    openvdb::Mat4R m =
        transform.baseMap()->getAffineMap()->getMat4(); /* rows are images of the axes */
    double length[3], along[3];
    for (int i = 0; i < 3; i++) {
        length[i] = m.row(i).length();
        p.origin[i] = m(3, i);
        for (int j = 0; j < 3; j++)
            if (j == 0 || std::abs(m(i, j)) > std::abs(m(i, p.axes[i]))) p.axes[i] = j;
        along[i] = std::abs(m(i, p.axes[i]));
        p.signs[i] = m(i, p.axes[i]) < 0 ? -1 : 1;
    }
    p.voxel = length[0];
    double slack = 1e-6 * p.voxel;
    if (!(p.voxel > 0 && std::isfinite(p.voxel))) return "its voxels have no size";
    for (int i = 1; i < 3; i++)
        if (!(std::abs(length[i] - p.voxel) <= slack)) return "its voxels are not cubes";
    for (int i = 0; i < 3; i++)
        if (p.voxel - along[i] > slack || p.axes[i] == p.axes[(i + 1) % 3])
            return "it is turned by other than right angles, or skewed";
    return nullptr;
}

// The same grid with indices that run along the axes. Mirrored ones begin at -1, so that tiles
// stay tiles.
FloatGrid::Ptr straighten(const FloatGrid &grid, placement &p)
{
    FloatGrid::Ptr straight = FloatGrid::create(grid.background());
    FloatGrid::Accessor accessor = straight->getAccessor();
    for (auto value = grid.cbeginValueAll(); value; ++value) {
        openvdb::CoordBBox box, to;
        value.getBoundingBox(box);
        for (int i = 0; i < 3; i++) {
            bool is_up = p.signs[i] > 0;
            to.min()[p.axes[i]] = is_up ? box.min()[i] : -1 - box.max()[i];
            to.max()[p.axes[i]] = is_up ? box.max()[i] : -1 - box.min()[i];
        }
        if (value.isVoxelValue())
            value.isValueOn() ? accessor.setValueOn(to.min(), *value)
                              : accessor.setValueOff(to.min(), *value);
        else if (value.isValueOn() || *value != grid.background())
            accessor.clear(), straight->fill(to, *value, value.isValueOn());
    }
    for (int i = 0; i < 3; i++)
        if (p.signs[i] < 0) p.origin[p.axes[i]] += p.voxel;
    openvdb::Mat4R m = openvdb::Mat4R::identity();
    for (int a = 0; a < 3; a++) m(a, a) = p.voxel, m(3, a) = p.origin[a];
    straight->setTransform(openvdb::math::Transform::createLinearTransform(m));
    straight->setGridClass(grid.getGridClass());
    return straight;
}

// A fog's surface is where it has half of its largest value.
FloatGrid::Ptr surface_of_fog(const FloatGrid &fog, float outer, float inner)
{
    float largest = 0;
    for (auto value = fog.cbeginValueOn(); value; ++value) largest = std::max(largest, *value);
    FloatGrid::Ptr below = fog.deepCopy();
    float half = 0.5f * largest;
    openvdb::tools::changeBackground(below->tree(), 0.0f);
    for (auto value = below->beginValueAll(); value; ++value) value.setValue(half - *value);
    openvdb::tools::changeBackground(below->tree(), half);
    below->setGridClass(openvdb::GRID_LEVEL_SET);
    return openvdb::tools::levelSetRebuild(*below, 0.0f, outer, inner);
}

/* ---------------------------------------------------------------- what it carries */

// The index of voxel m of a leaf
openvdb::Coord voxel_of(const firn_sdf &volume, int64_t l, int m)
{
    const int32_t *block = volume.leaf_block[l];
    return {8 * block[0] + (m >> 6), 8 * block[1] + (m >> 3 & 7), 8 * block[2] + (m & 7)};
}

float *value_of(const firn_sdf &volume, int64_t l, int m, int channel)
{
    return firn_sdf_at(&volume, l, ((m >> 6) * 9 + (m >> 3 & 7)) * 9 + (m & 7), channel);
}

// Velocities mostly lie in a thin band about the surface, and the field may be deeper: a voxel
// without one gets that of its neighbours.
firn_status fill_velocity(firn_sdf &volume, int channel, const openvdb::Vec3SGrid &grid,
                          double scale, firn_messages *messages)
{
    auto accessor = grid.getConstAccessor();
    openvdb::Vec3d origin(volume.origin);
    for (int64_t l = 0; l < volume.n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            openvdb::Vec3d x = (origin + volume.voxel * voxel_of(volume, l, m).asVec3d()) / scale;
            openvdb::Vec3s v;
            bool is_on = accessor.probeValue(openvdb::Coord::round(grid.worldToIndex(x)), v);
            for (int c = 0; c < 3; c++)
                *value_of(volume, l, m, channel + c) = !is_on             ? NAN
                                                       : std::isnan(v[c]) ? INFINITY
                                                                          : v[c] * (float)scale;
        }
    return firn_sdf_extrapolate(&volume, channel, 3, INT_MAX, messages);
}

// Active voxels are painted, the others are NaN: the collider's own value. Paint mostly lies in a
// thin band about the surface, and the field may be deeper: a voxel without paint of its own has
// that of the nearest point of the surface,
//     x - d(x) grad d / |grad d|,
// unless the gradient, central differences of d, is far from a distance's (cut off, or an edge).
void fill_paint(const firn_sdf &volume, int channel, const FloatGrid &paint,
                const FloatGrid &distance, double scale)
{
    auto accessor = paint.getConstAccessor();
    auto depth = distance.getConstAccessor();
    openvdb::Vec3d origin(volume.origin);
    const double voxel = volume.voxel / scale; // in the file's units
    auto probe = [&](const openvdb::Vec3d &index, float &value) {
        openvdb::Vec3d x = (origin + volume.voxel * index) / scale;
        return accessor.probeValue(openvdb::Coord::round(paint.worldToIndex(x)), value);
    };
    for (int64_t l = 0; l < volume.n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            openvdb::Coord c = voxel_of(volume, l, m);
            float value;
            bool is_painted = probe(c.asVec3d(), value);
            if (!is_painted) {
                openvdb::Vec3d up; // a voxel times the gradient
                for (int a = 0; a < 3; a++) {
                    openvdb::Coord step(a == 0, a == 1, a == 2);
                    up[a] = 0.5 * (depth.getValue(c + step) - depth.getValue(c - step));
                }
                double length = up.length();
                double n_voxels = depth.getValue(c) / voxel;
                if (length > 0.5 * voxel)
                    is_painted = probe(c.asVec3d() - n_voxels * up / length, value);
            }
            *value_of(volume, l, m, channel) = is_painted ? value : NAN;
        }
}

// Distances and velocities; check_values has seen to paint.
firn_status check_finite(const reader &r, const firn_sdf &volume, int velocity)
{
    for (int64_t l = 0; l < volume.n_leaves; l++)
        for (int m = 0; m < 512; m++)
            for (int c = 0; c < volume.n_channels; c++)
                if ((c == 0 || (velocity && c >= velocity)) &&
                    !std::isfinite(*value_of(volume, l, m, c)))
                    return firn_messages_add(r.messages, FIRN_REFUSED,
                                             "%s: grid \"%s\" holds a value that is not finite",
                                             r.path, c == 0 ? r.name.c_str() : "v");
    return FIRN_OK;
}

/* ---------------------------------------------------------------- all of it */

firn_status check(const reader &r, bool &is_fog, placement &p)
{
    const char *name = r.name.c_str();
    if (r.surface->empty())
        return firn_messages_add(r.messages, FIRN_REFUSED, "%s: grid \"%s\" is empty", r.path,
                                 name);
    const char *why = find_placement(r.surface->transform(), p);
    if (why)
        return firn_messages_add(r.messages, FIRN_REFUSED,
                                 "%s: grid \"%s\" does not lie along the axes with cubes as "
                                 "voxels: %s; try: resample it",
                                 r.path, name, why);
    firn_status status = check_values(r, name, *r.surface, -FLT_MAX, FLT_MAX);
    for (int i = 0; i < 2 && !status; i++)
        if (r.paints[i])
            status = check_values(r, firn::PAINTS[i].name, *r.paints[i], 0, firn::PAINTS[i].max);
    if (!status) status = find_class(r, is_fog);
    if (status || is_fog) return status;
    // no distance is longer than the box of all active voxels, and what lies around it
    const double diagonal = r.surface->evalActiveVoxelBoundingBox().dim().asVec3d().length();
    const float most = (float)(p.voxel * (diagonal + 1000));
    return check_values(r, name, *r.surface, -most, most);
}

// The band that is wanted, in voxels: `inner` below the surface and `outer` above it.
struct band {
    double width; // of the one that is there, to one side
    double height, inner, outer;
    bool is_rebuilt; // made anew, as it is narrower than wanted or of a fog
};

// depth, height: see firn_vdb_read_volume.
firn_status find_band(const reader &r, const placement &p, bool is_fog, double scale, double depth,
                      double height, band &b)
{
    const double depth_wanted = depth / (scale * p.voxel) + 1;
    b.width = r.surface->background() / p.voxel;
    b.height = height > 0 ? height / (scale * p.voxel) + 2 : 0;
    if (b.height > MAX_WIDTH)
        return firn_messages_add(r.messages, FIRN_REFUSED,
                                 "%s: half the thickness is %.3g voxels; allowed: at most %g; try: "
                                 "larger voxels, or a thinner wall",
                                 r.path, b.height - 2, MAX_WIDTH - 2);
    b.inner = std::min(std::max(4.0, depth_wanted), MAX_WIDTH);
    b.outer = std::max({b.width, 3.0, b.height});
    b.is_rebuilt = is_fog || b.width < depth_wanted || b.width < b.height;
    return check_size(r, is_fog, b.width, b.inner + b.outer, b.is_rebuilt);
}

firn_status fill_channels(const reader &r, double scale, const firn_vdb_channels &channels,
                          firn_sdf &volume)
{
    const int painted[2] = {channels.friction, channels.stickiness};
    for (int i = 0; i < 2; i++)
        if (r.paints[i]) fill_paint(volume, painted[i], *r.paints[i], *r.surface, scale);
    firn_status status = check_finite(r, volume, 0);
    if (status || !r.velocity) return status;
    status = fill_velocity(volume, channels.velocity, *r.velocity, scale, r.messages);
    return status ? status : check_finite(r, volume, channels.velocity);
}

firn_status convert(reader r, double scale, double depth, double height, firn_sdf **volume,
                    firn_vdb_channels *channels)
{
    placement p;
    band b = {};
    bool is_fog = false;
    firn_status status = check(r, is_fog, p);
    if (!status) status = find_band(r, p, is_fog, scale, depth, height, b);
    if (status) return status;
    if (p.is_turned()) r.surface = straighten(*r.surface, p);
    if (is_fog)
        r.surface = surface_of_fog(*r.surface, (float)std::max(4.0, b.height), (float)b.inner);
    else if (b.is_rebuilt)
        r.surface =
            openvdb::tools::levelSetRebuild(*r.surface, 0.0f, (float)b.outer, (float)b.inner);
    if (r.surface->tree().leafCount() == 0)
        return firn_messages_add(r.messages, FIRN_REFUSED, "%s: grid \"%s\" has no surface", r.path,
                                 r.name.c_str());
    int n_channels = 1;
    if (r.paints[0]) channels->friction = n_channels++;
    if (r.paints[1]) channels->stickiness = n_channels++;
    if (r.velocity) {
        channels->velocity = n_channels;
        n_channels += 3;
    }
    for (double &o : p.origin) o *= scale;
    status = firn::volume_from_tree(r.surface->tree(), p.voxel * scale, p.origin, scale, n_channels,
                                    volume, r.messages);
    if (status) return status;
    if (b.is_rebuilt) (*volume)->inner = b.inner * p.voxel * scale;
    return fill_channels(r, scale, *channels, **volume);
}

} // namespace

extern "C" firn_status firn_vdb_read_volume(const char *path, const char *grid, double scale,
                                            double depth, double height, int wants_velocity,
                                            size_t max_memory, int n_threads, firn_sdf **volume,
                                            firn_vdb_channels *channels, firn_messages *messages)
{
    reader r;
    *volume = nullptr;
    *channels = {};
    r.path = path;
    r.messages = messages;
    r.most = max_memory;
    firn_status status = firn::read_grids(path, grid, wants_velocity != 0, max_memory, r, messages);
    if (!status)
        status = firn::guarded(messages, path, n_threads, [&] {
            return convert(std::move(r), scale, depth, height, volume, channels);
        });
    if (status && *volume) {
        firn_sdf_destroy(*volume);
        *volume = nullptr;
    }
    return status;
}
