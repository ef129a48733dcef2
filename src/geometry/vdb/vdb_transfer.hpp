// SPDX-License-Identifier: MIT
// vdb_transfer.hpp: a grid through the pipe of vdb_child.hpp, and whether it is what its file says.
//
// Sent are class, transform, background, every tile that is active or has another value than the
// background, and every leaf: origin, mask, 512 values. Received is the same tree but for nodes
// that hold nothing. Both sides walk trees without TBB.
#pragma once

#include "geometry/vdb/vdb_child.hpp"

#include <openvdb/openvdb.h>
#include <cstdint>
#include <sstream>
#include <string>

namespace firn
{

// A voxel or a cube of equal ones at level 1 to 3 of the tree
template <class Value> struct tile {
    openvdb::Index level;
    openvdb::Coord origin;
    openvdb::Index width; // voxels
    Value value;
    bool is_on;
};

// Calls visit for each tile that is active or has another value than the background.
template <class Node, class Value, class Visit>
void each_tile_below(const Node &node, const Value &background, Visit &&visit)
{
    if constexpr (Node::LEVEL > 0) {
        const auto *table = node.getTable();
        for (openvdb::Index n = 0; n < Node::NUM_VALUES; n++) {
            const bool is_on = node.getValueMask().isOn(n);
            if (node.getChildMask().isOn(n))
                each_tile_below(*table[n].getChild(), background, visit);
            else if (is_on || table[n].getValue() != background)
                visit(tile<Value>{Node::LEVEL, node.offsetToGlobalCoord(n),
                                  Node::ChildNodeType::DIM, table[n].getValue(), is_on});
        }
    }
}

template <class Tree, class Visit> void each_tile(const Tree &tree, Visit &&visit)
{
    using Root = typename Tree::RootNodeType;
    for (auto t = tree.root().cbeginValueAll(); t; ++t)
        if (t.isValueOn() || *t != tree.background())
            visit(tile<typename Tree::ValueType>{Root::LEVEL, t.getCoord(),
                                                 Root::ChildNodeType::DIM, *t, t.isValueOn()});
    for (auto node = tree.root().cbeginChildOn(); node; ++node)
        each_tile_below(*node, tree.background(), visit);
}

// Writers note the box and the number of active voxels; other ones than those that are there mean
// that a mask or the place of a node is damaged.
template <class Grid> void check_statistics(const Grid &grid, const std::string &name)
{
    using openvdb::GridBase;
    std::uint64_t n = 0;
    openvdb::CoordBBox box;
    for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
        n += leaf->onVoxelCount();
        if (!leaf->isEmpty()) leaf->evalActiveBoundingBox(box, true);
    }
    each_tile(grid.tree(), [&](const auto &t) {
        if (!t.is_on) return;
        n += (std::uint64_t)t.width * t.width * t.width;
        box.expand(t.origin, t.width);
    });
    const auto n_noted =
        grid.template getMetadata<openvdb::Int64Metadata>(GridBase::META_FILE_VOXEL_COUNT);
    const auto low =
        grid.template getMetadata<openvdb::Vec3IMetadata>(GridBase::META_FILE_BBOX_MIN);
    const auto high =
        grid.template getMetadata<openvdb::Vec3IMetadata>(GridBase::META_FILE_BBOX_MAX);
    const bool is_other_box =
        n > 0 && low && high &&
        (box.min().asVec3i() != low->value() || box.max().asVec3i() != high->value());
    if ((n_noted && (std::uint64_t)n_noted->value() != n) || is_other_box)
        throw damaged("grid \"" + name + "\" has other active voxels than it says");
}

template <class Grid> void send_grid(outlet &out, const Grid &grid)
{
    using Leaf = typename Grid::TreeType::LeafNodeType;
    std::ostringstream transform(std::ios_base::binary);
    grid.transform().write(transform);
    out.value((std::int32_t)grid.getGridClass());
    out.text(transform.str());
    out.value(grid.background());
    each_tile(grid.tree(), [&](const auto &t) {
        out.value(true);
        out.value(t);
    });
    out.value(false); // no more tiles
    out.value((std::uint64_t)grid.tree().leafCount());
    for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
        out.value(leaf->origin());
        out.value(leaf->valueMask());
        out.put(leaf->buffer().data(), Leaf::SIZE * sizeof(typename Leaf::ValueType));
    }
}

template <class Grid> typename Grid::Ptr take_grid(inlet &in)
{
    using Value = typename Grid::ValueType;
    using Leaf = typename Grid::TreeType::LeafNodeType;
    const auto grid_class = (openvdb::GridClass)in.value<std::int32_t>();
    std::istringstream transform(in.text(), std::ios_base::binary);
    openvdb::io::setCurrentVersion(transform); // else it is read as of the first version
    openvdb::math::Transform::Ptr to_world(new openvdb::math::Transform);
    to_world->read(transform);
    const auto background = in.value<Value>();
    auto grid = Grid::create(background);
    grid->setGridClass(grid_class);
    grid->setTransform(to_world);
    while (in.value<bool>()) {
        const auto t = in.value<tile<Value>>();
        grid->tree().addTile(t.level, t.origin, t.value, t.is_on);
    }
    auto accessor = grid->getAccessor();
    for (auto n = in.value<std::uint64_t>(); n > 0; n--) {
        const auto origin = in.value<openvdb::Coord>();
        auto *leaf = new Leaf(origin, background);
        accessor.addLeaf(leaf); // owns it
        leaf->setValueMask(in.value<typename Leaf::NodeMaskType>());
        in.get(leaf->buffer().data(), Leaf::SIZE * sizeof(Value));
    }
    return grid;
}

} // namespace firn
