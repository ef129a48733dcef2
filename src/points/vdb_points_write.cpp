// SPDX-License-Identifier: MIT
// vdb_points_write.cpp: particles to .vdb files, behind vdb_points.h.
//
// A file holds the points as the grid "particles" and, for volume renderers, up to three grids
// made from them:
//
//     density   share of each voxel that the particles fill, spread trilinearly; a particle
//               fills its attribute volume, else the cube (2 pscale)^3, else an eighth of a
//               voxel
//     v         velocity averaged with the same weights, where the points have v
//     T         temperature, likewise
//
// A file .volumes.vdb has these grids alone, for programs that refuse whole files for the points
// in them.
//
// Voxels have the size of a cell (detail dx), else so that eight points share one. OpenVDB keeps
// points by voxel, not in order; where they have an id, reading puts them back in its order.
// Details are metadata of the points' grid. Floats in threes are Vec3s, in nines Mat3s, other
// numbers keep their count as a stride.
#include "points/vdb_points.h"
#include "geometry/vdb/vdb_archive.hpp"
#include "geometry/vdb/vdb_guard.hpp"

extern "C" {
#include "firn/defs.h"
#include "base/file.h"
#include "base/memory.h"
}

#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace
{

namespace points = openvdb::points;
using points::PointDataGrid;

// What OpenVDB wants to see of an array of values: size() and get().
struct places {
    using PosType = openvdb::Vec3d;
    using ValueType = openvdb::Vec3d;
    using value_type = openvdb::Vec3d;
    const float *data;
    size_t n;
    size_t size() const { return n; }
    void getPos(size_t i, openvdb::Vec3d &x) const
    {
        x = {data[3 * i], data[3 * i + 1], data[3 * i + 2]};
    }
    void get(openvdb::Vec3d &x, size_t i) const { getPos(i, x); }
    void get(openvdb::Vec3d &x, size_t i, openvdb::Index) const { getPos(i, x); }
};

template <class Value, class Number> struct numbers {
    using ValueType = Value;
    using value_type = Value;
    const Number *data;
    size_t n, n_components; // of a value and its stride together
    size_t size() const { return n; }
    void get(Value &value, size_t i) const { get(value, i, 0); }
    void get(Value &value, size_t i, openvdb::Index offset) const
    {
        constexpr size_t each = sizeof(Value) / sizeof(Number);
        std::copy_n(data + i * n_components + offset * each, each,
                    reinterpret_cast<Number *>(&value));
    }
};

struct words {
    using ValueType = openvdb::Name;
    using value_type = openvdb::Name;
    const firn_attribute *a;
    size_t n;
    size_t size() const { return n; }
    void get(openvdb::Name &value, size_t i) const { get(value, i, 0); }
    void get(openvdb::Name &value, size_t i, openvdb::Index offset) const
    {
        int at = a->data.i[i * (size_t)a->n_components + offset];
        value = at >= 0 && at < a->n_strings ? a->strings[at] : "";
    }
};

template <class Value, class Data, class Index>
void append(PointDataGrid &grid, const Index &index, const char *name, const Data &data,
            openvdb::Index stride)
{
    points::appendAttribute<Value>(grid.tree(), name, openvdb::zeroVal<Value>(), stride);
    points::populateAttribute(grid.tree(), index.tree(), name, data, stride);
}

template <class Index>
void append_attribute(PointDataGrid &grid, const Index &index, const firn_attribute &a, size_t n)
{
    size_t each = (size_t)a.n_components;
    auto stride = (openvdb::Index)each;
    if (a.type == FIRN_ATTRIBUTE_INDEX) {
        points::appendAttribute(grid.tree(), a.name, points::StringAttributeArray::attributeType(),
                                stride);
        points::populateAttribute(grid.tree(), index.tree(), a.name, words{&a, n}, stride);
    } else if (a.type == FIRN_ATTRIBUTE_INT)
        append<int32_t>(grid, index, a.name, numbers<int32_t, int32_t>{a.data.i, n, each}, stride);
    else if (each == 3)
        append<openvdb::Vec3s>(grid, index, a.name, numbers<openvdb::Vec3s, float>{a.data.f, n, 3},
                               1);
    else if (each == 9)
        append<openvdb::math::Mat3s>(grid, index, a.name,
                                     numbers<openvdb::math::Mat3s, float>{a.data.f, n, 9}, 1);
    else
        append<float>(grid, index, a.name, numbers<float, float>{a.data.f, n, each}, stride);
}

void insert_detail(PointDataGrid &grid, const firn_attribute &a)
{
    if (a.type == FIRN_ATTRIBUTE_INDEX) {
        int at = a.data.i[0];
        grid.insertMeta(a.name,
                        openvdb::StringMetadata(at >= 0 && at < a.n_strings ? a.strings[at] : ""));
    } else if (a.n_components == 3 && a.type == FIRN_ATTRIBUTE_VECTOR)
        grid.insertMeta(a.name, openvdb::Vec3SMetadata(openvdb::Vec3s(a.data.f)));
    else if (a.n_components == 1 && a.type == FIRN_ATTRIBUTE_INT)
        grid.insertMeta(a.name, openvdb::Int32Metadata(a.data.i[0]));
    else if (a.n_components == 1)
        grid.insertMeta(a.name, openvdb::FloatMetadata(a.data.f[0]));
}

const float *floats(const firn_points &p, const char *name, int n_components)
{
    const firn_attribute *a = firn_points_find(&p, name);
    bool is_float = a && (a->type == FIRN_ATTRIBUTE_FLOAT || a->type == FIRN_ATTRIBUTE_VECTOR);
    return is_float && a->n_components == n_components ? a->data.f : nullptr;
}

// A cell's edge, or what holds eight points on average; never so small that the points' box has
// no room in 2^30 voxels.
double voxel_of(const firn_points &p, const float *x)
{
    const firn_attribute *dx = firn_points_find_detail(&p, "dx");
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, volume = 1, longest = 0;
    for (int64_t i = 0; i < p.n; i++)
        for (int a = 0; a < 3; a++) {
            double here = x[3 * i + a];
            low[a] = i ? std::min(low[a], here) : here,
            high[a] = i ? std::max(high[a], here) : here;
        }
    for (int a = 0; a < 3; a++)
        longest = std::max({longest, high[a] - low[a], std::abs(low[a]), std::abs(high[a])});
    if (!(longest > 0)) longest = 1;
    for (int a = 0; a < 3; a++) volume *= std::max(high[a] - low[a], 1e-3 * longest);
    double voxel = p.n > 0 ? std::cbrt(8 * volume / (double)p.n) : 1;
    if (dx && dx->type == FIRN_ATTRIBUTE_FLOAT && dx->data.f[0] > 0) voxel = dx->data.f[0];
    return std::max(voxel, longest / (1 << 28));
}

// Sums over particles become means: each voxel's sum over its sum of weights.
template <class Grid> void divide(Grid &sums, const openvdb::FloatGrid &weights)
{
    auto weight = weights.getConstAccessor();
    for (auto it = sums.beginValueOn(); it; ++it) it.setValue(*it / weight.getValue(it.getCoord()));
}

// The grids density, v and T, see above.
openvdb::GridPtrVec volumes(const firn_points &p, const float *x, double voxel)
{
    const float *volume = floats(p, "volume", 1), *pscale = floats(p, "pscale", 1),
                *v = floats(p, "v", 3);
    const float *T = floats(p, "T", 1);
    auto share = openvdb::FloatGrid::create(0.0f), heat = openvdb::FloatGrid::create(0.0f);
    auto momentum = openvdb::Vec3SGrid::create(openvdb::Vec3s(0.0f));
    auto density = share->getAccessor(), warmth = heat->getAccessor();
    auto speed = momentum->getAccessor();
    for (int64_t i = 0; i < p.n; i++) {
        double cube = volume   ? volume[i]
                      : pscale ? std::pow(2.0 * pscale[i], 3)
                               : 0.125 * std::pow(voxel, 3);
        double fill = cube / std::pow(voxel, 3), f[3];
        openvdb::Coord at;
        for (int a = 0; a < 3; a++) {
            double u = x[3 * i + a] / voxel;
            at[a] = (int)std::floor(u), f[a] = u - at[a];
        }
        for (int corner = 0; corner < 8; corner++) {
            openvdb::Coord c = at;
            double w = fill;
            for (int a = 0; a < 3; a++)
                c[a] += corner >> a & 1, w *= corner >> a & 1 ? f[a] : 1 - f[a];
            if (!(w > 0)) continue;
            density.setValue(c, density.getValue(c) + (float)w);
            if (v) speed.setValue(c, speed.getValue(c) + (float)w * openvdb::Vec3s(v + 3 * i));
            if (T) warmth.setValue(c, warmth.getValue(c) + (float)w * T[i]);
        }
    }
    divide(*momentum, *share), divide(*heat, *share);
    for (auto it = share->beginValueOn(); it; ++it) it.setValue(std::min(*it, 1.0f));
    share->setName("density"), share->setGridClass(openvdb::GRID_FOG_VOLUME),
        share->setSaveFloatAsHalf(true);
    momentum->setName("v"), momentum->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    momentum->setSaveFloatAsHalf(true);
    heat->setName("T"); // whole floats: halves near 273 K are a quarter of a kelvin apart
    openvdb::GridPtrVec grids{share};
    if (v) grids.push_back(momentum);
    if (T) grids.push_back(heat);
    for (auto &grid : grids)
        grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel));
    return grids;
}

openvdb::GridBase::Ptr point_grid(const firn_points &p, const float *x, double voxel)
{
    openvdb::math::Transform::Ptr transform =
        openvdb::math::Transform::createLinearTransform(voxel);
    places P{x, (size_t)p.n};
    auto index =
        openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(P, *transform);
    auto grid =
        points::createPointDataGrid<points::NullCodec, PointDataGrid>(*index, P, *transform);
    grid->setName("particles");
    for (int a = 0; a < p.n_attributes && p.n > 0; a++)
        if (std::string(p.attributes[a].name) != "P")
            append_attribute(*grid, *index, p.attributes[a], (size_t)p.n);
    for (int a = 0; a < p.n_details; a++) insert_detail(*grid, p.details[a]);
    return grid;
}

firn_status write(const char *path, const char *shown, const firn_points &p, bool has_points,
                  firn_messages *messages)
{
    const float *x = floats(p, "P", 3);
    if (!x)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: attribute P (three floats) is missing", shown);
    for (int64_t i = 0; i < 3 * p.n; i++)
        if (!(std::abs(x[i]) < 1e9))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "%s: position of point %lld is %g m; allowed: within 1e9 m",
                                     shown, (long long)(i / 3), x[i]);
    openvdb::initialize();
    double voxel = voxel_of(p, x);
    openvdb::GridPtrVec grids = volumes(p, x, voxel);
    if (has_points) grids.insert(grids.begin(), point_grid(p, x, voxel));
    return firn::new_archive().put(path, shown, grids, messages);
}

firn_status publish(const char *path, const firn_points &p, bool has_points,
                    firn_file_receipt *receipt, firn_messages *messages)
{
    char temporary[FIRN_PATH + 64];
    firn_status status = firn_file_temporary(path, temporary, sizeof temporary, messages);
    if (status != FIRN_OK) return status;
    status = firn::guarded(messages, path, 0,
                           [&] { return write(temporary, path, p, has_points, messages); });
    if (status == FIRN_OK) return firn_file_publish(temporary, path, receipt, messages);
    firn_file_discard(temporary);
    return status;
}

} // namespace

extern "C" firn_status firn_vdb_points_write(const char *path, const firn_points *p,
                                             firn_file_receipt *receipt, firn_messages *messages)
{
    return publish(path, *p, true, receipt, messages);
}

extern "C" firn_status firn_vdb_volumes_write(const char *path, const firn_points *p,
                                              firn_file_receipt *receipt, firn_messages *messages)
{
    return publish(path, *p, false, receipt, messages);
}
