// SPDX-License-Identifier: MIT
// vdb_read.cpp: .vdb files to distance fields, behind vdb.h.
#include "geometry/vdb/vdb.h"
#include "geometry/vdb/vdb_archive.hpp"
#include "geometry/vdb/vdb_guard.hpp"
#include "geometry/vdb/vdb_volume.hpp"
#include "geometry/paint.h"
#include "geometry/sdf/sdf_extrapolate.h"

#include <openvdb/tools/LevelSetRebuild.h>
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <string>
#include <type_traits>

namespace
{

using openvdb::FloatGrid;

/* Grids that paint the surface, and their ranges. */
const struct {
    const char *name;
    float most; /* the least is 0 */
} PAINTS[2] = {{"friction", FIRN_MAX_FRICTION}, {"stickiness", (float)FIRN_MAX_STICKINESS}};

/* Numbers of 4 bytes that a grid may take while it is made a surface: the 4 GB that all distance
 * fields of a shape may have (sdf_sequence.c). A fog takes its own, their copy, distances and
 * what is made of these, for every active voxel. A level set that is made deeper takes a column
 * for every voxel of its surface. Counted before anything is made, and where the file says how
 * many there are, before they are read: a file of some hundred bytes can hold a region of 4096^3
 * voxels. */
constexpr double MAX_NUMBERS = 1 << 30, NUMBERS_OF_FOG = 4;

struct reader {
    const char *path;
    firn_messages *messages;
    std::string name; /* of the grid that is the surface */
    FloatGrid::Ptr grid, paints[2];
    openvdb::Vec3SGrid::Ptr velocity;

    firn_status read(const char *wanted, bool wants_velocity, size_t most)
    {
        size_t n_bytes = 0;
        firn::archive file;
        firn_status status = firn::file_length(path, &n_bytes, messages);
        return status ? status : firn::within(n_bytes, most, path, messages, [&] {
            return take(file, wanted, wants_velocity);
        });
    }

    firn_status take(firn::archive &file, const char *wanted, bool wants_velocity)
    {
        file.open(path);
        firn_status status = choose(file, wanted);
        if (!status) status = check_claim(*file.find(name)->grid);
        if (!status) status = load(file, name.c_str(), grid);
        for (int i = 0; i < 2 && !status; i++)
            if (file.find(PAINTS[i].name)) status = load(file, PAINTS[i].name, paints[i]);
        if (!status && wants_velocity && file.find("v")) status = load(file, "v", velocity);
        return status;
    }

    /* Could this grid be meant? Where none is named all level sets could, or else all float grids.
     */
    static bool is_meant(const firn::archive::entry &entry, const char *wanted, bool as_level_set)
    {
        if (wanted[0]) return entry.name() == wanted || entry.own_name() == wanted;
        if (entry.type() != "float" || entry.name() == PAINTS[0].name ||
            entry.name() == PAINTS[1].name)
            return false;
        return !as_level_set || entry.grid->getGridClass() == openvdb::GRID_LEVEL_SET;
    }

    /* The first grid by name that could be meant, with a warning where there are more. */
    firn_status choose(const firn::archive &file, const char *wanted)
    {
        std::string others;
        for (int as_level_set = 1; as_level_set >= 0 && name.empty(); as_level_set--)
            for (const auto &entry : file.entries) {
                if (!is_meant(entry, wanted, as_level_set)) continue;
                if (name.empty())
                    name = entry.own_name();
                else
                    others += (others.empty() ? "" : ", ") + entry.own_name();
            }
        if (!others.empty())
            firn_messages_warn(
                messages,
                "%s: grid \"%s\" is taken, but it could as well be %s; say which by `grid`.", path,
                name.c_str(), others.c_str());
        if (!name.empty()) return FIRN_OK;
        if (wanted[0])
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "%s: there is no grid \"%s\" in it; %s.", path, wanted,
                                     file.contents().c_str());
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: there is no float grid in it that could be a surface; %s.",
                                 path, file.contents().c_str());
    }

    firn_status check_fog(double n) const
    {
        if (n * NUMBERS_OF_FOG <= MAX_NUMBERS) return FIRN_OK;
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: grid \"%s\" is a fog of %.0f active voxels; at most %.0f can be made a surface. "
            "Resample it with larger voxels, or convert it to a level set.",
            path, name.c_str(), n, MAX_NUMBERS / NUMBERS_OF_FOG);
    }

    /* Writers note how many active voxels there are. One that notes too few is found out once
     * they are read. */
    firn_status check_claim(const openvdb::GridBase &described) const
    {
        using openvdb::GridBase;
        const auto claim =
            described.getMetadata<openvdb::Int64Metadata>(GridBase::META_FILE_VOXEL_COUNT);
        return claim && described.getGridClass() == openvdb::GRID_FOG_VOLUME
                   ? check_fog((double)claim->value())
                   : FIRN_OK;
    }

    template <class Pointer>
    firn_status load(firn::archive &file, const char *which, Pointer &loaded)
    {
        using Grid = typename Pointer::element_type;
        const firn::archive::entry *entry = file.find(which);
        const bool is_vector = std::is_same<Grid, openvdb::Vec3SGrid>::value;
        if (entry->where.gridType() != Grid::gridType())
            return firn_messages_add(
                messages, FIRN_REFUSED, "%s: grid \"%s\" holds %s, but %s are needed; convert it.",
                path, which, entry->type().c_str(),
                is_vector ? "vectors of single floats (vec3s)" : "single floats");
        loaded = openvdb::gridPtrCast<Grid>(file.load(*entry));
        return FIRN_OK;
    }
};

/* ---------------------------------------------------------------- is it a surface */

/* A grid's active values lie from `least` to `most`; else the first that does not, and where it is.
 */
firn_status check_values(const reader &r, const char *name, const FloatGrid &grid, float least,
                         float most)
{
    for (auto value = grid.cbeginValueOn(); value; ++value) {
        if (*value >= least && *value <= most) continue;
        openvdb::Coord c = value.getCoord();
        openvdb::Vec3d x = grid.indexToWorld(c);
        if (!std::isfinite(*value))
            return firn_messages_add(r.messages, FIRN_REFUSED,
                                     "%s: grid \"%s\" holds a value that is not finite: %g at "
                                     "voxel (%d, %d, %d), which is "
                                     "at (%g, %g, %g).",
                                     r.path, name, *value, c[0], c[1], c[2], x[0], x[1], x[2]);
        return firn_messages_add(
            r.messages, FIRN_REFUSED,
            "%s: grid \"%s\" holds %g at voxel (%d, %d, %d), which is at (%g, %g, %g); %g to %g is "
            "allowed.",
            r.path, name, *value, c[0], c[1], c[2], x[0], x[1], x[2], least, most);
    }
    return FIRN_OK;
}

/* Level set or fog, as the file says. Where it does not: a level set has values below 0, inside,
 * and the width of its band as background; a fog has no value below 0 and the background 0. */
firn_status find_class(const reader &r, bool &is_fog)
{
    is_fog = r.grid->getGridClass() == openvdb::GRID_FOG_VOLUME;
    if (is_fog || r.grid->getGridClass() == openvdb::GRID_LEVEL_SET) return FIRN_OK;
    r.grid->setGridClass(
        openvdb::GRID_LEVEL_SET); /* for OpenVDB's tools; a fog's copy gets the same */
    float background = r.grid->background(), least = 0;
    for (auto value = r.grid->cbeginValueOn(); value; ++value) least = std::min(least, *value);
    is_fog = !(least < 0);
    if (is_fog ? background == 0 : background > 0) {
        firn_messages_warn(r.messages,
                           "%s: the class of grid \"%s\" is not set; it is taken for a %s, as it "
                           "has %s values below 0 and "
                           "the background %g.",
                           r.path, r.name.c_str(), is_fog ? "fog" : "level set",
                           is_fog ? "no" : "active", background);
        return FIRN_OK;
    }
    return firn_messages_add(
        r.messages, FIRN_REFUSED,
        "%s: the class of grid \"%s\" is not set, and it is neither a level set (values below 0 "
        "and a "
        "background above 0) nor a fog (none below 0, background 0): its least value is %g, its "
        "background %g. Set its class to \"level set\" or \"fog volume\".",
        r.path, r.name.c_str(), least, background);
}

constexpr double MAX_WIDTH = 100; /* of a band to one side, voxels */
constexpr double MAX_BLOCKS =
    1 << 27; /* as in sdf.c: of 8^3 voxels, in the box around all that is active */

firn_status check_size(const reader &r, bool is_fog, double width, double wanted, bool is_rebuilt)
{
    double n = (double)r.grid->activeVoxelCount(), blocks = 1;
    openvdb::Coord dim = r.grid->evalActiveVoxelBoundingBox().dim();
    for (int a = 0; a < 3; a++) blocks *= dim[a] / 8 + 3;
    if (blocks > MAX_BLOCKS)
        return firn_messages_add(r.messages, FIRN_REFUSED,
                                 "%s: the box of grid \"%s\" has %d x %d x %d voxels; at most %.3g "
                                 "are allowed. Resample it "
                                 "with larger voxels, or remove what lies far off.",
                                 r.path, r.name.c_str(), dim[0], dim[1], dim[2], MAX_BLOCKS * 512);
    firn_status status = is_fog ? r.check_fog(n) : FIRN_OK;
    if (status) return status;
    double needed = n / (2 * std::max(width, 1.0)) * wanted;
    if (is_fog || !is_rebuilt || needed <= MAX_NUMBERS) return FIRN_OK;
    return firn_messages_add(r.messages, FIRN_REFUSED,
                             "%s: grid \"%s\" has %.0f active voxels; with a band of %.0f voxels, "
                             "as nodes below the surface or "
                             "walls need it, it would have about %.2g, and %.2g are allowed. "
                             "Resample it with larger voxels.",
                             r.path, r.name.c_str(), n, wanted, needed, MAX_NUMBERS);
}

/* ---------------------------------------------------------------- where it is */

/* x = origin + voxel * index, index i along the axis axes[i], where signs[i] is -1 from high to
 * low. Null, or why it is not so. */
struct placement {
    double voxel, origin[3];
    int axes[3], signs[3];
    bool is_turned() const
    {
        return axes[0] != 0 || axes[1] != 1 || signs[0] < 0 || signs[1] < 0 || signs[2] < 0;
    }
};

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

/* The same with indices that run along the axes. Mirrored ones begin at -1, so that tiles stay
 * tiles. */
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

/* A fog's surface is where it has half of its largest value. */
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

/* The index of voxel m of a leaf, and where it lies. */
openvdb::Coord voxel_of(const firn_sdf &volume, int64_t l, int m)
{
    const int32_t *block = volume.leaf_block[l];
    return {8 * block[0] + (m >> 6), 8 * block[1] + (m >> 3 & 7), 8 * block[2] + (m & 7)};
}

float *value_of(const firn_sdf &volume, int64_t l, int m, int channel)
{
    return firn_sdf_at(&volume, l, ((m >> 6) * 9 + (m >> 3 & 7)) * 9 + (m & 7), channel);
}

/* Mostly only a thin band about the surface has velocities, and the field may be deeper: a voxel
 * without one has that of its neighbours. */
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

/* Painted is what is active; everything else is NaN: the collider's own. Paint mostly lies in a
 * thin band about the surface, and the field may be deeper: a voxel without paint of its own has
 * that of the nearest place of the surface. */
void fill_paint(const firn_sdf &volume, int channel, const FloatGrid &paint,
                const FloatGrid &distance, double scale)
{
    auto accessor = paint.getConstAccessor();
    auto depth = distance.getConstAccessor();
    openvdb::Vec3d origin(volume.origin);
    auto look = [&](const openvdb::Vec3d &index, float &value) {
        openvdb::Vec3d x = (origin + volume.voxel * index) / scale;
        return accessor.probeValue(openvdb::Coord::round(paint.worldToIndex(x)), value);
    };
    for (int64_t l = 0; l < volume.n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            openvdb::Coord c = voxel_of(volume, l, m);
            float value;
            bool is_painted = look(c.asVec3d(), value);
            if (!is_painted) {
                openvdb::Vec3d up;
                for (int a = 0; a < 3; a++) {
                    openvdb::Coord step(a == 0, a == 1, a == 2);
                    up[a] = 0.5 * (depth.getValue(c + step) - depth.getValue(c - step));
                }
                /* of a distance: the voxel; less where it is cut off or has an edge */
                double length = up.length();
                double way = depth.getValue(c) / (volume.voxel / scale);
                if (length > 0.5 * volume.voxel / scale)
                    is_painted = look(c.asVec3d() - way * up / length, value);
            }
            *value_of(volume, l, m, channel) = is_painted ? value : NAN;
        }
}

/* Numbers that are not finite would spread. Those of paint were looked at. */
firn_status check_finite(const reader &r, const firn_sdf &volume, int velocity)
{
    for (int64_t l = 0; l < volume.n_leaves; l++)
        for (int m = 0; m < 512; m++)
            for (int c = 0; c < volume.n_channels; c++)
                if ((c == 0 || (velocity && c >= velocity)) &&
                    !std::isfinite(*value_of(volume, l, m, c)))
                    return firn_messages_add(r.messages, FIRN_REFUSED,
                                             "%s: grid \"%s\" holds a value that is not finite.",
                                             r.path, c == 0 ? r.name.c_str() : "v");
    return FIRN_OK;
}

/* ---------------------------------------------------------------- all of it */

firn_status check(reader &r, bool &is_fog, placement &p)
{
    const char *name = r.name.c_str();
    if (r.grid->empty())
        return firn_messages_add(r.messages, FIRN_REFUSED, "%s: grid \"%s\" is empty.", r.path,
                                 name);
    const char *why = find_placement(r.grid->transform(), p);
    if (why)
        return firn_messages_add(
            r.messages, FIRN_REFUSED,
            "%s: grid \"%s\" does not lie along the axes with cubes as voxels: %s. Resample it.",
            r.path, name, why);
    firn_status status = check_values(r, name, *r.grid, -FLT_MAX, FLT_MAX);
    for (int i = 0; i < 2 && !status; i++)
        if (r.paints[i]) status = check_values(r, PAINTS[i].name, *r.paints[i], 0, PAINTS[i].most);
    if (!status) status = find_class(r, is_fog);
    if (status || is_fog) return status;
    /* no distance is longer than the box of all that is active, and what lies around it */
    const float most =
        (float)(p.voxel * (r.grid->evalActiveVoxelBoundingBox().dim().asVec3d().length() + 1000));
    return check_values(r, name, *r.grid, -most, most);
}

/* `depth` below the surface and, for walls, `height` above it, m: as far distances are needed. */
firn_status read(const char *path, const char *wanted, double scale, double depth, double height,
                 firn_sdf **volume, firn_vdb_channels *channels, bool wants_velocity,
                 size_t max_memory, firn_messages *messages)
{
    reader r;
    placement p;
    bool is_fog = false;
    r.path = path, r.messages = messages;
    firn_status status = r.read(wanted, wants_velocity, max_memory);
    if (!status) status = check(r, is_fog, p);
    if (status) return status;
    double wanted_width = depth / (scale * p.voxel) + 1,
           width = r.grid->background() / p.voxel; /* voxels, inside */
    double wanted_height = height > 0 ? height / (scale * p.voxel) + 2 : 0;
    if (wanted_height > MAX_WIDTH)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: half the thickness is %.3g of its voxels; at most %g are "
                                 "allowed. Resample it with "
                                 "larger voxels, or make the wall thinner.",
                                 path, wanted_height - 2, MAX_WIDTH - 2);
    double inner = std::min(std::max(4.0, wanted_width), MAX_WIDTH),
           outer = std::max({width, 3.0, wanted_height});
    bool is_rebuilt = is_fog || width < wanted_width || width < wanted_height;
    status = check_size(r, is_fog, width, inner + outer, is_rebuilt);
    if (status) return status;
    if (p.is_turned()) r.grid = straighten(*r.grid, p);
    if (is_fog)
        r.grid = surface_of_fog(*r.grid, (float)std::max(4.0, wanted_height), (float)inner);
    else if (is_rebuilt)
        r.grid = openvdb::tools::levelSetRebuild(*r.grid, 0.0f, (float)outer, (float)inner);
    int n_channels = 1, *paint[2] = {&channels->friction, &channels->stickiness};
    for (int i = 0; i < 2; i++)
        if (r.paints[i]) *paint[i] = n_channels++;
    if (r.velocity) channels->velocity = n_channels, n_channels += 3;
    if (r.grid->tree().leafCount() == 0)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: there is no surface in grid \"%s\".",
                                 path, r.name.c_str());
    for (double &o : p.origin) o *= scale;
    status = firn::volume_from_tree(r.grid->tree(), p.voxel * scale, p.origin, scale, n_channels,
                                    volume, messages);
    if (status) return status;
    if (is_rebuilt) (*volume)->inner = inner * p.voxel * scale;
    for (int i = 0; i < 2; i++)
        if (r.paints[i]) fill_paint(**volume, *paint[i], *r.paints[i], *r.grid, scale);
    status = check_finite(r, **volume, 0);
    if (!status && r.velocity) {
        status = fill_velocity(**volume, channels->velocity, *r.velocity, scale, messages);
        if (!status) status = check_finite(r, **volume, channels->velocity);
    }
    return status;
}

} // namespace

extern "C" firn_status firn_vdb_read_volume(const char *path, const char *grid, double scale,
                                            double depth, double height, int wants_velocity,
                                            size_t max_memory, int n_threads, firn_sdf **volume,
                                            firn_vdb_channels *channels, firn_messages *messages)
{
    *volume = nullptr, *channels = {};
    firn_status status = firn::guarded(messages, path, " cannot be read", n_threads, [&] {
        return read(path, grid, scale, depth, height, volume, channels, wants_velocity != 0,
                    max_memory, messages);
    });
    if (status && *volume) {
        firn_sdf_destroy(*volume);
        *volume = nullptr;
    }
    return status;
}
