// SPDX-License-Identifier: MIT
// partio.cpp: a thin shim around Partio (partio.h). No exception
// leaves it; position is Partio's name for P, all other names are taken as they are. Partio
// trusts the files it reads, so only files from a known source belong here.
#include "points/partio.h"

extern "C" {
#include "base/messages.h"
}

#include <Partio.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

struct releaser {
    void operator()(Partio::ParticlesDataMutable *data) const
    {
        if (data) data->release();
    }
};
using particles = std::unique_ptr<Partio::ParticlesDataMutable, releaser>;

// One of the two lists of attributes, behind the same names.
struct point_list {
    typedef Partio::ParticleAttribute attribute;
    static int count(const Partio::ParticlesData &data) { return data.numAttributes(); }
    static bool info(const Partio::ParticlesData &data, int i, attribute &out)
    {
        return data.attributeInfo(i, out);
    }
    static const std::vector<std::string> &strings(const Partio::ParticlesData &data,
                                                   const attribute &a)
    {
        return data.indexedStrs(a);
    }
    static const void *at(const Partio::ParticlesData &data, const attribute &a, int64_t i)
    {
        return data.data<char>(a, (Partio::ParticleIndex)i);
    }
    static firn_attribute *add(firn_points *points, const char *name, firn_attribute_type type,
                               int n)
    {
        return firn_points_add(points, name, type, n);
    }
};

struct detail_list {
    typedef Partio::FixedAttribute attribute;
    static int count(const Partio::ParticlesData &data) { return data.numFixedAttributes(); }
    static bool info(const Partio::ParticlesData &data, int i, attribute &out)
    {
        return data.fixedAttributeInfo(i, out);
    }
    static const std::vector<std::string> &strings(const Partio::ParticlesData &data,
                                                   const attribute &a)
    {
        return data.fixedIndexedStrs(a);
    }
    static const void *at(const Partio::ParticlesData &data, const attribute &a, int64_t)
    {
        return data.fixedData<char>(a);
    }
    static firn_attribute *add(firn_points *points, const char *name, firn_attribute_type type,
                               int n)
    {
        return firn_points_add_detail(points, name, type, n);
    }
};

// False: no memory. What cannot be an attribute of ours (names of 64 bytes and more, twice the
// same) is left out and told.
template <class List>
bool take_list(const Partio::ParticlesData &data, firn_points *points, int64_t n, const char *path,
               firn_messages *messages)
{
    for (int i = 0; i < List::count(data); i++) {
        typename List::attribute from;
        if (!List::info(data, i, from)) continue;
        firn_attribute_type type = from.type == Partio::VECTOR && from.count == 3
                                       ? FIRN_ATTRIBUTE_VECTOR
                                   : from.type == Partio::INT        ? FIRN_ATTRIBUTE_INT
                                   : from.type == Partio::INDEXEDSTR ? FIRN_ATTRIBUTE_INDEX
                                                                     : FIRN_ATTRIBUTE_FLOAT;
        const char *name = from.name == "position" ? "P" : from.name.c_str();
        bool is_known =
            List::count(data) && (std::is_same<List, point_list>::value
                                      ? firn_points_find(points, name) != nullptr
                                      : firn_points_find_detail(points, name) != nullptr);
        if (from.type == Partio::NONE || from.count < 1 || std::strlen(name) > 63 || !*name ||
            is_known) {
            firn_messages_warn(
                messages, "%s: attribute '%.80s' is left out: its name or type is not supported",
                path, name);
            continue;
        }
        firn_attribute *to = List::add(points, name, type, from.count);
        if (!to) return false;
        for (int64_t k = 0; k < n; k++)
            std::memcpy(to->data.i + k * from.count, List::at(data, from, k),
                        4 * (size_t)from.count);
        if (type != FIRN_ATTRIBUTE_INDEX) continue;
        for (const std::string &string : List::strings(data, from))
            if (firn_attribute_append(to, string.c_str()) < 0) return false;
        for (int64_t k = 0; k < n * from.count; k++)
            if (to->data.i[k] < 0 || to->data.i[k] >= to->n_strings) to->data.i[k] = -1;
    }
    return true;
}

firn_status read_points(const char *path, firn_points **made, firn_messages *messages)
{
    // Partio does not say why it cannot open a file; firn's reader does.
    firn_file_reader *probe = firn_file_open(path, 0, messages);
    if (!probe) return firn_file_failure(messages);
    firn_file_close(probe);
    std::ostringstream said;
    particles data(Partio::read(path, true, said));
    if (!data) {
        std::string words = said.str();
        while (!words.empty() && words.back() == '\n') words.pop_back();
        return firn_messages_add(messages, FIRN_IO, "%s: cannot be read: %s", path, words.c_str());
    }
    firn_points *points = *made = firn_points_create(data->numParticles());
    if (!points || !take_list<point_list>(*data, points, points->n, path, messages) ||
        !take_list<detail_list>(*data, points, 1, path, messages))
        return firn_messages_no_memory(messages, "%s", path);
    if (!firn_points_find(points, "P"))
        return firn_messages_add(messages, FIRN_IO, "%s: no positions", path);
    return FIRN_OK;
}

Partio::ParticleAttributeType partio_type(const firn_attribute &attribute)
{
    switch (attribute.type) {
    case FIRN_ATTRIBUTE_INT: return Partio::INT;
    case FIRN_ATTRIBUTE_VECTOR: return Partio::VECTOR;
    case FIRN_ATTRIBUTE_INDEX: return Partio::INDEXEDSTR;
    default: return Partio::FLOAT;
    }
}

void give(Partio::ParticlesDataMutable &data, const firn_points &points)
{
    for (int a = 0; a < points.n_attributes; a++) {
        const firn_attribute &from = points.attributes[a];
        bool is_P = std::strcmp(from.name, "P") == 0;
        Partio::ParticleAttribute to =
            data.addAttribute(is_P ? "position" : from.name,
                              is_P ? Partio::VECTOR : partio_type(from), from.n_components);
        for (int s = 0; s < from.n_strings; s++) data.registerIndexedStr(to, from.strings[s]);
        for (int64_t k = 0; k < points.n; k++)
            std::memcpy(data.dataWrite<char>(to, (Partio::ParticleIndex)k),
                        from.data.i + k * from.n_components, 4 * (size_t)from.n_components);
    }
    for (int a = 0; a < points.n_details; a++) {
        const firn_attribute &from = points.details[a];
        Partio::FixedAttribute to =
            data.addFixedAttribute(from.name, partio_type(from), from.n_components);
        for (int s = 0; s < from.n_strings; s++) data.registerFixedIndexedStr(to, from.strings[s]);
        std::memcpy(data.fixedDataWrite<char>(to), from.data.i, 4 * (size_t)from.n_components);
    }
}

// A cut file lacks its end: the number of points and every number of the last one must be there
// again. Some formats round to six digits.
bool came_back(const firn_points &points, const char *path)
{
    firn_points *read = nullptr;
    bool is_good = read_points(path, &read, nullptr) == FIRN_OK && read->n == points.n;
    for (int a = 0; is_good && points.n && a < read->n_attributes; a++) {
        const firn_attribute &now = read->attributes[a];
        const firn_attribute *was = firn_points_find(&points, now.name);
        if (!was || was->n_components != now.n_components || was->type != now.type) continue;
        for (int c = 0; c < now.n_components; c++) {
            int64_t at = (points.n - 1) * now.n_components + c;
            if (now.type == FIRN_ATTRIBUTE_INT || now.type == FIRN_ATTRIBUTE_INDEX) {
                is_good = is_good && now.data.i[at] == was->data.i[at];
            } else {
                float x = was->data.f[at], y = now.data.f[at];
                is_good = is_good && (!(std::fabs(x - y) > 1e-4f * std::fabs(x) + 1e-30f) ||
                                      !std::isfinite(x));
            }
        }
    }
    firn_points_destroy(read);
    return is_good;
}

firn_status write_points(const char *path, const firn_points *points, const char *temporary,
                         firn_messages *messages)
{
    const firn_attribute *P = firn_points_find(points, "P");
    if (!P || P->n_components != 3 || P->type == FIRN_ATTRIBUTE_INT ||
        P->type == FIRN_ATTRIBUTE_INDEX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: attribute P (three floats) is missing", path);
    if (points->n > INT32_MAX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: %lld points; allowed with Partio: up to 2147483647", path,
                                 (long long)points->n);
    particles data(Partio::create());
    data->addParticles((int)points->n);
    give(*data, *points);
    std::ostringstream said;
    Partio::write(temporary, *data, false, true, said);
    data.reset();
    if (came_back(*points, temporary)) return FIRN_OK;
    std::string words = said.str();
    while (!words.empty() && words.back() == '\n') words.pop_back();
    return firn_messages_add(
        messages, FIRN_IO,
        "%s: what was written cannot be read back (full disk, or a number that is not finite) %s",
        path, words.c_str());
}

} // namespace

firn_status firn_partio_read(const char *path, firn_points **points, firn_messages *messages)
{
    firn_status status;
    *points = nullptr;
    try {
        status = read_points(path, points, messages);
    } catch (const std::exception &) {
        status = firn_messages_no_memory(messages, "%s (or it is damaged)", path);
    }
    if (status == FIRN_OK) return FIRN_OK;
    firn_points_destroy(*points);
    *points = nullptr;
    return status;
}

firn_status firn_partio_write(const char *path, const firn_points *points,
                              firn_file_receipt *receipt, firn_messages *messages)
{
    char temporary[4096];
    firn_status status = firn_file_temporary(path, temporary, sizeof temporary, messages);
    if (status != FIRN_OK) return status;
    try {
        status = write_points(path, points, temporary, messages);
    } catch (const std::exception &) {
        status = firn_messages_no_memory(messages, "%s", path);
    }
    if (status == FIRN_OK) return firn_file_publish(temporary, path, receipt, messages);
    firn_file_discard(temporary);
    return status;
}
