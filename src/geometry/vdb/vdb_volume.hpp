// SPDX-License-Identifier: MIT
// vdb_volume.hpp: OpenVDB trees to firn's volumes.
#pragma once

extern "C" {
#include "base/memory.h"
#include "geometry/sdf/sdf.h"
}

#include <openvdb/openvdb.h>
#include <vector>

namespace firn
{

// Leaves, values and the signs of all blocks without a leaf. `tree` is a distance in units of 1
// / to_metres.
template <class Tree>
firn_status volume_from_tree(const Tree &tree, double voxel, const double origin[3],
                             double to_metres, int n_channels, firn_sdf **volume,
                             firn_messages *messages)
{
    std::vector<const typename Tree::LeafNodeType *> leaves;
    tree.getNodes(leaves);
    std::vector<int32_t> blocks(3 * leaves.size());
    for (size_t l = 0; l < leaves.size(); l++)
        for (int a = 0; a < 3; a++) blocks[3 * l + (size_t)a] = leaves[l]->origin()[a] >> 3;
    double band = (double)tree.background() * to_metres;
    firn_status status = firn_sdf_create(voxel, origin, band, n_channels, (int64_t)leaves.size(),
                                         (const int32_t(*)[3])blocks.data(), volume, messages);
    if (status) return status;
    firn_sdf *v = *volume;
    for (size_t l = 0; l < leaves.size(); l++) {
        const auto *from = leaves[l]->buffer().data();
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                for (int k = 0; k < 8; k++)
                    *firn_sdf_at(v, (int64_t)l, (i * 9 + j) * 9 + k, 0) =
                        (float)((double)from[(i * 8 + j) * 8 + k] * to_metres);
    }
    openvdb::tree::ValueAccessor<const Tree> accessor(tree);
    int64_t at = 0;
    for (int i = 0; i < v->n_blocks[0]; i++)
        for (int j = 0; j < v->n_blocks[1]; j++)
            for (int k = 0; k < v->n_blocks[2]; k++, at++) {
                if (v->table[at] >= 0) continue;
                openvdb::Coord middle(8 * (v->first[0] + i) + 4, 8 * (v->first[1] + j) + 4,
                                      8 * (v->first[2] + k) + 4);
                v->sign[at] = accessor.getValue(middle) < 0 ? -1 : 1;
            }
    return FIRN_OK;
}

} // namespace firn
