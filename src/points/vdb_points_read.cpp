// SPDX-License-Identifier: MIT
// vdb_points_read.cpp: particles from .vdb files, behind vdb_points.h; vdb_points_write.cpp says
// what is in one. A child process reads the file (vdb_child.hpp) and sends the table:
//
//     n, attributes, details; each: name, type, number of components, values, words
#include "points/vdb_points.h"
#include "geometry/vdb/vdb_archive.hpp"
#include "geometry/vdb/vdb_transfer.hpp"

#include <openvdb/openvdb.h>
#include <openvdb/points/PointDataGrid.h>
#include <algorithm>
#include <malloc.h>
#include <numeric>
#include <string>
#include <vector>

namespace
{

namespace points = openvdb::points;
using points::PointDataGrid;

// The points' leaves and where each one's points go in the table.
struct source {
    std::vector<const points::PointDataTree::LeafNodeType *> leaves;
    std::vector<int64_t> first;
    std::vector<int64_t> rank; // of every point as it lies in the file; empty: as it lies

    explicit source(const points::PointDataTree &tree)
    {
        tree.getNodes(leaves);
        int64_t n = 0;
        for (const auto *leaf : leaves) {
            first.push_back(n);
            n += (int64_t)leaf->pointCount();
        }
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
            throw firn::damaged("attribute " + name + ": not of one type everywhere");
    bool is_word = points::isString(first);
    for (const kind &k : kinds) {
        if (!is_word && first.valueType() != k.value) continue;
        int n_components = (is_word ? 1 : k.each) * (int)first.stride();
        firn_attribute_type type = is_word                           ? FIRN_ATTRIBUTE_INDEX
                                   : n_components == 3               ? k.type
                                   : k.type == FIRN_ATTRIBUTE_VECTOR ? FIRN_ATTRIBUTE_FLOAT
                                                                     : k.type;
        if (name.empty() || name.size() >= sizeof p->attributes->name ||
            n_components > FIRN_POINTS_COMPONENTS_MAX)
            break;
        firn_attribute *to = firn_points_add(p, name.c_str(), type, n_components);
        if (!to || (is_word && !copy_words(s, name, to))) return FIRN_MEMORY;
        if (!is_word) k.copy(s, name, to);
        return FIRN_OK;
    }
    firn_messages_warn(messages, "%s: attribute %s (%s) is not supported; ignored", path,
                       name.c_str(), first.valueType().c_str());
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

// Values of an attribute are read by places and counts of the file without a check: all of them
// must be there, as many for each particle. A stride may be 2^32, which no table has room for.
const char *flaw_of(const points::AttributeArray *array, size_t n_points)
{
    if (!array || !array->isDataLoaded()) return "its values are missing";
    if (!array->hasConstantStride() || array->stride() < 1 || array->stride() > 1000)
        return "its values per particle are not 1 to 1000";
    if (array->size() != n_points) return "its number of values is not that of the particles";
    const size_t n = array->isUniform() ? 1 : (size_t)array->size() * array->stride();
    char *values = const_cast<char *>(array->constDataAsByteArray());
    if (malloc_usable_size(values) < n * array->storageTypeSize())
        return "it has fewer values than there are particles";
    return nullptr;
}

void check_leaf(const points::PointDataTree::LeafNodeType &leaf)
{
    const points::AttributeSet &set = leaf.attributeSet();
    leaf.validateOffsets(); // throws
    const size_t n = leaf.getLastValue();
    for (const auto &entry : set.descriptor().map()) {
        const char *flaw =
            flaw_of(entry.second < set.size() ? set.getConst(entry.second) : nullptr, n);
        if (flaw) throw firn::damaged("attribute " + entry.first + ": " + flaw);
    }
}

firn_status read_grid(const PointDataGrid &grid, const char *path, firn_points **out,
                      firn_messages *messages)
{
    source s(grid.tree());
    firn_status status = FIRN_OK;
    for (const auto *leaf : s.leaves) check_leaf(*leaf);
    firn::check_statistics(grid, grid.getName());
    firn_points *p = *out = firn_points_create(s.n());
    firn_attribute *P = p ? firn_points_add(p, "P", FIRN_ATTRIBUTE_VECTOR, 3) : nullptr;
    if (!P) return FIRN_MEMORY;
    read_details(grid, p);
    if (s.n() == 0) return FIRN_OK;
    order_by_id(s);
    read_places(s, grid.transform(), P);
    for (const auto &entry : s.leaves[0]->attributeSet().descriptor().map())
        if (status == FIRN_OK && entry.first != "P")
            status = read_attribute(s, entry.first, p, path, messages);
    return status;
}

// ---------------------------------------------------------------- from the child

void send_attribute(firn::outlet &out, const firn_attribute &a, int64_t n)
{
    const size_t each = a.type == FIRN_ATTRIBUTE_FLOAT || a.type == FIRN_ATTRIBUTE_VECTOR
                            ? sizeof *a.data.f
                            : sizeof *a.data.i;
    out.put(a.name, sizeof a.name);
    out.value((int32_t)a.type);
    out.value((int32_t)a.n_components);
    out.put(a.data.f, (size_t)n * (size_t)a.n_components * each);
    out.value((int32_t)a.n_strings);
    for (int i = 0; i < a.n_strings; i++) out.text(a.strings[i]);
}

void send(firn::outlet &out, const firn_points &p)
{
    out.value(p.n);
    out.value((int32_t)p.n_attributes);
    out.value((int32_t)p.n_details);
    for (int i = 0; i < p.n_attributes; i++) send_attribute(out, p.attributes[i], p.n);
    for (int i = 0; i < p.n_details; i++) send_attribute(out, p.details[i], 1);
}

void take_attribute(firn::inlet &in, firn_points *p, bool is_detail)
{
    char name[sizeof p->attributes->name];
    in.get(name, sizeof name);
    const auto type = (firn_attribute_type)in.value<int32_t>();
    const auto n_components = in.value<int32_t>();
    firn_attribute *a = is_detail ? firn_points_add_detail(p, name, type, n_components)
                                  : firn_points_add(p, name, type, n_components);
    if (!a) throw std::bad_alloc();
    static_assert(sizeof *a->data.f == sizeof *a->data.i, "an attribute has values of one size");
    in.get(a->data.f, (size_t)(is_detail ? 1 : p->n) * (size_t)n_components * sizeof *a->data.f);
    for (auto n = in.value<int32_t>(); n > 0; n--)
        if (firn_attribute_append(a, in.text().c_str()) < 0) throw std::bad_alloc();
}

firn_status take(firn::inlet &in, firn_points **out)
{
    const auto n = in.value<int64_t>();
    const auto n_attributes = in.value<int32_t>(), n_details = in.value<int32_t>();
    firn_points *p = *out = firn_points_create(n);
    if (!p) throw std::bad_alloc();
    for (int i = 0; i < n_attributes; i++) take_attribute(in, p, false);
    for (int i = 0; i < n_details; i++) take_attribute(in, p, true);
    return FIRN_OK;
}

// ---------------------------------------------------------------- all of it

bool has_points(const firn::archive::entry &entry)
{
    return entry.where.gridType() == PointDataGrid::gridType();
}

// The first grid of points of a file. In the child, where nothing is destroyed.
firn_status read_first(const char *path, size_t n_bytes, firn_points **out, firn_messages *messages)
{
    auto *file = new firn::archive;
    file->open(path, n_bytes);
    for (const auto &entry : file->entries)
        if (has_points(entry)) {
            auto *grid = new openvdb::GridBase::Ptr(file->load(entry));
            return read_grid(static_cast<const PointDataGrid &>(**grid), path, out, messages);
        }
    return firn_messages_add(messages, FIRN_REFUSED, "%s: no points in it (%s)", path,
                             file->contents().c_str());
}

// Whether a grid is of one of these types; then also whether it is what its file says.
template <class... Grids> bool check_if(const openvdb::GridBase &grid, const std::string &name)
{
    const auto check = [&](const auto *typed) {
        if (typed) firn::check_statistics(*typed, name);
        return typed != nullptr;
    };
    return (check(dynamic_cast<const Grids *>(&grid)) || ...);
}

firn_status read_every(const char *path, size_t n_bytes, firn_messages *messages)
{
    using namespace openvdb;
    auto *file = new firn::archive;
    file->open(path, n_bytes);
    for (const auto &entry : file->entries) {
        firn_points *points;
        auto *grid = new GridBase::Ptr(file->load(entry));
        firn_status status = FIRN_OK;
        if (has_points(entry))
            status = read_grid(static_cast<const PointDataGrid &>(**grid), path, &points, messages);
        else
            check_if<FloatGrid, DoubleGrid, Int32Grid, Int64Grid, BoolGrid, Vec3SGrid, Vec3DGrid>(
                **grid, entry.own_name());
        if (status) return status;
    }
    return FIRN_OK;
}

} // namespace

extern "C" firn_status firn_vdb_points_read_within(const char *path, uint64_t most,
                                                   firn_points **out, firn_messages *messages)
{
    firn_points *of_child = nullptr;
    *out = nullptr;
    const firn::child_work work = {
        [&](size_t n_bytes, firn_messages *to) { return read_first(path, n_bytes, &of_child, to); },
        [&](firn::outlet &to) { send(to, *of_child); }};
    const size_t limit = most < SIZE_MAX ? (size_t)most : 0;
    firn_status status = firn::read_in_child(path, limit, messages, work,
                                             [&](firn::inlet &in) { return take(in, out); });
    if (status == FIRN_OK) return status;
    firn_points_destroy(*out);
    *out = nullptr;
    return status;
}

extern "C" firn_status firn_vdb_points_read(const char *path, firn_points **out,
                                            firn_messages *messages)
{
    return firn_vdb_points_read_within(path, UINT64_MAX, out, messages);
}

extern "C" firn_status firn_vdb_points_check(const char *path, firn_messages *messages)
{
    const firn::child_work work = {
        [&](size_t n_bytes, firn_messages *to) { return read_every(path, n_bytes, to); },
        [](firn::outlet &) {}};
    return firn::read_in_child(path, 0, messages, work, [](firn::inlet &) { return FIRN_OK; });
}
