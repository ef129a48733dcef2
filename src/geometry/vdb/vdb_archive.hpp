// SPDX-License-Identifier: MIT
// vdb_archive.hpp: an opened .vdb file and its grids by name, for the child process of
// vdb_child.hpp, and writing one; instead of OpenVDB's own io::File, which notices neither a file
// that ends too early nor a disk that is full.
//
// A stream at its end gives the number that was read last, again and again: where io::File reads a
// damaged count of nodes it so makes up to 2^32 nodes out of nothing, for minutes. The stream of
// this one throws as soon as a byte is missing. Everything is read at once, nothing later. Each
// grid lies within the file, and ends where the file says that it ends.
#pragma once

#include "base/file.h"
#include "geometry/vdb/vdb_child.hpp"

#include <openvdb/io/Archive.h>
#include <openvdb/io/GridDescriptor.h>
#include <openvdb/openvdb.h>
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <vector>

namespace firn
{

class archive : public openvdb::io::Archive
{
  public:
    struct entry {
        openvdb::io::GridDescriptor where;
        openvdb::GridBase::Ptr grid; // its metadata alone; all of it where the file has no index
        const std::string &name() const { return where.gridName(); }
        // Its own: grids of the same name are name[0], name[1], ... in the order of the file.
        std::string own_name() const
        {
            return openvdb::io::GridDescriptor::nameAsString(where.uniqueName());
        }
        std::string type() const { return grid->valueType(); }
    };
    std::vector<entry> entries; // by name

    void open(const char *path, std::size_t n_bytes)
    {
        openvdb::initialize();
        in.open(path, std::ios_base::binary);
        in.exceptions(std::ios_base::eofbit | std::ios_base::failbit | std::ios_base::badbit);
        settings->setSeekable(true);
        openvdb::io::setStreamMetadataPtr(in, settings, false);
        readHeader(in); // throws with a sentence when it is not a .vdb file
        setFormatVersion(in);
        setLibraryVersion(in);
        setDataCompression(in);
        openvdb::MetaMap().readMeta(in);
        for (int32_t n = readGridCount(in); n > 0; n--) {
            entries.emplace_back();
            entry &e = entries.back();
            e.grid = e.where.read(in);
            if (inputHasGridOffsets())
                read_metadata(e, (std::int64_t)n_bytes);
            else
                readGrid(e.grid, e.where, in);
        }
        std::stable_sort(entries.begin(), entries.end(),
                         [](const entry &a, const entry &b) { return a.name() < b.name(); });
    }

    const entry *find(const std::string &name) const
    {
        for (const entry &e : entries)
            if (e.name() == name || e.where.uniqueName() == name || e.own_name() == name) return &e;
        return nullptr;
    }

    // The whole grid. One that shares the tree of another (an instance) gets that.
    openvdb::GridBase::Ptr load(const entry &e)
    {
        if (!inputHasGridOffsets()) return e.grid;
        openvdb::GridBase::Ptr grid = openvdb::GridBase::createGrid(e.where.gridType());
        e.where.seekToGrid(in);
        readGrid(grid, e.where, in);
        if (in.tellg() != e.where.getEndPos())
            throw damaged("grid \"" + e.name() + "\" has another length than it says");
        const entry *parent = e.where.isInstance() ? find(e.where.instanceParentName()) : nullptr;
        if (parent && !parent->where.isInstance()) grid->setTree(load(*parent)->baseTreePtr());
        return grid;
    }

    // "there are: surface (float), v (vec3s)"
    std::string contents() const
    {
        std::string all;
        for (const entry &e : entries)
            all += (all.empty() ? "there are: " : ", ") + e.own_name() + " (" + e.type() + ")";
        return all.empty() ? "there is no grid in it at all" : all;
    }

  private:
    void read_metadata(entry &e, std::int64_t n_bytes)
    {
        const std::int64_t from = e.where.getGridPos(), to = e.where.getEndPos();
        if (from < 0 || to < from || to > n_bytes)
            throw damaged("grid \"" + e.name() + "\" lies at bytes " + std::to_string(from) +
                          " to " + std::to_string(to) + " of " + std::to_string(n_bytes));
        e.where.seekToGrid(in);
        readGridCompression(in);
        e.grid->readMeta(in);
        e.where.seekToEnd(in);
    }

    std::ifstream in;
    openvdb::io::StreamMetadata::Ptr settings{new openvdb::io::StreamMetadata};
};

// Writes the grids to `path`; errors speak of `shown`.
class new_archive : public openvdb::io::Archive
{
  public:
    firn_status put(const char *path, const char *shown, const openvdb::GridPtrVec &grids,
                    firn_messages *messages)
    {
        std::ofstream out;
        setCompression(openvdb::io::COMPRESS_BLOSC | openvdb::io::COMPRESS_ACTIVE_MASK);
        out.exceptions(std::ios_base::failbit | std::ios_base::badbit);
        errno = 0;
        try {
            out.open(path, std::ios_base::binary | std::ios_base::trunc);
            Archive::write(out, grids, true);
            out.close();
        } catch (const std::ios_base::failure &) {
            return firn_messages_add(messages, FIRN_IO, "%s: cannot be written: %s", shown,
                                     firn_file_reason(errno ? errno : EIO));
        }
        return FIRN_OK;
    }
};

} // namespace firn
