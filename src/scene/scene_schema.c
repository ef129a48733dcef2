/* SPDX-License-Identifier: MIT */
/* scene_schema.c: the tables of scene_schema.h, and the default functions made from them.
 *
 * Defaults are text in SI, as in a scene file; a test checks that every default is inside its own
 * range. */
#include "scene/scene_schema.h"
#include "geometry/paint.h"
#include "scene/schema_rows.h"
#include "scene/schema_space.h"

#include <math.h>

#define OVERLAPS "keep cut refuse"

/* ---------------------------------------------------------------- grid, time, transfer */

static const firn_schema_key grid_options[] = {
    REAL(firn_grid_def, "dx", dx, "m", "0", 0, 1e4, FIRN_SCHEMA_REQUIRED | FIRN_SCHEMA_ABOVE,
         "Spacing of the grid's nodes; sets resolution, memory and time.",
         .sought = "resolution voxel voxel_size voxelsize cell cell_size cellsize division "
                   "division_size spacing particle_separation"),
    {.key = "spline",
     .former = "shape",
     .type = FIRN_SCHEMA_WORD,
     .n = 1,
     .offset = offsetof(firn_grid_def, spline),
     .words = "cubic quadratic",
     .fallback = "cubic",
     .doc = "B-spline that couples particles and nodes: cubic is smoother, quadratic faster."},
    {.key = "geometry",
     .type = FIRN_SCHEMA_WORD,
     .n = 1,
     .offset = offsetof(firn_grid_def, geometry),
     .words = "space plane_strain",
     .fallback = "space",
     .doc =
         "space: three dimensions. plane_strain: the section z = 0 of the scene, in which nothing "
         "moves along z and nothing depends on it, at the cost of two dimensions: one layer of "
         "particles (the spacing is that of three dimensions, so 8 particles_per_cell are 4 in the "
         "plane). Masses, forces and energies are those of a slice dx thick."},
    REAL(firn_grid_def, "shift", shift, "1", "0 0 0", -1, 1, 0,
         "Moves the nodes by a part of a cell, to see how much of a result is due to where the "
         "grid happens to lie; without effect along axes with mirror or periodic walls."),
    {.key = "box_min",
     .sought = "domain bounds container limits bounding_box min lower",
     .type = FIRN_SCHEMA_REAL,
     .flags = FIRN_SCHEMA_PRESENCE,
     .n = 3,
     .unit = "m",
     .fallback = "0 0 0",
     .offset = offsetof(firn_grid_def, box_min),
     .present_offset = offsetof(firn_grid_def, has_box),
     .min = -1e9,
     .max = 1e9,
     .doc = "Lower corner of the box. Without a box space is unbounded and has no walls."},
    {.key = "box_max",
     .sought = "domain_size max upper",
     .type = FIRN_SCHEMA_REAL,
     .flags = FIRN_SCHEMA_PRESENCE,
     .n = 3,
     .unit = "m",
     .fallback = "1 1 1",
     .offset = offsetof(firn_grid_def, box_max),
     .present_offset = offsetof(firn_grid_def, has_box),
     .min = -1e9,
     .max = 1e9,
     .doc = "Upper corner of the box."},
    WORD(firn_grid_def, "walls", walls, "open stick slip separate mirror delete periodic no_slip",
         "open",
         "Boundary condition of the walls, in the order -x +x -y +y -z +z; one word stands for all "
         "six. mirror (symmetry) and no_slip (viscous fluids) are exact on planes of nodes; stick "
         "lets fluids slip by a third of a cell. periodic, on both walls of an axis whose length "
         "is a multiple of 4 dx: what leaves through one enters through the other."),
    REAL(firn_grid_def, "wall_friction", wall_friction, "1", "0", 0, 100, 0,
         "Coulomb friction coefficient of walls that slip or separate."),
    WORD(
        firn_grid_def, "overlap", overlap, OVERLAPS, "cut",
        "Particles of bodies that begin beyond closed walls: they stay there, are left out, or the "
        "scene is refused."),
};
static const firn_schema_section grid_section =
    END("grid", firn_grid_def, 0, 0, grid_options, "The background grid.");

static const firn_schema_key time_options[] = {
    TEXT(firn_time_def, "integrator", integrator, "symplectic", 0,
         "How a step is computed; see `firn help methods`."),
    REAL(firn_time_def, "cfl", cfl, "1", "0.4", 0, 2, FIRN_SCHEMA_ABOVE,
         "Courant number: the part of a cell that the fastest particle or wave may cross per step.",
         .sought = "timestep time_step courant stability"),
    REAL(firn_time_def, "dt_max", dt_max, "s", "0", 0, 1e6, 0, "Largest time step; 0: no limit.",
         .sought = "max_dt largest_step"),
    REAL(firn_time_def, "dt_min", dt_min, "s", "1e-9", 0, 1e6, 0,
         "Smallest time step; the run stops where stability needs a smaller one.",
         .sought = "min_dt smallest_step"),
    REAL(firn_time_def, "dt_fixed", dt_fixed, "s", "0", 0, 1e6, 0,
         "Fixed time step, divided where it would be unstable; 0: the largest stable one.",
         .sought = "dt timestep_fixed step_size"),
    INTEGER(firn_time_def, "max_halvings", max_halvings, "10", 0, 30, 0,
            "How often a rejected step is retried with half its dt before the run stops."),
    FLAG(firn_time_def, "mechanics", mechanics, "true",
         "false: nothing moves, and heat alone is computed: for solids at rest, with larger "
         "steps."),
    REAL(firn_time_def, "tolerance", tolerance, "1", "1e-4", 1e-14, 1, 0,
         "Implicit integrators: how exactly the forces of a step balance, as a share of the force "
         "of the present stress on the face of a cell. Smaller: slower."),
};
static const firn_schema_section time_section =
    END("time", firn_time_def, 0, 0, time_options, "The time step.");

static const firn_schema_key transfer_options[] = {
    WORD(firn_transfer_def, "scheme", scheme, "apic flip pic aflip", "apic",
         "Velocity transfer between particles and grid."),
    REAL(firn_transfer_def, "flip_blend", flip_blend, "1", "0.95", 0, 1, 0,
         "Part of FLIP in flip and aflip, the rest is PIC."),
    REAL(firn_transfer_def, "damping", damping, "1", "0", 0, 1000, 0,
         "How often velocities are filtered by the grid while the fastest particle passes a cell, "
         "in place of flip_blend; 0: once per step, so that results depend on dt."),
    REAL(firn_transfer_def, "damping_rate", damping_rate, "1/s", "0", 0, 1e12, 0,
         "How often velocities are filtered by the grid per second, besides `damping`."),
    WORD(firn_transfer_def, "force", force, "gradient mls", "gradient",
         "Stress divergence by gradients of the splines, or by moving least squares (mls), which "
         "is faster."),
};
static const firn_schema_section transfer_section =
    END("transfer", firn_transfer_def, 0, 0, transfer_options,
        "The transfer between particles and grid.");

static const firn_schema_key meshless_options[] = {
    WORD(firn_meshless_def, "kernel", kernel, "own spiky quintic poly6 cosine cubic", "own",
         "Weight of a neighbour by its distance; own: the method's."),
    REAL(firn_meshless_def, "support", support, "1", "0", 0, 20, 0,
         "Radius of a neighbourhood in particle spacings, the cube root of a particle's volume; 0: "
         "the method's own."),
    INTEGER(
        firn_meshless_def, "degree", degree, "1", 1, 2, 0,
        "Degree of the best fit that the deformation gradient is taken from (sph_elastic, "
        "efg). 1: as in the documents; too soft in bending, as the strain at a face is "
        "that of a place further inside. 2: exact for bending too, for about six times the work."),
    WORD(firn_meshless_def, "bonds", bonds, "body touching", "body",
         "Particles that hold each other: those of one body, or all that touch at the start."),
    REAL(firn_meshless_def, "contact", contact, "1", "1", 0, 1e3, 0,
         "Stiffness of the contact between particles that are not bonded, over that of the "
         "material; 0: they pass through each other."),
    REAL(firn_meshless_def, "contact_damping", contact_damping, "1", "0.1", 0, 1, 0,
         "Damping of that contact, over the critical one."),
    REAL(firn_meshless_def, "stabilise", stabilise, "1", "0.1", 0, 10, 0,
         "Stiffness, over that of the material, against motions of neighbours that the deformation "
         "gradient does not see; 0: none."),
    REAL(
        firn_meshless_def, "reset", reset, "1", "0", 0, 100, 0,
        "Strain since the reference state was set at which the present state becomes the reference "
        "state, for large flow (sph_elastic, efg); 0: never."),
    FLAG(firn_meshless_def, "as_printed", as_printed, "false",
         "With the mistakes of the document that the method comes from, for comparison only."),
};
static const firn_schema_section meshless_section =
    END("meshless", firn_meshless_def, 0, 0, meshless_options,
        "Methods without a grid; see `firn help methods`.");

static const firn_schema_key corotated_options[] = {
    FLAG(firn_corotated_def, "shape_matching", shape_matching, "false",
         "Rotations from the unweighted moment of the neighbours, as in shape matching, instead of "
         "those of the deformation gradient. Moments of momentum then balance only roughly."),
    FLAG(firn_corotated_def, "normalise", normalise, "true",
         "Gradients that are exact for linear fields; false: plain SPH, which is too soft."),
    FLAG(firn_corotated_def, "current", current, "false",
         "Weights of present instead of initial distances: neighbours are lost under tension."),
    FLAG(firn_corotated_def, "anisotropic", anisotropic, "false",
         "With `current`: kernels grow along the directions of stretch."),
    REAL(firn_corotated_def, "expansion", expansion, "1", "1", 0, 100, 0,
         "Largest growth of an anisotropic kernel; 1: to twice its radius."),
    REAL(firn_corotated_def, "full_strain", full_strain, "1", "1", 0, 100, FIRN_SCHEMA_ABOVE,
         "Strain at which an anisotropic kernel is fully grown."),
    REAL(firn_corotated_def, "fracture", fracture, "1", "0", 0, 1e6, 0,
         "Strain of the line between two neighbours at which they part for good; 0: never."),
};
static const firn_schema_section corotated_section =
    END("sph_corotated", firn_corotated_def, 0, 0, corotated_options,
        "Method sph_corotated: corotated smoothed particles.");

static const firn_schema_key peridynamics_options[] = {
    INTEGER(firn_peridynamics_def, "iterations", iterations, "10", 1, 10000, 0,
            "Largest number of local and global solves of a step."),
    REAL(firn_peridynamics_def, "tolerance", tolerance, "1", "1e-3", 0, 1, 0,
         "Residual of a step over that of its first guess, at which the solves end."),
    REAL(
        firn_peridynamics_def, "redistribute", redistribute, "1", "0", 0, 1, 0,
        "Where bonds are found anew (meshless.reset): share of the way by which particles that are "
        "nearer than a spacing move apart."),
};
static const firn_schema_section peridynamics_section =
    END("peridynamics", firn_peridynamics_def, 0, 0, peridynamics_options,
        "Method peridynamics: implicit bonds.");

static const firn_schema_key sph_fluid_options[] = {
    REAL(firn_sph_fluid_def, "viscosity", viscosity, "1", "0.1 0", 0, 100, 0,
         "Artificial viscosity of approaching particles: linear (alpha) and quadratic (beta)."),
    REAL(firn_sph_fluid_def, "xsph", xsph, "1", "0.5", 0, 1, 0,
         "Share of the neighbours' mean velocity with which particles move (XSPH)."),
    FLAG(firn_sph_fluid_def, "xsph_velocity", xsph_changes_velocity, "false",
         "Velocities take that share too: a strong viscosity."),
    FLAG(firn_sph_fluid_def, "normalise", normalise, "true",
         "Gradients that are exact for linear fields, also where neighbours are missing; false: "
         "plain SPH."),
};
static const firn_schema_section sph_fluid_section =
    END("sph_fluid", firn_sph_fluid_def, 0, 0, sph_fluid_options,
        "Method sph_fluid: smoothed particles of fluids.");

/* ---------------------------------------------------------------- materials */

static const firn_schema_key material_options[] = {
    TEXT(firn_material_def, "name", name, "", FIRN_SCHEMA_REQUIRED, "Name of the material."),
    TEXT(firn_material_def, "law", law, "", 0,
         "Constitutive law, one of `firn materials`. Optional with a preset, which belongs to a "
         "law."),
    TEXT(firn_material_def, "preset", preset, "", 0,
         "Named set of parameters of the law, or a file NAME.yaml written by `firn fit`, relative "
         "to the scene; empty: the law's defaults. Parameters in the scene take precedence."),
    {.key = "transfer",
     .type = FIRN_SCHEMA_SECTION,
     .flags = FIRN_SCHEMA_PRESENCE,
     .n = 1,
     .offset = offsetof(firn_material_def, transfer),
     .present_offset = offsetof(firn_material_def, has_transfer),
     .section = &transfer_section,
     .doc = "Transfer of this material. Default: the scene's."},
    REAL(firn_material_def, "color", color, "1", "0.8 0.8 0.8", 0, 1, 0,
         "Colour: red, green, blue in sRGB. The attribute Cd of caches is linear.",
         .sought = "colour Cd tint diffuse"),
    TEXT(firn_material_def, "color_map", color_map, "", 0,
         "A map (`maps`) that mixes color and color_high in space, where particles are made."),
    REAL(firn_material_def, "color_high", color_high, "1", "0.8 0.8 0.8", 0, 1, 0,
         "Colour where color_map has its number `to`."),
    SECTION(firn_material_def, "lumps", lumps, &firn_schema_lumps,
            "Weak planes along which it breaks into lumps."),
    {.key = "parameters",
     .type = FIRN_SCHEMA_PARAMETERS,
     .n = 1,
     .doc = "Any parameter of the law (`firn materials LAW`): `E: 140 kPa`, or `E: {value: 140 "
            "kPa, noise: 10 %, table: {263 K: 140 kPa, 273 K: 20 kPa}}` with noise between "
            "particles or a table over temperature; `{noise: {size: 3 cm, amount: 50 %}}` varies "
            "in space by up to half, `{map: NAME, low: 1 kPa, high: 5 kPa}` as a map says, or by "
            "the map's own numbers, in SI, without low and high; `{value: 2 Pa s, at: 350 K, "
            "arrhenius: 4000 "
            "K}` is value exp(4000 K (1/T - 1/at)), `{value: ..., at: 300 K, linear: -1e-3 1/K}` "
            "value (1 - 1e-3 (T - at)). And any thermal property (the end of `firn materials "
            "LAW`), which takes tables over temperature too."},
};
static const firn_schema_section material_section = END(
    "materials", firn_material_def, 1, 1, material_options, "Law, preset and parameters by name.");

/* ---------------------------------------------------------------- shapes, motion */

static const firn_schema_key shape_options[] = {
    TEXT(firn_shape_def, "kind", kind, "", FIRN_SCHEMA_REQUIRED,
         "Kind of shape; `firn help shapes` lists them with their keys.",
         .sought = "type primitive geometry"),
    WORD(firn_shape_def, "csg", csg, "union difference intersection", "union",
         "How the shape is combined with those before it in the list."),
    REAL(firn_shape_def, "center", center, "m", "0 0 0", -1e9, 1e9, 0,
         "Centre; of a plane any of its points; of a file the position of the file's origin.",
         .sought = "position pos translate location origin centre P t"),
    REAL(firn_shape_def, "radius", radius, "m", "0", 0, 1e9, 0,
         "Radius of a sphere, cylinder or capsule.", .sought = "r diameter"),
    REAL(firn_shape_def, "size", size, "m", "0 0 0", 0, 1e9, 0, "Full edge lengths of a box.",
         .sought = "width length depth extent extents edge edges dimensions"),
    REAL(firn_shape_def, "height", height, "m", "0", 0, 1e9, 0,
         "Length of a cylinder or capsule along its axis."),
    REAL(firn_shape_def, "normal", normal, "1", "0 1 0", -1e9, 1e9, 0,
         "Outward normal of a plane; axis of round shapes."),
    REAL(firn_shape_def, "radius2", radius2, "m", "0", 0, 1e9, 0,
         "Second radius: top of a cone or funnel, tube of a torus."),
    REAL(firn_shape_def, "thickness", thickness, "m", "0", 0, 1e9, 0,
         "Above 0: a two-sided wall of this thickness along the surface; 0: solid."),
    REAL(firn_shape_def, "rotate", rotate, "rad", "0 0 0", -1e6, 1e6, 0,
         "Rotation about x, then y, then z.", .sought = "rotation orientation orient r"),
    REAL(firn_shape_def, "scale", scale, "1", "1", 0, 1e9, FIRN_SCHEMA_ABOVE,
         "Scale factor of a file's coordinates: 0.01 for cm, 0.001 for mm.",
         .sought = "uniform_scale units"),
    REAL(firn_shape_def, "voxel", voxel, "m", "0", 0, 1e9, 0,
         "Voxel size of a mesh's distance field; 0: from the mesh's size, at most half a grid "
         "cell."),
    REAL(firn_shape_def, "fps", fps, "1/s", "24", 0, 1e9, FIRN_SCHEMA_ABOVE,
         "Files per second of a sequence."),
    REAL(firn_shape_def, "start", start, "s", "0", -1e9, 1e9, 0,
         "Time of the first file of a sequence. Before it the shape is that of the first file, "
         "after the end that of the last."),
    TEXT(firn_shape_def, "file", file, "", FIRN_SCHEMA_FILE,
         "Mesh or volume file, or a sequence of them (mesh.%04d.obj). A relative path starts at "
         "the scene file's folder.",
         .sought = "path mesh filename geo"),
    TEXT(firn_shape_def, "grid", grid, "", 0,
         "Grid of a .vdb file; empty: the first level set by name, else the first fog volume, with "
         "a warning where there are more. Grids of the same name are NAME[0], NAME[1], ..."),
};
const firn_schema_section firn_schema_shape =
    END("shape", firn_shape_def, 0, 0, shape_options,
        "A shape, or a list of shapes combined in order.");

static const firn_schema_key key_options[] = {
    REAL(firn_key, "time", time, "s", "0", -1e9, 1e9, 0,
         "Time of the key, like 1.5 s or 36 frames."),
    REAL(firn_key, "position", position, "m", "0 0 0", -1e9, 1e9, 0, "Displacement of the shape."),
    {.key = "rotation",
     .type = FIRN_SCHEMA_ROTATION,
     .n = 4,
     .unit = "rad",
     .fallback = "0 0 0 1",
     .offset = offsetof(firn_key, rotation),
     .min = -1e6,
     .max = 1e6,
     .doc = "Rotation: a quaternion x y z w, or three angles about x, then y, then z."},
    WORD(firn_key, "ease", ease, "smooth linear hold", "smooth",
         "From this key to the next: smooth, as a spline that never leaves the range of the two "
         "keys; linear, at constant velocity and spin; hold, at rest: the next key has the same "
         "position and rotation."),
};
static const firn_schema_section key_section =
    END("keys", firn_key, 0, 0, key_options, "A key of a rigid motion.");

static const firn_schema_key motion_options[] = {
    LIST(firn_motion_def, "keys", NULL, keys, n_keys, &key_section,
         "Positions and rotations over time, joined by splines with continuous velocity and spin "
         "that do not overshoot (see `ease`): two equal keys are a hold. "
         "Two keys alone are joined by a straight line at constant velocity. Before the first and "
         "after the last key the shape is at rest, so the velocity jumps there unless the end key "
         "is repeated some time before or after. Times are those of the scene. Without keys, "
         "velocity and spin are constant.",
         .sought = "keyframes keyframe animation channel path"),
    REAL(firn_motion_def, "velocity", velocity, "m/s", "0 0 0", -1e9, 1e9, 0,
         "Constant velocity without keys, from `start` on.", .sought = "v speed"),
    REAL(firn_motion_def, "spin", spin, "rad/s", "0 0 0", -1e9, 1e9, 0,
         "Constant angular velocity about the pivot without keys, from `start` on.",
         .sought = "angular_velocity rotation w"),
    REAL(firn_motion_def, "pivot", pivot, "m", "0 0 0", -1e9, 1e9, 0,
         "Centre of rotation: a point of the shape in its initial position."),
};
static const firn_schema_section motion_section =
    END("motion", firn_motion_def, 0, 0, motion_options, "A rigid motion.");

/* ---------------------------------------------------------------- bodies, emitters */

static const firn_schema_key body_options[] = {
    TEXT(firn_body_def, "name", name, "", FIRN_SCHEMA_REQUIRED, "Name of the body."),
    TEXT(firn_body_def, "material", material, "", 0,
         "Name of a material. Optional for a points file with the attribute material."),
    LIST(firn_body_def, "shape", "shapes", shapes, n_shapes, &firn_schema_shape,
         "Region that is filled with particles.", .sought = "geometry object mesh geo source"),
    TEXT(firn_body_def, "points", points, "", FIRN_SCHEMA_FILE,
         "Points file instead of a shape. Attributes: P; optional are v, F, C, T, mass, volume "
         "(default: from pscale), material, history fields and parameters of the law. velocity and "
         "spin are added to v."),
    WORD(firn_body_def, "sampling", sampling, "regular jittered poisson bcc octree", "jittered",
         "Arrangement of particles: on a lattice; at random, one in each cube of a lattice; at "
         "random with a minimum distance (blue noise); on a body-centred cubic lattice; or in the "
         "leaves of an octree, as small as particles_per_cell says at the surface, twice, four "
         "times .. that inside, below 0.9 of a cell (64 particles_per_cell: two sizes)."),
    REAL(firn_body_def, "particles_per_cell", particles_per_cell, "1", "8", 0, 1000,
         FIRN_SCHEMA_ABOVE, "Particles per full grid cell.",
         .sought = "ppc particles density_of_particles particles_per_voxel"),
    REAL(firn_body_def, "spacing", spacing, "m", "0", 0, 1e4, 0,
         "Distance between particles; 0: from particles_per_cell.",
         .sought = "particle_separation separation"),
    REAL(firn_body_def, "particles_at_surface", particles_at_surface, "1", "0", 0, 1000, 0,
         "Particles per grid cell near the surface of the shape, each with correspondingly less "
         "volume; 0: as inside."),
    REAL(firn_body_def, "surface_depth", surface_depth, "m", "0", 0, 1e9, 0,
         "Thickness of the layer of particles_at_surface; 0: one grid cell."),
    REAL(firn_body_def, "velocity", velocity, "m/s", "0 0 0", -1e7, 1e7, 0, "Initial velocity.",
         .sought = "v speed initial_velocity motion"),
    REAL(firn_body_def, "spin", spin, "rad/s", "0 0 0", -1e7, 1e7, 0,
         "Initial angular velocity about the body's centre.",
         .sought = "angular_velocity rotation w"),
    {.key = "F",
     .type = FIRN_SCHEMA_MATRIX,
     .n = 9,
     .unit = "1",
     .fallback = "1 0 0 0 1 0 0 0 1",
     .offset = offsetof(firn_body_def, F),
     .min = -1e3,
     .max = 1e3,
     .doc = "Initial deformation gradient: 9 numbers, 3 rows of 3, or a diagonal of 3."},
    FLAG(firn_body_def, "deform_positions", deform_positions, "false",
         "Deform the positions of the particles by F too, about the body's centre."),
    REAL(firn_body_def, "temperature", temperature, "K", "293.15", 0, 1e5, 0,
         "Initial temperature; with temperature_gradient that at the body's centre. The attribute "
         "T of a points file overrides it."),
    REAL(firn_body_def, "temperature_gradient", temperature_gradient, "K/m", "0 0 0", -1e9, 1e9, 0,
         "Gradient of the initial temperature."),
    TEXT(firn_body_def, "temperature_map", temperature_map, "", 0,
         "A map (`maps`) of the initial temperature, between temperature and temperature_high."),
    REAL(firn_body_def, "temperature_high", temperature_high, "K", "inf", 0, INFINITY,
         FIRN_SCHEMA_INFINITE | FIRN_SCHEMA_ABOVE,
         "Temperature where temperature_map has its number `to`; inf: the numbers of the map are "
         "temperatures in K."),
    SECTION(firn_body_def, "velocity_field", velocity_field, &firn_schema_vectors,
            "Initial velocities from a file, added to velocity and spin."),
    WORD(firn_body_def, "overlap", overlap, OVERLAPS, "refuse",
         "Particles that begin inside another body: cut leaves out those of this one, so that the "
         "other keeps the space (of two that say so the later one gives way); keep leaves both; "
         "else the scene is refused. A body from points is not seen by other bodies."),
    WORD(firn_body_def, "density_from", density_from, "given grid", "given",
         "Initial density: given by the material, or measured on the grid."),
    SEED(firn_body_def,
         "Seed of the arrangement and of parameter noise, added to the scene's seed."),
};
static const firn_schema_section body_section =
    END("bodies", firn_body_def, 1, 1, body_options,
        "Regions that are filled with a material at the start.");

static const firn_schema_key emitter_key_options[] = {
    REAL(firn_emitter_key, "time", time, "s", "0", -1e9, 1e9, 0,
         "Time of the key, like 1.5 s or 36 frames."),
    REAL(firn_emitter_key, "rate", rate, "1", "1", 0, 1e9, 0, "Factor of the emitter's rate."),
    REAL(firn_emitter_key, "velocity", velocity, "1", "1", 0, 1e9, 0,
         "Factor of the emitter's velocity and outward; an emitter that fills brings as much as it "
         "says, and nothing while it is 0."),
};
static const firn_schema_section emitter_key_section =
    END("keys", firn_emitter_key, 0, 0, emitter_key_options, "A key of an emitter's strength.");

static const firn_schema_key emitter_options[] = {
    TEXT(firn_emitter_def, "name", name, "", FIRN_SCHEMA_REQUIRED, "Name of the emitter."),
    TEXT(firn_emitter_def, "material", material, "", FIRN_SCHEMA_REQUIRED, "Name of a material."),
    LIST(firn_emitter_def, "shape", "shapes", shapes, n_shapes, &firn_schema_shape,
         "Region in which particles are created."),
    WORD(firn_emitter_def, "from", from, "volume surface", "volume",
         "Creates particles in the volume of the shape or on its surface. On a surface without a "
         "rate: where velocity and outward point out of it."),
    WORD(firn_emitter_def, "drive", drive, "held free", "held",
         "For an emitter that fills its volume (no rate, no velocity_noise): held gives its "
         "velocity to all material in its shape, so that the volume that it brings is velocity "
         "times cross-section; free only to what is born, which may then be drawn apart or held "
         "up by forces."),
    SECTION(firn_emitter_def, "motion", motion, &motion_section,
            "Rigid motion of the emitter, which carries the directions of its velocity with it and "
            "adds its own to what it brings."),
    REAL(firn_emitter_def, "velocity", velocity, "m/s", "0 0 0", -1e7, 1e7, 0,
         "Initial velocity of the particles, relative to the moving shape.", .sought = "v speed"),
    REAL(firn_emitter_def, "outward", outward, "m/s", "0", -1e7, 1e7, 0,
         "Initial speed along the surface normal, added to velocity; for `from: surface`."),
    REAL(firn_emitter_def, "velocity_noise", velocity_noise, "1", "0", 0, 1, 0,
         "Random part of the velocity, relative to the speed.",
         .sought = "variance spread jitter variation"),
    REAL(firn_emitter_def, "rate", rate, "1/s", "0", 0, 1e12, 0,
         "Particles per second at random places, up to 1e12. 0: fill the shape continuously and "
         "evenly, replacing what flows out; material that re-enters creates no new particles.",
         .sought = "flow flux amount emission per_second birth_rate impulse_count"),
    WORD(firn_emitter_def, "overlap", overlap, OVERLAPS, "cut",
         "Where material is already when it begins: nothing is created there (cut), or both are "
         "there (keep), or the run ends (refuse)."),
    LIST(firn_emitter_def, "keys", NULL, keys, n_keys, &emitter_key_section,
         "Factors of rate and velocity over time, linear between keys, constant before and after."),
    REAL(firn_emitter_def, "start", start, "s", "0", 0, 1e9, 0,
         "Start time, not before the start of the shot at 0.", .sought = "begin birth start_time"),
    REAL(firn_emitter_def, "stop", stop, "s", "inf", 0, INFINITY, FIRN_SCHEMA_INFINITE,
         "End time; inf: never.", .sought = "end stop_time duration"),
    REAL(firn_emitter_def, "particles_per_cell", particles_per_cell, "1", "8", 0, 1000,
         FIRN_SCHEMA_ABOVE, "Particles per full grid cell."),
    REAL(firn_emitter_def, "temperature", temperature, "K", "293.15", 0, 1e5, 0,
         "Initial temperature of the particles."),
    {.key = "max_particles",
     .type = FIRN_SCHEMA_INT64,
     .n = 1,
     .offset = offsetof(firn_emitter_def, max_particles),
     .fallback = "10000000",
     .min = 1,
     .max = 4e9,
     .doc = "Limit of the total number of particles."},
    SEED(firn_emitter_def, "Seed of places and velocities, added to the scene's seed."),
};
static const firn_schema_section emitter_section = END(
    "emitters", firn_emitter_def, 1, 1, emitter_options, "Regions in which particles are created.");

/* ---------------------------------------------------------------- colliders, grips, forces */

static const firn_schema_key collider_options[] = {
    TEXT(firn_collider_def, "name", name, "", FIRN_SCHEMA_REQUIRED,
         "Name in reports and expectations."),
    LIST(firn_collider_def, "shape", "shapes", shapes, n_shapes, &firn_schema_shape,
         "Shape of the obstacle."),
    SECTION(firn_collider_def, "motion", motion, &motion_section, "Rigid motion of the obstacle.",
            .sought = "animation keyframes keys velocity"),
    REAL(firn_collider_def, "surface_velocity", surface_velocity, "m/s", "0 0 0", -1e7, 1e7, 0,
         "Velocity of the surface relative to the obstacle, as of a conveyor belt."),
    WORD(firn_collider_def, "contact", contact, "stick slip separate", "separate",
         "Material adheres to the surface, slides along it, or slides and may leave it.",
         .sought = "type boundary slip"),
    WORD(firn_collider_def, "touch", touch, "grid surface particles", "grid",
         "Where contact begins: when nodes reach the obstacle, about a cell early (grid); or, for "
         "`contact: separate` without stickiness, when the material that nodes in the obstacle see "
         "has reached it, after which it sinks in by up to a quarter of a cell (surface); or when "
         "the faces of particles reach it, as cubes of their volume, to a hundredth of a cell for "
         "flat faces and regular sampling (particles)."),
    REAL(firn_collider_def, "friction", friction, "1", "0", 0, FIRN_MAX_FRICTION, 0,
         "Coulomb friction coefficient for slip and separate. Painted surfaces (`firn help "
         "shapes`) override it.",
         .sought = "drag roughness dynamic_friction"),
    REAL(firn_collider_def, "stickiness", stickiness, "Pa", "0", 0, FIRN_MAX_STICKINESS, 0,
         "Adhesive traction that separation must overcome. Painted surfaces override it.",
         .sought = "adhesion stick sticky glue cohesion"),
    {.key = "particle_pass",
     .type = FIRN_SCHEMA_WORD,
     .n = 1,
     .offset = offsetof(firn_collider_def, particle_pass),
     .words = "false true auto",
     .former_words = "no=false yes=true off=false on=true",
     .fallback = "auto",
     .doc = "Second pass that keeps single particles outside. Obstacles thinner than two cells, or "
            "with edges and corners sharper than 135 degrees, leak without it: auto switches it on "
            "for these."},
    WORD(firn_collider_def, "overlap", overlap, OVERLAPS, "cut",
         "Particles that would begin inside: they stay there, are left out, or the scene is "
         "refused."),
    REAL(firn_collider_def, "temperature", temperature, "K", "inf", 0, INFINITY,
         FIRN_SCHEMA_INFINITE | FIRN_SCHEMA_ABOVE,
         "Temperature of the surface, in materials with heat_capacity; inf: insulated."),
    REAL(firn_collider_def, "heat_film", heat_film, "W/(m^2 K)", "inf", 0, INFINITY,
         FIRN_SCHEMA_INFINITE | FIRN_SCHEMA_ABOVE,
         "Thermal conductance of the contact; inf: perfect contact."),
    REAL(firn_collider_def, "heat_flux", heat_flux, "W/m^2", "0", -1e12, 1e12, 0,
         "Heat flux from the surface into material that touches it."),
    REAL(firn_collider_def, "start", start, "s", "0", -1e9, 1e9, 0, "Time at which it appears."),
    REAL(firn_collider_def, "stop", stop, "s", "inf", -1e9, INFINITY, FIRN_SCHEMA_INFINITE,
         "Time at which it disappears; inf: never."),
};
static const firn_schema_section collider_section =
    END("colliders", firn_collider_def, 1, 1, collider_options, "Obstacles, at rest or moving.");

static const firn_schema_key grip_options[] = {
    TEXT(firn_grip_def, "name", name, "", FIRN_SCHEMA_REQUIRED,
         "Name in reports and expectations."),
    TEXT(firn_grip_def, "body", body, "", 0,
         "Body whose particles are gripped; empty: all bodies."),
    LIST(firn_grip_def, "shape", "shapes", shapes, n_shapes, &firn_schema_shape,
         "Region whose particles are gripped at the start. In mode motion every node that they "
         "reach moves with them, up to two cells beyond the region."),
    WORD(firn_grip_def, "mode", mode, "motion traction follow", "motion",
         "Hold with a rigid motion, pull with a force, or let each particle follow its place in "
         "the moving region through a spring (a pin or goal).",
         .sought = "type kind constraint"),
    SECTION(firn_grip_def, "motion", motion, &motion_section,
            "Rigid motion of the region in modes motion and follow."),
    FLAG(firn_grip_def, "free_axes", free_axes, "false",
         "Axes x, y, z without constraint in mode motion."),
    REAL(firn_grip_def, "force", force, "N", "0 0 0", -1e15, 1e15, 0,
         "Total force on the region in mode traction."),
    REAL(firn_grip_def, "stiffness", stiffness, "N/m", "0", 0, 1e15, 0,
         "Spring constant of the whole region in mode follow; its free period is 2 pi sqrt(mass / "
         "stiffness)."),
    REAL(firn_grip_def, "damping", damping, "1", "1", 0, 100, 0,
         "Damping ratio of that spring; 0: none, 1: critical."),
    REAL(firn_grip_def, "start", start, "s", "0", -1e9, 1e9, 0,
         "Start time; in mode motion the particles that are in the region at this time are "
         "gripped."),
    REAL(firn_grip_def, "release", release, "s", "inf", -1e9, INFINITY, FIRN_SCHEMA_INFINITE,
         "Release time; inf: never.", .sought = "break stop end"),
};
static const firn_schema_section grip_section = END(
    "grips", firn_grip_def, 1, 1, grip_options, "Parts of bodies that are held, moved or pulled.");

static const firn_schema_key sink_options[] = {
    TEXT(firn_sink_def, "name", name, "", FIRN_SCHEMA_REQUIRED, "Name of the sink."),
    LIST(firn_sink_def, "shape", "shapes", shapes, n_shapes, &firn_schema_shape,
         "Region in which particles are deleted.", .sought = "bounds region"),
    SECTION(firn_sink_def, "motion", motion, &motion_section, "Rigid motion of the region."),
    REAL(firn_sink_def, "start", start, "s", "0", -1e9, 1e9, 0, "Time at which it appears."),
    REAL(firn_sink_def, "stop", stop, "s", "inf", -1e9, INFINITY, FIRN_SCHEMA_INFINITE,
         "Time at which it disappears; inf: never."),
};
static const firn_schema_section sink_section =
    END("sinks", firn_sink_def, 1, 1, sink_options, "Regions that delete the particles in them.");

static const firn_schema_key force_key_options[] = {
    REAL(firn_force_key, "time", time, "s", "0", -1e9, 1e9, 0, "Time of the key."),
    REAL(firn_force_key, "factor", factor, "1", "1", -1e9, 1e9, 0, "Factor of the force."),
};
static const firn_schema_section force_key_section =
    END("keys", firn_force_key, 0, 0, force_key_options, "A key of a force's strength.");

static const firn_schema_key force_options[] = {
    TEXT(firn_force_def, "name", name, "", FIRN_SCHEMA_REQUIRED, "Name in reports."),
    TEXT(firn_force_def, "kind", kind, "", FIRN_SCHEMA_REQUIRED,
         "Kind of force; `firn help forces` lists them with their keys.", .sought = "type"),
    REAL(firn_force_def, "vector", vector, "", "0 0 0", -1e12, 1e12, FIRN_SCHEMA_OF_FORCE,
         "Direction and size: acceleration of gravity, wind velocity of drag, axis of a vortex.",
         .sought = "direction dir velocity"),
    REAL(firn_force_def, "position", position, "m", "0 0 0", -1e9, 1e9, 0,
         "Centre of kinds point and vortex."),
    REAL(firn_force_def, "strength", strength, "", "0", -1e12, 1e12, FIRN_SCHEMA_OF_FORCE,
         "Acceleration (m/s^2), or rate of drag (1/s).",
         .sought = "amount magnitude scale intensity"),
    REAL(firn_force_def, "radius", radius, "m", "0", 0, 1e9, 0,
         "Distance within which kinds point and vortex have their full strength; beyond it "
         "strength falls as (radius/distance)^2. 0: full strength everywhere."),
    REAL(firn_force_def, "length", length, "m", "1", 0, 1e9, FIRN_SCHEMA_ABOVE,
         "Size of the largest eddies of kind turbulence."),
    REAL(firn_force_def, "frequency", frequency, "1/s", "1", 0, 1e9, 0,
         "Rate of change of kind turbulence."),
    SEED(firn_force_def, "Seed of kind turbulence, added to the scene's seed."),
    SECTION(firn_force_def, "field", field, &firn_schema_vectors,
            "Vectors from a file, added to vector: accelerations of gravity, wind of drag."),
    LIST(firn_force_def, "shape", "shapes", shapes, n_shapes, &firn_schema_shape,
         "Region in which the force acts; of guide and goal the shape that is followed. Default: "
         "everywhere."),
    SECTION(firn_force_def, "motion", motion, &motion_section, "Rigid motion of the shape."),
    REAL(firn_force_def, "falloff", falloff, "m", "0", 0, 1e9, 0,
         "Distance from the shape over which the force fades to nothing; 0: at once, of goal: "
         "never."),
    REAL(firn_force_def, "damping", damping, "1", "1", 0, 100, 0,
         "Damping ratio of kind goal; 0: none, 1: critical."),
    TEXT(firn_force_def, "of", of, "", 0,
         "Body, emitter or material on which alone it acts; empty: everything."),
    LIST(firn_force_def, "keys", NULL, keys, n_keys, &force_key_section,
         "Factor over time, linearly interpolated."),
};
static const firn_schema_section force_section =
    END("forces", firn_force_def, 1, 1, force_options,
        "Force fields besides gravity, everywhere or in a region, on everything or a "
        "body.");

static const firn_schema_key pressure_options[] = {
    TEXT(firn_pressure_def, "name", name, "", FIRN_SCHEMA_REQUIRED, "Name in reports."),
    TEXT(firn_pressure_def, "material", material, "", 0,
         "Material on whose surface it acts; empty: any."),
    LIST(firn_pressure_def, "shape", "shapes", shapes, n_shapes, &firn_schema_shape,
         "Where it acts; without one everywhere."),
    REAL(firn_pressure_def, "pressure", pressure, "Pa", "0", -1e13, 1e13, 0,
         "Pressure on the free surface, along its normal wherever it moves; below 0: pulls."),
    REAL(firn_pressure_def, "edge", edge, "m", "0", 0, 1e6, 0,
         "Depth below the surface of `shape` at which it has its full value; 0: two cells."),
    LIST(firn_pressure_def, "keys", NULL, keys, n_keys, &force_key_section,
         "Factor over time, linearly interpolated."),
};
static const firn_schema_section pressure_section =
    END("pressures", firn_pressure_def, 1, 1, pressure_options,
        "Pressures on the free surface of material, which follow it; mpm with explicit steps.");

/* ---------------------------------------------------------------- heat */

static const firn_schema_key heat_wall_options[] = {
    WORD(firn_heat_wall_def, "wall", wall, "-x +x -y +y -z +z", "-x", "Which wall of the box."),
    REAL(firn_heat_wall_def, "temperature", temperature, "K", "inf", 0, INFINITY,
         FIRN_SCHEMA_INFINITE | FIRN_SCHEMA_ABOVE, "Temperature of the wall; inf: none."),
    REAL(firn_heat_wall_def, "film", film, "W/(m^2 K)", "inf", 0, INFINITY,
         FIRN_SCHEMA_INFINITE | FIRN_SCHEMA_ABOVE,
         "Film coefficient between wall and material; inf: perfect contact."),
    REAL(firn_heat_wall_def, "flux", flux, "W/m^2", "0", -1e12, 1e12, 0,
         "Heat flux into the material."),
};
static const firn_schema_section heat_wall_section =
    END("walls", firn_heat_wall_def, 0, 0, heat_wall_options,
        "A thermal boundary condition on a wall of the box.");

static const firn_schema_key heat_source_options[] = {
    TEXT(firn_heat_source_def, "name", name, "", FIRN_SCHEMA_REQUIRED, "Name in reports."),
    LIST(firn_heat_source_def, "shape", "shapes", shapes, n_shapes, &firn_schema_shape,
         "Region in which material is heated."),
    SECTION(firn_heat_source_def, "motion", motion, &motion_section,
            "Rigid motion of the region, as of a laser or a flame."),
    WORD(firn_heat_source_def, "from", from, "volume surface", "volume",
         "Heats all material in the region, or the free surface of the material in it."),
    REAL(firn_heat_source_def, "power", power, "W", "0", -1e15, 1e15, 0,
         "Power of the whole source, shared by mass or by surface; below 0: cools."),
    REAL(firn_heat_source_def, "density", density, "", "0", -1e15, 1e15, 0,
         "Instead of power: W/kg in a volume, W/m^2 on a surface."),
    REAL(firn_heat_source_def, "start", start, "s", "0", -1e9, 1e9, 0, "Start time."),
    REAL(firn_heat_source_def, "stop", stop, "s", "inf", -1e9, INFINITY, FIRN_SCHEMA_INFINITE,
         "End time; inf: never."),
};
static const firn_schema_section heat_source_section =
    END("sources", firn_heat_source_def, 1, 1, heat_source_options, "Sources of heat.");

static const firn_schema_key heat_options[] = {
    WORD(firn_heat_def, "scheme", scheme, "apic flip", "apic",
         "Transfer of temperature: with gradients (apic), which leaves linear temperatures "
         "unchanged, or without (flip)."),
    REAL(firn_heat_def, "blend", blend, "1", "1", 0, 1e6, 0,
         "Part of PIC in a step is blend k dt / (rho c dx^2), up to 1: smooths the noise of "
         "single particles. With flip each 0.03 adds 1 % to the conductivity."),
    REAL(firn_heat_def, "film", film, "W/(m^2 K)", "0", 0, 1e9, 0,
         "Film coefficient of free surfaces to scene.ambient_temperature (convection); materials "
         "with emissivity radiate besides."),
    LIST(firn_heat_def, "walls", NULL, walls, n_walls, &heat_wall_section,
         "Thermal conditions on walls of the box; others are insulated."),
    LIST(firn_heat_def, "sources", NULL, sources, n_sources, &heat_source_section,
         "Sources of heat."),
};
static const firn_schema_section heat_section =
    END("heat", firn_heat_def, 0, 0, heat_options,
        "Conduction, latent heat and exchange of heat, in materials with heat_capacity.");

/* ---------------------------------------------------------------- the scene */

static const firn_schema_key scene_options[] = {
    TEXT(firn_scene_def, "name", name, "", 0, "Name of the shot; empty: the file's name."),
    INTEGER(firn_scene_def, "frames", frames, "100", 1, 1e7, 0, "Number of frames.",
            .sought = "duration length end end_frame frame_range frame_end n_frames"),
    REAL(firn_scene_def, "fps", fps, "1/s", "24", 0, 1e9, FIRN_SCHEMA_ABOVE, "Frames per second.",
         .sought = "framerate frame_rate rate"),
    TEXT(firn_scene_def, "folder", folder, "", 0, "Folder of the shot; empty: shots/NAME.",
         .sought = "out output directory path cache_dir"),
    SEED(firn_scene_def, "Seed of everything random."),
    TEXT(firn_scene_def, "method", method, "mpm", 0, "Discretisation; see `firn help methods`."),
    WORD(firn_scene_def, "precision", is_double, "float double", "float",
         "Floating-point numbers of the solver."),
    REAL(firn_scene_def, "ambient_temperature", ambient_temperature, "K", "293.15", 0, 1e5, 0,
         "Temperature of the surroundings.", .sought = "temperature room_temperature"),
};
static const firn_schema_section scene_section =
    END("scene", firn_scene_def, 1, 0, scene_options, "Name, length and place of the shot.");

static const firn_schema_key file_options[] = {
    {.key = "scene",
     .type = FIRN_SCHEMA_SECTION,
     .offset = 0,
     .n = 1,
     .section = &scene_section,
     .doc = "Name, length and place of the shot."},
    SECTION(firn_scene_def, "grid", grid, &grid_section, "The background grid."),
    SECTION(firn_scene_def, "time", time, &time_section, "The time step."),
    SECTION(firn_scene_def, "transfer", transfer, &transfer_section,
            "The transfer between particles and grid."),
    SECTION(firn_scene_def, "meshless", meshless, &meshless_section,
            "Methods without a grid; see `firn help methods`."),
    SECTION(firn_scene_def, "sph_corotated", sph_corotated, &corotated_section,
            "Method sph_corotated: corotated smoothed particles."),
    SECTION(firn_scene_def, "peridynamics", peridynamics, &peridynamics_section,
            "Method peridynamics: implicit bonds."),
    SECTION(firn_scene_def, "sph_fluid", sph_fluid, &sph_fluid_section,
            "Method sph_fluid: smoothed particles of fluids."),
    REAL(firn_scene_def, "gravity", gravity, "m/s^2", "0 -9.81 0", -1e6, 1e6, 0,
         "Acceleration of gravity.", .sought = "g acceleration"),
    LIST(firn_scene_def, "forces", NULL, forces, n_forces, &force_section,
         "Force fields besides gravity.",
         .sought = "force wind vortex attractor turbulence field fields"),
    LIST(firn_scene_def, "pressures", NULL, pressures, n_pressures, &pressure_section,
         "Pressures on the free surface of material.", .sought = "pressure load traction"),
    LIST(firn_scene_def, "maps", NULL, maps, n_maps, &firn_schema_maps,
         "Numbers in space: noise, volumes, pictures, points, painted meshes."),
    LIST(firn_scene_def, "materials", NULL, materials, n_materials, &material_section, "Materials.",
         .sought = "material shader density stiffness viscosity elasticity cohesion"),
    LIST(firn_scene_def, "bodies", NULL, bodies, n_bodies, &body_section,
         "Bodies: material that is present at the start.",
         .sought = "body objects object fluid particles ball initial"),
    LIST(firn_scene_def, "emitters", NULL, emitters, n_emitters, &emitter_section,
         "Regions in which particles are created.",
         .sought = "emitter source sources inflow spawner"),
    LIST(firn_scene_def, "colliders", NULL, colliders, n_colliders, &collider_section, "Obstacles.",
         .sought = "collider collision collisions obstacle obstacles ground floor rigid"),
    LIST(firn_scene_def, "grips", NULL, grips, n_grips, &grip_section,
         "Parts of bodies that are held or pulled.",
         .sought = "grip constraint constraints pin pins attach glue goal"),
    LIST(firn_scene_def, "sinks", NULL, sinks, n_sinks, &sink_section,
         "Regions that delete particles.", .sought = "sink drain kill killer outflow delete"),
    SECTION(firn_scene_def, "heat", heat, &heat_section,
            "Conduction, latent heat and exchange of heat, in materials with heat_capacity.",
            .sought = "temperature thermal melting melt"),
    LIST(firn_scene_def, "outputs", NULL, outputs, n_outputs, &firn_schema_output, "Output files.",
         .sought = "export cache caches write"),
    SECTION(firn_scene_def, "checkpoints", checkpoint, &firn_schema_checkpoint,
            "Complete states, from which `firn resume` continues.",
            .sought = "restart resume backup"),
    LIST(firn_scene_def, "probes", NULL, probes, n_probes, &firn_schema_probe,
         "Measures sampled between frames, into probes.csv of the shot.",
         .sought = "probe sensor sensors history"),
    LIST(firn_scene_def, "expect", NULL, expects, n_expects, &firn_schema_expect,
         "Expected values with their sources."),
};
const firn_schema_section firn_schema_file =
    END("scene file", firn_scene_def, 1, 0, file_options, "A scene file.");

static const firn_schema_key run_options[] = {
    INTEGER(firn_run_options, "n_threads", n_threads, "0", 0, 4096, 0,
            "Number of threads; 0: FIRN_THREADS, else one per 2,048 particles, up to "
            "OMP_NUM_THREADS or all cores."),
    TEXT(firn_run_options, "isa", isa, "", 0,
         "Instruction set: scalar, sse2, avx2, avx512; empty: the best of this processor."),
};
static const firn_schema_section run_section =
    END("run", firn_run_options, 1, 0, run_options, "How to run.");

/* ---------------------------------------------------------------- defaults */

DEFAULT_FUNCTION(scene, firn_schema_file)
DEFAULT_FUNCTION(grid, grid_section)
DEFAULT_FUNCTION(time, time_section)
DEFAULT_FUNCTION(transfer, transfer_section)
DEFAULT_FUNCTION(material, material_section)
DEFAULT_FUNCTION(shape, firn_schema_shape)
DEFAULT_FUNCTION(motion, motion_section)
DEFAULT_FUNCTION(body, body_section)
DEFAULT_FUNCTION(emitter, emitter_section)
DEFAULT_FUNCTION(collider, collider_section)
DEFAULT_FUNCTION(grip, grip_section)
DEFAULT_FUNCTION(sink, sink_section)
DEFAULT_FUNCTION(force, force_section)
DEFAULT_FUNCTION(pressure, pressure_section)
DEFAULT_FUNCTION(heat, heat_section)
DEFAULT_FUNCTION(heat_wall, heat_wall_section)
DEFAULT_FUNCTION(heat_source, heat_source_section)

firn_parameter_def firn_parameter_default(void) { return (firn_parameter_def){0}; }

firn_run_options firn_run_options_default(void)
{
    firn_run_options options;
    firn_schema_fill(&run_section, &options);
    options.hooks = firn_hooks_default();
    return options;
}
