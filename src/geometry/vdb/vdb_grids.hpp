// SPDX-License-Identifier: MIT
// vdb_grids.hpp: the grids of a .vdb file that make a distance field, and which of a file's grids
// these are.
#pragma once

#include "firn/base.h"
#include "geometry/paint.h"

#include <openvdb/openvdb.h>
#include <string>

namespace firn
{

// Grids that paint the surface, and their ranges from 0 on.
struct paint_grid {
    const char *name;
    float max;
};
constexpr paint_grid PAINTS[2] = {{"friction", FIRN_MAX_FRICTION},
                                  {"stickiness", (float)FIRN_MAX_STICKINESS}};

// Numbers of 4 bytes that a grid may take while it is made a surface: the 4 GiB that all distance
// fields of a shape may have (sdf_sequence.c).
constexpr double MAX_NUMBERS = 1 << 30;

struct vdb_grids {
    std::string name; // of the grid that is the surface, "NAME[1]" where there are several
    openvdb::FloatGrid::Ptr surface, paints[2];
    openvdb::Vec3SGrid::Ptr velocity;
};

// A fog takes its own numbers, their copy, distances and what is made of these, for each of its n
// active voxels, tiles counted as voxels.
firn_status check_fog(double n, const std::string &name, const char *path, firn_messages *messages);

// wanted: the name of the surface's grid; "": the first level set by name, else the first float
// grid, with a warning where there are more. most: see vdb_child.hpp. Call it outside of
// firn::guarded.
firn_status read_grids(const char *path, const char *wanted, bool wants_velocity, std::size_t most,
                       vdb_grids &grids, firn_messages *messages);

} // namespace firn
