// SPDX-License-Identifier: MIT
// vdb_grids.cpp: see vdb_grids.hpp. Grids are chosen and loaded in a child process.
#include "geometry/vdb/vdb_grids.hpp"
#include "geometry/vdb/vdb_archive.hpp"
#include "geometry/vdb/vdb_transfer.hpp"

#include <array>
#include <type_traits>

namespace firn
{

namespace
{

using openvdb::FloatGrid;

constexpr double NUMBERS_OF_FOG = 4; // for each active voxel

// In the child.
struct chooser {
    archive &file;
    const char *path;
    firn_messages *messages;
    vdb_grids &grids;

    firn_status read(std::size_t n_bytes, const char *wanted, bool wants_velocity)
    {
        file.open(path, n_bytes);
        firn_status status = choose(wanted);
        if (!status) status = check_claim(*file.find(grids.name)->grid);
        if (!status) status = load(grids.name.c_str(), grids.surface);
        for (int i = 0; i < 2 && !status; i++)
            if (file.find(PAINTS[i].name)) status = load(PAINTS[i].name, grids.paints[i]);
        if (!status && wants_velocity && file.find("v")) status = load("v", grids.velocity);
        return status;
    }

    // Whether this grid could be meant. Where none is named all level sets could, or else all
    // float grids.
    static bool is_candidate(const archive::entry &entry, const char *wanted, bool as_level_set)
    {
        if (wanted[0]) return entry.name() == wanted || entry.own_name() == wanted;
        if (entry.type() != "float" || entry.name() == PAINTS[0].name ||
            entry.name() == PAINTS[1].name)
            return false;
        return !as_level_set || entry.grid->getGridClass() == openvdb::GRID_LEVEL_SET;
    }

    // The first candidate by name, with a warning where there are more.
    firn_status choose(const char *wanted)
    {
        std::string others, &name = grids.name;
        for (int as_level_set = 1; as_level_set >= 0 && name.empty(); as_level_set--)
            for (const auto &entry : file.entries) {
                if (!is_candidate(entry, wanted, as_level_set)) continue;
                if (name.empty())
                    name = entry.own_name();
                else
                    others += (others.empty() ? "" : ", ") + entry.own_name();
            }
        if (!others.empty())
            firn_messages_warn(
                messages,
                "%s: grid \"%s\" is used, and %s could be meant as well; try: `grid: NAME`", path,
                name.c_str(), others.c_str());
        if (!name.empty()) return FIRN_OK;
        if (wanted[0])
            return firn_messages_add(messages, FIRN_REFUSED, "%s: no grid \"%s\" in it (%s)", path,
                                     wanted, file.contents().c_str());
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: no float grid in it that could be a surface (%s)", path,
                                 file.contents().c_str());
    }

    // Writers note the number of active voxels, which bounds a fog before it is read: a file of
    // some hundred bytes can hold a region of 4096^3 voxels. One that notes too few is found out
    // once it is read.
    firn_status check_claim(const openvdb::GridBase &described) const
    {
        using openvdb::GridBase;
        const auto claim =
            described.getMetadata<openvdb::Int64Metadata>(GridBase::META_FILE_VOXEL_COUNT);
        return claim && described.getGridClass() == openvdb::GRID_FOG_VOLUME
                   ? check_fog((double)claim->value(), grids.name, path, messages)
                   : FIRN_OK;
    }

    template <class Pointer> firn_status load(const char *which, Pointer &loaded)
    {
        using Grid = typename Pointer::element_type;
        const archive::entry *entry = file.find(which);
        const bool is_vector = std::is_same<Grid, openvdb::Vec3SGrid>::value;
        if (entry->where.gridType() != Grid::gridType())
            return firn_messages_add(
                messages, FIRN_REFUSED, "%s: grid \"%s\" holds %s; allowed: %s", path, which,
                entry->type().c_str(),
                is_vector ? "vectors of single floats (vec3s)" : "single floats");
        loaded = openvdb::gridPtrCast<Grid>(file.load(*entry));
        check_statistics(*loaded, which);
        return FIRN_OK;
    }
};

void send(outlet &out, const vdb_grids &grids)
{
    const std::array<std::int32_t, 3> there = {!!grids.paints[0], !!grids.paints[1],
                                               !!grids.velocity};
    out.text(grids.name);
    out.value(there);
    send_grid(out, *grids.surface);
    for (const auto &paint : grids.paints)
        if (paint) send_grid(out, *paint);
    if (grids.velocity) send_grid(out, *grids.velocity);
}

firn_status take(inlet &in, vdb_grids &grids)
{
    openvdb::initialize();
    grids.name = in.text();
    const auto there = in.value<std::array<std::int32_t, 3>>();
    grids.surface = take_grid<FloatGrid>(in);
    for (int i = 0; i < 2; i++)
        if (there[(std::size_t)i]) grids.paints[i] = take_grid<FloatGrid>(in);
    if (there[2]) grids.velocity = take_grid<openvdb::Vec3SGrid>(in);
    return FIRN_OK;
}

} // namespace

firn_status check_fog(double n, const std::string &name, const char *path, firn_messages *messages)
{
    if (n * NUMBERS_OF_FOG <= MAX_NUMBERS) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED,
                             "%s: grid \"%s\" is a fog of %.0f active voxels; allowed: at most "
                             "%.0f; try: larger voxels, or a level set",
                             path, name.c_str(), n, MAX_NUMBERS / NUMBERS_OF_FOG);
}

firn_status read_grids(const char *path, const char *wanted, bool wants_velocity, std::size_t most,
                       vdb_grids &grids, firn_messages *messages)
{
    const child_work work = {
        [&](std::size_t n_bytes, firn_messages *of_child) {
            auto *file = new archive; // never destroyed: see vdb_child.hpp
            return chooser{*file, path, of_child, grids}.read(n_bytes, wanted, wants_velocity);
        },
        [&](outlet &out) { send(out, grids); }};
    return read_in_child(path, most, messages, work, [&](inlet &in) { return take(in, grids); });
}

} // namespace firn
