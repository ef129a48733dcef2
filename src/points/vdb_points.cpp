// SPDX-License-Identifier: MIT
// vdb_points.cpp: particles as OpenVDB points, behind vdb_points.h.
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

// ---------------------------------------------------------------- writing

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
                                 "%s: points without an attribute P have no place.", shown);
    for (int64_t i = 0; i < 3 * p.n; i++)
        if (!(std::abs(x[i]) < 1e9))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "%s: point %lld is at %g; .vdb needs places within 1e9 m.",
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
    status = firn::guarded(messages, path, " cannot be written", 0,
                           [&] { return write(temporary, path, p, has_points, messages); });
    if (status == FIRN_OK) return firn_file_publish(temporary, path, receipt, messages);
    firn_file_discard(temporary);
    return status;
}

// ---------------------------------------------------------------- reading

// The points' leaves and where each one's points go in the table.
struct source {
    std::vector<const points::PointDataTree::LeafNodeType *> leaves;
    std::vector<int64_t> first;
    std::vector<int64_t> rank; // of every point as it lies in the file; empty: as it lies

    explicit source(const points::PointDataTree &tree)
    {
        tree.getNodes(leaves);
        int64_t n = 0;
        for (const auto *leaf : leaves) first.push_back(n), n += (int64_t)leaf->pointCount();
        first.push_back(n);
    }
    int64_t n() const { return first.back(); }
    int64_t place(int64_t i) const { return rank.empty() ? i : rank[(size_t)i]; }
};

template <class Value, class Put>
void each_value(const source &s, const std::string &name, Put &&put)
{
    for (size_t l = 0; l < s.leaves.size(); l++) {
        points::AttributeHandle<Value, points::UnknownCodec> handle(
            s.leaves[l]->constAttributeArray(name));
        for (int64_t i = s.first[l]; i < s.first[l + 1]; i++)
            for (openvdb::Index k = 0; k < handle.stride(); k++)
                put(s.place(i), k, handle.get((openvdb::Index)(i - s.first[l]), k));
    }
}

void read_places(const source &s, const openvdb::math::Transform &transform, firn_attribute *to)
{
    for (size_t l = 0; l < s.leaves.size(); l++) {
        points::AttributeHandle<openvdb::Vec3f> P(s.leaves[l]->constAttributeArray("P"));
        for (auto it = s.leaves[l]->beginIndexOn(); it; ++it) {
            openvdb::Vec3d x =
                transform.indexToWorld(openvdb::Vec3d(P.get(*it)) + it.getCoord().asVec3d());
            for (int a = 0; a < 3; a++)
                to->data.f[3 * s.place(s.first[l] + (int64_t)*it) + a] = (float)x[a];
        }
    }
}

template <class From> void copy_floats(const source &s, const std::string &name, firn_attribute *to)
{
    each_value<From>(s, name, [&](int64_t i, openvdb::Index k, From x) {
        to->data.f[i * to->n_components + k] = (float)x;
    });
}

template <class From> void copy_ints(const source &s, const std::string &name, firn_attribute *to)
{
    each_value<From>(s, name, [&](int64_t i, openvdb::Index k, From x) {
        to->data.i[i * to->n_components + k] = (int32_t)x;
    });
}

template <class From, int N>
void copy_block(const source &s, const std::string &name, firn_attribute *to)
{
    each_value<From>(s, name, [&](int64_t i, openvdb::Index k, const From &x) {
        for (int c = 0; c < N; c++)
            to->data.f[i * to->n_components + (int)k * N + c] = (float)x.asPointer()[c];
    });
}

bool copy_words(const source &s, const std::string &name, firn_attribute *to)
{
    for (size_t l = 0; l < s.leaves.size(); l++) {
        points::StringAttributeHandle handle(
            s.leaves[l]->constAttributeArray(name),
            s.leaves[l]->attributeSet().descriptor().getMetadata());
        for (int64_t i = s.first[l]; i < s.first[l + 1]; i++)
            for (int k = 0; k < to->n_components; k++) {
                openvdb::Name word =
                    handle.get((openvdb::Index)(i - s.first[l]), (openvdb::Index)k);
                int at = firn_attribute_intern(to, word.c_str());
                if (at < 0) return false;
                to->data.i[s.place(i) * to->n_components + k] = at;
            }
    }
    return true;
}

// What an attribute of the file becomes in the table.
struct kind {
    const char *value; // OpenVDB's name of the type
    firn_attribute_type type;
    int each; // numbers in a value
    void (*copy)(const source &, const std::string &, firn_attribute *);
};
const kind kinds[] = {
    {"float", FIRN_ATTRIBUTE_FLOAT, 1, copy_floats<float>},
    {"double", FIRN_ATTRIBUTE_FLOAT, 1, copy_floats<double>},
    {"bool", FIRN_ATTRIBUTE_INT, 1, copy_ints<bool>},
    {"int8", FIRN_ATTRIBUTE_INT, 1, copy_ints<int8_t>},
    {"int16", FIRN_ATTRIBUTE_INT, 1, copy_ints<int16_t>},
    {"int32", FIRN_ATTRIBUTE_INT, 1, copy_ints<int32_t>},
    {"int64", FIRN_ATTRIBUTE_INT, 1, copy_ints<int64_t>},
    {"vec3s", FIRN_ATTRIBUTE_VECTOR, 3, copy_block<openvdb::Vec3s, 3>},
    {"vec3d", FIRN_ATTRIBUTE_VECTOR, 3, copy_block<openvdb::Vec3d, 3>},
    {"mat3s", FIRN_ATTRIBUTE_FLOAT, 9, copy_block<openvdb::math::Mat3s, 9>},
    {"mat3d", FIRN_ATTRIBUTE_FLOAT, 9, copy_block<openvdb::math::Mat3d, 9>},
};

firn_status read_attribute(const source &s, const std::string &name, firn_points *p,
                           const char *path, firn_messages *messages)
{
    const points::AttributeArray &first = s.leaves[0]->constAttributeArray(name);
    if (points::isGroup(first)) return FIRN_OK;
    for (const auto *leaf : s.leaves) /* what the file promises each leaf must hold */
        if (leaf->constAttributeArray(name).type() != first.type() ||
            leaf->constAttributeArray(name).stride() != first.stride() ||
            leaf->constAttributeArray(name).size() < leaf->pointCount())
            return firn_messages_add(messages, FIRN_IO,
                                     "%s: attribute %s is not the same everywhere.", path,
                                     name.c_str());
    bool is_word = points::isString(first);
    for (const kind &k : kinds) {
        if (!is_word && first.valueType() != k.value) continue;
        int n_components = (is_word ? 1 : k.each) * (int)first.stride();
        firn_attribute_type type = is_word                           ? FIRN_ATTRIBUTE_INDEX
                                   : n_components == 3               ? k.type
                                   : k.type == FIRN_ATTRIBUTE_VECTOR ? FIRN_ATTRIBUTE_FLOAT
                                                                     : k.type;
        firn_attribute *to = firn_points_add(p, name.c_str(), type, n_components);
        if (!to || (is_word && !copy_words(s, name, to)))
            return firn_messages_add(messages, FIRN_MEMORY,
                                     "%s: there is no memory for attribute %s.", path,
                                     name.c_str());
        if (!is_word) k.copy(s, name, to);
        return FIRN_OK;
    }
    firn_messages_warn(messages, "%s: attribute %s of type %s is passed over.", path, name.c_str(),
                       first.valueType().c_str());
    return FIRN_OK;
}

// Points in the order of their id, where each has one of its own.
void order_by_id(source &s)
{
    const auto &array = s.leaves[0]->attributeSet();
    if (array.find("id") == points::AttributeSet::INVALID_POS) return;
    std::vector<int64_t> id((size_t)s.n()), order((size_t)s.n());
    const std::string type = s.leaves[0]->constAttributeArray("id").valueType();
    if (type != "int32" && type != "int64") return;
    auto put = [&](int64_t i, openvdb::Index k, int64_t x) {
        if (k == 0) id[(size_t)i] = x;
    };
    type == "int32" ? each_value<int32_t>(s, "id", put) : each_value<int64_t>(s, "id", put);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return id[(size_t)a] < id[(size_t)b]; });
    s.rank.resize(order.size());
    for (size_t i = 0; i < order.size(); i++) s.rank[(size_t)order[i]] = (int64_t)i;
}

void read_details(const PointDataGrid &grid, firn_points *p)
{
    for (auto it = grid.beginMeta(); it != grid.endMeta(); ++it) {
        const std::string &name = it->first, type = it->second->typeName();
        static const char *const own[] = {
            "class", "creator", "is_local_space", "is_saved_as_half_float", "name", "vector_type"};
        if (name.compare(0, 5, "file_") == 0 ||
            std::find(std::begin(own), std::end(own), name) != std::end(own))
            continue;
        firn_attribute *a = nullptr;
        if (type == "float" &&
            (a = firn_points_add_detail(p, name.c_str(), FIRN_ATTRIBUTE_FLOAT, 1)))
            a->data.f[0] = grid.metaValue<float>(name);
        else if (type == "int32" &&
                 (a = firn_points_add_detail(p, name.c_str(), FIRN_ATTRIBUTE_INT, 1)))
            a->data.i[0] = grid.metaValue<int32_t>(name);
        else if (type == "vec3s" &&
                 (a = firn_points_add_detail(p, name.c_str(), FIRN_ATTRIBUTE_VECTOR, 3)))
            for (int c = 0; c < 3; c++) a->data.f[c] = grid.metaValue<openvdb::Vec3s>(name)[c];
        else if (type == "string" &&
                 (a = firn_points_add_detail(p, name.c_str(), FIRN_ATTRIBUTE_INDEX, 1)))
            firn_attribute_intern(a, grid.metaValue<std::string>(name).c_str());
    }
}

// Values of an attribute are looked up without a check, by the places and counts that stand in
// the file: all of them must be there, as many for each particle. A stride may be 2^32, which no
// table has room for.
const char *flaw_of(const points::AttributeArray *array)
{
    if (!array || !array->isDataLoaded()) return "its values are missing";
    if (!array->hasConstantStride() || array->stride() < 1 || array->stride() > 1000)
        return "it does not have 1 to 1000 values a particle, as many for each";
    size_t n = array->isUniform() ? 1 : (size_t)array->size() * array->stride();
    if (firn::room && firn::room(array->constDataAsByteArray()) < n * array->storageTypeSize())
        return "it has fewer values than there are particles";
    return nullptr;
}

firn_status check_leaf(const points::PointDataTree::LeafNodeType &leaf, const char *path,
                       firn_messages *messages)
{
    const points::AttributeSet &set = leaf.attributeSet();
    for (const auto &entry : set.descriptor().map()) {
        const char *flaw =
            flaw_of(entry.second < set.size() ? set.getConst(entry.second) : nullptr);
        if (flaw)
            return firn_messages_add(messages, FIRN_IO, "%s: attribute %s is damaged: %s.", path,
                                     entry.first.c_str(), flaw);
    }
    leaf.validateOffsets(); // throws with a sentence
    return FIRN_OK;
}

firn_status read_grid(const PointDataGrid &grid, const char *path, firn_points **out,
                      firn_messages *messages)
{
    source s(grid.tree());
    firn_status status = FIRN_OK;
    for (size_t l = 0; l < s.leaves.size() && !status; l++)
        status = check_leaf(*s.leaves[l], path, messages);
    if (status) return status;
    firn_points *p = *out = firn_points_create(s.n());
    firn_attribute *P = p ? firn_points_add(p, "P", FIRN_ATTRIBUTE_VECTOR, 3) : nullptr;
    if (!P)
        return firn_messages_add(messages, FIRN_MEMORY, "%s: there is no memory for its points.",
                                 path);
    read_details(grid, p);
    if (s.n() == 0) return FIRN_OK;
    order_by_id(s);
    read_places(s, grid.transform(), P);
    for (const auto &entry : s.leaves[0]->attributeSet().descriptor().map())
        if (status == FIRN_OK && entry.first != "P")
            status = read_attribute(s, entry.first, p, path, messages);
    return status;
}

// The first grid of points of a file.
firn_status take(firn::archive &file, const char *path, firn_points **out, firn_messages *messages)
{
    file.open(path);
    for (const auto &entry : file.entries)
        if (entry.where.gridType() == PointDataGrid::gridType())
            return read_grid(*openvdb::gridPtrCast<PointDataGrid>(file.load(entry)), path, out,
                             messages);
    return firn_messages_add(messages, FIRN_REFUSED, "%s: there are no points in it; %s.", path,
                             file.contents().c_str());
}

firn_status read(const char *path, firn_points **out, firn_messages *messages)
{
    size_t n_bytes = 0;
    firn::archive file;
    firn_status status = firn::file_length(path, &n_bytes, messages);
    return status ? status : firn::within(n_bytes, 0, path, messages, [&] {
        return take(file, path, out, messages);
    });
}

} // namespace

extern "C" firn_status firn_vdb_points_read(const char *path, firn_points **out,
                                            firn_messages *messages)
{
    *out = nullptr;
    firn_status status = firn::guarded(messages, path, " cannot be read", 0,
                                       [&] { return read(path, out, messages); });
    if (status == FIRN_OK) return status;
    firn_points_destroy(*out);
    *out = nullptr;
    return status;
}

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
