/* SPDX-License-Identifier: MIT */
/* firn/defs.h: the definition of a simulation, as plain structs.
 *
 * Each definition comes from its default function (firn_body_default(), ...), is then edited, and
 * is passed to firn_sim_create() inside a firn_scene_def. Default, range, unit and documentation of
 * every member are in one table (src/scene/scene_schema.c), from which the scene file, `firn help
 * scene` and the JSON schema are made: the member `radius` of a shape here is the key `radius` of a
 * shape there. (Lists are named in the singular where that reads better.)
 *
 * Vectors are x y z, quaternions x y z w; units are SI: metres, seconds, kilograms, kelvin,
 * radians. Arrays are borrowed: the caller keeps them alive until firn_sim_create() has
 * returned. */
#ifndef FIRN_DEFS_H
#define FIRN_DEFS_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FIRN_NAME = 64, FIRN_PATH = 1024, FIRN_MAX_PARAMETERS = 32, FIRN_MAX_TABLE = 16 };

/* ---------------------------------------------------------------- grid, time, transfer */

typedef enum firn_spline { FIRN_CUBIC, FIRN_QUADRATIC } firn_spline;
typedef enum firn_geometry { FIRN_SPACE, FIRN_PLANE_STRAIN } firn_geometry;
typedef enum firn_wall {
    FIRN_WALL_OPEN,
    FIRN_WALL_STICK,
    FIRN_WALL_SLIP,
    FIRN_WALL_SEPARATE,
    FIRN_WALL_MIRROR,
    FIRN_WALL_DELETE,
    FIRN_WALL_PERIODIC,
    FIRN_WALL_NO_SLIP
} firn_wall;

/* Material that begins inside something else: it stays there, is left out, or is refused. */
typedef enum firn_overlap { FIRN_OVERLAP_KEEP, FIRN_OVERLAP_CUT, FIRN_OVERLAP_REFUSE } firn_overlap;

typedef struct firn_grid_def {
    double dx;              /* node spacing, m */
    double shift[3];        /* of the nodes, cells; not along axes with mirror or periodic walls */
    firn_spline spline;     /* shape function */
    firn_geometry geometry; /* of the problem: space, or the plane z = 0 in plane strain */
    int has_box;            /* walls exist only with a box; otherwise space is unbounded */
    double box_min[3], box_max[3];
    firn_wall walls[6];   /* -x +x -y +y -z +z */
    double wall_friction; /* Coulomb, for slip and separate */
    firn_overlap overlap; /* particles that begin beyond closed walls */
} firn_grid_def;

typedef struct firn_time_def {
    char integrator[FIRN_NAME]; /* a name of the table of integrators: symplectic ... */
    double cfl;       /* share of a cell that the fastest particle or wave may cross in a step */
    double dt_max;    /* upper limit of a step, s; 0: none */
    double dt_min;    /* a step that must be smaller than this stops the run, s */
    double dt_fixed;  /* wanted step, s; used where stable, else sub-stepped; 0: none */
    int max_halvings; /* how often a bad step is retried with half the dt */
    int mechanics;    /* 0: nothing moves; heat alone */
    double tolerance; /* implicit: residual over the force of the present stress on a cell's face */
} firn_time_def;

typedef enum firn_scheme { FIRN_APIC, FIRN_FLIP, FIRN_PIC, FIRN_AFLIP } firn_scheme;
typedef enum firn_force_form { FIRN_FORCE_GRADIENT, FIRN_FORCE_MLS } firn_force_form;

typedef struct firn_transfer_def {
    firn_scheme scheme;
    double flip_blend;     /* a in v = (1-a) v_PIC + a v_FLIP; flip and aflip only */
    firn_force_form force; /* true gradients, or moving least squares (faster) */
    /* Damping per time, in place of flip_blend; both 0: the scheme filters once a step. */
    double damping;      /* filterings while the fastest particle passes a cell */
    double damping_rate; /* filterings a second, 1/s */
} firn_transfer_def;

/* ---------------------------------------------------------------- methods without a grid */

typedef enum firn_bonds { FIRN_BONDS_BODY, FIRN_BONDS_TOUCHING } firn_bonds;

typedef struct firn_meshless_def {
    int kernel;     /* 0: the method's own, else 1 + its place in the table of kernels */
    double support; /* radius of the neighbourhood, in particle spacings; 0: the method's own */
    int degree;     /* 1: strain exact for linear motions; 2: for quadratic ones */
    firn_bonds bonds;
    double contact, contact_damping; /* stiffness over that of the material; of critical */
    double stabilise;                /* stiffness against motions that F does not see */
    double
        reset; /* largest strain since the reference state was set, which sets it anew; 0: never */
    int as_printed; /* with the mistakes of the document that it came from */
} firn_meshless_def;

typedef struct firn_corotated_def {
    int shape_matching; /* rotations from unweighted moments; 0: from F */
    int normalise;      /* gradients exact for linear fields; 0: plain SPH */
    int current;        /* weights of present distances, so that neighbours may be lost */
    int anisotropic;
    double expansion, full_strain; /* of anisotropic kernels: 1 + expansion at that strain */
    double fracture;               /* stretch minus 1 at which a bond breaks; 0: never */
} firn_corotated_def;

typedef struct firn_peridynamics_def {
    int iterations;
    double tolerance;
    double redistribute; /* share of the way to an even density in a step; 0: none */
} firn_peridynamics_def;

typedef struct firn_sph_fluid_def {
    double viscosity[2]; /* artificial: linear and quadratic */
    double xsph;
    int xsph_changes_velocity;
    int normalise; /* gradients exact for linear fields, at walls and surfaces too */
} firn_sph_fluid_def;

/* ---------------------------------------------------------------- materials */

/* How a parameter depends on temperature besides a table: value (1 + rate (T - at)), rate in 1/K,
 * or value exp(rate (1/T - 1/at)), rate in K: the activation energy over the gas constant. */
typedef enum firn_parameter_form {
    FIRN_PARAMETER_CONSTANT,
    FIRN_PARAMETER_LINEAR,
    FIRN_PARAMETER_ARRHENIUS
} firn_parameter_form;

/* One parameter of a law: a number, optionally a table over temperature or a form, optionally noise
 * (value * (1 + noise * xi)): from particle to particle, xi uniform in [-1, 1], fixed by the
 * particle's id and the seed; or in space, xi smooth over noise_size, fixed by the place where the
 * particle is made and the seed. With a map the value is low + (high - low) * map at that place. */
typedef struct firn_parameter_def {
    char name[FIRN_NAME];
    double value; /* NAN: that of the preset */
    double noise;
    double noise_size;   /* m; 0: from particle to particle */
    char map[FIRN_NAME]; /* of firn_scene_def.maps; "": none */
    double low, high;    /* NAN: the numbers of the map themselves */
    firn_parameter_form form;
    double form_rate, form_temperature; /* of the form; at, K */
    int n_table; /* 0: constant; else value at temperature[i], linear between */
    double table_temperature[FIRN_MAX_TABLE], table_value[FIRN_MAX_TABLE];
} firn_parameter_def;

/* Weak planes: the faces of Voronoi cells, in which parameters that are a strength are multiplied. */
typedef struct firn_lumps_def {
    double size;     /* m, mean edge of a cell; 0: none */
    double strength; /* share that is left at the faces */
    double width;    /* m, of the weak layer; 0: one grid cell */
    uint64_t seed;
} firn_lumps_def;

typedef struct firn_material_def {
    uint32_t marker;
    char name[FIRN_NAME];
    char law[FIRN_NAME];
    char preset[FIRN_NAME]; /* "" : the law's defaults */
    int n_parameters;       /* those that differ from the preset */
    firn_parameter_def parameters[FIRN_MAX_PARAMETERS];
    int has_transfer; /* otherwise the scene's */
    firn_transfer_def transfer;
    double color[3];           /* sRGB */
    char color_map[FIRN_NAME]; /* mixes color (0) and color_high (1) in space; "": none */
    double color_high[3];
    firn_lumps_def lumps;
} firn_material_def;

/* ---------------------------------------------------------------- shapes, motion */

typedef enum firn_csg { FIRN_UNION, FIRN_DIFFERENCE, FIRN_INTERSECTION } firn_csg;

typedef struct firn_shape_def {
    /* a name of the shape table: sphere box capsule cylinder plane half_space mesh vdb ... */
    char kind[FIRN_NAME];
    firn_csg csg; /* how it joins the shapes before it in the list */
    double center[3], radius, size[3], height,
        normal[3];  /* normal is also the axis of round shapes; 0 0 0: z */
    double radius2; /* m; second radius: top of a cone or funnel, tube of a torus */
    double
        thickness; /* m; > 0: only a two-sided wall of this thickness along the surface; 0: solid */
    double rotate[3]; /* Euler angles about x, then y, then z, rad */
    double scale;     /* of a file's coordinates; 0: 1 */
    double voxel;     /* m; resolution of a mesh's distance field; 0: chosen from its size */
    double fps;       /* files a second of a sequence (mesh.%04d.obj); 0: 24 */
    double start;     /* s; time of the sequence's first file */
    char file[FIRN_PATH];
    char grid[FIRN_NAME]; /* of a .vdb file; "": its first level set, else its first fog */
} firn_shape_def;

/* From a key to the next: smooth, a spline without a jump of velocity that never leaves the range
 * of the two keys; linear, at constant velocity and spin; hold, at rest (the next key must have the
 * same place and rotation). */
typedef enum firn_ease { FIRN_EASE_SMOOTH, FIRN_EASE_LINEAR, FIRN_EASE_HOLD } firn_ease;

/* One key of a rigid motion. */
typedef struct firn_key {
    double time, position[3], rotation[4];
    firn_ease ease;
} firn_key;

typedef struct firn_motion_def {
    int n_keys; /* 0: constant velocity and spin */
    const firn_key *keys;
    double velocity[3], spin[3]; /* rad/s about `pivot` */
    double pivot[3];
} firn_motion_def;

/* ---------------------------------------------------------------- maps */

/* Numbers in space by name, read where a particle is made: noise, or a file: a volume (.vdb), points
 * or a mesh with numbers at its points, a picture (.png). */
typedef struct firn_map_def {
    uint32_t marker;
    char name[FIRN_NAME];
    char file[FIRN_PATH];      /* "": noise */
    char attribute[FIRN_NAME]; /* grid of a .vdb or attribute of points; "": the first of numbers */
    double size;               /* m: of the blotches of noise */
    int octaves;               /* of noise, each of half the size and amount of the last */
    double scale;              /* of a file's coordinates */
    double from, to;           /* numbers of the file that stand for low and high */
    double center[3], width;   /* m; of a picture, which is as high as its shape asks for */
    int axis;                  /* along which a picture is projected */
    uint64_t seed;
} firn_map_def;

/* Vectors in space: a grid of vectors in a .vdb file. */
typedef struct firn_vectors_def {
    char file[FIRN_PATH], grid[FIRN_NAME]; /* grid "": the first of vectors */
    double scale;                          /* of the file's coordinates */
    double factor;                         /* of its vectors */
} firn_vectors_def;

/* ---------------------------------------------------------------- bodies, emitters */

typedef enum firn_sampling {
    FIRN_REGULAR,
    FIRN_JITTERED,
    FIRN_POISSON,
    FIRN_BCC,
    FIRN_OCTREE
} firn_sampling;
typedef enum firn_density_from { FIRN_DENSITY_GIVEN, FIRN_DENSITY_GRID } firn_density_from;

typedef struct firn_body_def {
    uint32_t marker;
    char name[FIRN_NAME],
        material[FIRN_NAME]; /* material "": the attribute `material` of the points */
    int n_shapes;
    const firn_shape_def *shapes;
    char points[FIRN_PATH]; /* a file of points with attributes, instead of shapes */
    firn_sampling sampling;
    double particles_per_cell;
    double spacing; /* m; 0: from particles_per_cell */
    double particles_at_surface,
        surface_depth; /* near the surface, down to a depth in m; 0: as inside; a cell */
    double velocity[3], spin[3];
    double F[9];                    /* initial deformation gradient, row-major */
    int deform_positions;           /* also move the particles: x = center + F (x - center) */
    double temperature;             /* K, at the body's centre */
    double temperature_gradient[3]; /* K/m */
    char
        temperature_map[FIRN_NAME]; /* between temperature (0) and temperature_high (1); "": none */
    double temperature_high;        /* K; NAN: the map's own numbers */
    firn_vectors_def velocity_field; /* added to velocity and spin */
    firn_density_from density_from;
    firn_overlap overlap; /* particles that begin inside another body; cut: this one gives way */
    uint64_t seed;
} firn_body_def;

typedef enum firn_birthplace { FIRN_FROM_VOLUME, FIRN_FROM_SURFACE } firn_birthplace;

/* While it fills from its volume: nodes in the shape have the velocity of the emitter, or move as
 * forces say. */
typedef enum firn_drive { FIRN_DRIVE_HELD, FIRN_DRIVE_FREE } firn_drive;

/* Factors on rate and velocity at a time, linear between keys, constant before and after. */
typedef struct firn_emitter_key {
    double time, rate, velocity;
} firn_emitter_key;

typedef struct firn_emitter_def {
    uint32_t marker;
    char name[FIRN_NAME], material[FIRN_NAME];
    int n_shapes;
    const firn_shape_def *shapes;
    firn_birthplace from;
    firn_drive drive;
    firn_motion_def motion;             /* of the shape, and of the frame of all velocities */
    double velocity[3], velocity_noise; /* relative to the moving shape */
    double outward;                     /* m/s along the surface's normal, from the surface only */
    double rate;                        /* particles a second; 0: fill, as the flow makes room */
    int n_keys;                         /* factors over time; 0: constant 1 */
    const firn_emitter_key *keys;
    firn_overlap overlap; /* with bodies, when it begins */
    double start, stop;
    double particles_per_cell;
    double temperature;
    int64_t max_particles;
    uint64_t seed;
} firn_emitter_def;

/* ---------------------------------------------------------------- colliders, grips, fields */

typedef enum firn_contact { FIRN_STICK, FIRN_SLIP, FIRN_SEPARATE } firn_contact;
typedef enum firn_pass { FIRN_PASS_OFF, FIRN_PASS_ON, FIRN_PASS_AUTO } firn_pass;
typedef enum firn_touch { FIRN_TOUCH_GRID, FIRN_TOUCH_SURFACE, FIRN_TOUCH_PARTICLES } firn_touch;

/* Signed distance (m, negative inside) and outward unit normal at x and time t; for shapes of
 * the caller's own. Where the distance changes with time the surface moves along its normal; x
 * is in the frame that `motion` moves. NaN stops the run with the place in its report. */
typedef double (*firn_distance_fn)(void *user, const double x[3], double time, double normal[3]);

typedef struct firn_collider_def {
    uint32_t marker;
    char name[FIRN_NAME];
    int n_shapes;
    const firn_shape_def *shapes;
    firn_distance_fn distance; /* instead of shapes; must be callable from several threads */
    void *distance_user;
    firn_motion_def motion;
    double surface_velocity[3]; /* conveyor: added to the motion of the surface */
    firn_contact contact;
    /* separating contact begins where nodes reach the body, where material of nodes in it does, or where particles do */
    firn_touch touch;
    double friction;         /* Coulomb coefficient */
    double stickiness;       /* adhesive traction, Pa, that must be overcome to separate */
    firn_pass particle_pass; /* second pass on particles; auto: where it is thin or has edges */
    firn_overlap overlap;    /* particles that begin inside */
    double temperature;      /* K; INFINITY: the surface is insulated but for heat_flux */
    double heat_film;        /* W/(m^2 K), of the contact; INFINITY: perfect contact */
    double heat_flux;        /* W/m^2 into the material */
    double start, stop;      /* active between */
} firn_collider_def;

enum { FIRN_GRIPS_MAX = 32 }; /* of a scene */
typedef enum firn_grip_mode {
    FIRN_GRIP_MOTION,
    FIRN_GRIP_TRACTION,
    FIRN_GRIP_FOLLOW
} firn_grip_mode;

/* A grip moves a region of a body (the particles that are in it when it begins), pulls on it
 * (those that began in it), or lets each of its particles follow its own place in the moving
 * region through a spring. */
typedef struct firn_grip_def {
    uint32_t marker;
    char name[FIRN_NAME], body[FIRN_NAME]; /* body "": any */
    int n_shapes;
    const firn_shape_def *shapes;
    firn_grip_mode mode;
    firn_motion_def motion;
    int free_axes[3];      /* motion: axes left free */
    double force[3];       /* traction: total force on the region, N */
    double stiffness;      /* follow: of the whole region, N/m, shared out by mass */
    double damping;        /* follow: 0: none, 1: critical */
    double start, release; /* s */
} firn_grip_def;

/* A sink deletes what comes into it. */
typedef struct firn_sink_def {
    uint32_t marker;
    char name[FIRN_NAME];
    int n_shapes;
    const firn_shape_def *shapes;
    firn_motion_def motion;
    double start, stop; /* active between, s */
} firn_sink_def;

typedef struct firn_force_key {
    double time, factor;
} firn_force_key;

typedef struct firn_force_def {
    uint32_t marker;
    char name[FIRN_NAME];
    char kind[FIRN_NAME]; /* a name of the force table: gravity drag point vortex turbulence ... */
    double vector[3], position[3], strength, radius, length, frequency;
    firn_vectors_def field; /* of kind field */
    int n_shapes;           /* the region; of guide and goal the shape that is followed */
    const firn_shape_def *shapes;
    firn_motion_def motion; /* of the shapes */
    double falloff;         /* m, beyond the shapes, over which the force fades */
    double damping;         /* of kind goal; 0: none, 1: critical */
    char of[FIRN_NAME];     /* body, emitter or material; "": everything */
    uint64_t seed;
    int n_keys; /* factor over time; 0: constant 1 */
    const firn_force_key *keys;
} firn_force_def;

/* A pressure on the free surface of material, which follows it (mpm/pressure.h). */
typedef struct firn_pressure_def {
    uint32_t marker;
    char name[FIRN_NAME], material[FIRN_NAME]; /* material "": any */
    int n_shapes;                              /* where it acts; 0: everywhere */
    const firn_shape_def *shapes;
    double pressure; /* Pa; below 0: pulls */
    double edge;     /* m; from nothing at the shapes' surface to all; 0: two cells */
    int n_keys;      /* factor over time; 0: constant 1 */
    const firn_force_key *keys;
} firn_pressure_def;

/* ---------------------------------------------------------------- heat */

typedef enum firn_heat_scheme { FIRN_HEAT_APIC, FIRN_HEAT_FLIP } firn_heat_scheme;

/* The thermal boundary condition of a wall of the box; without one it is insulated. */
typedef struct firn_heat_wall_def {
    int wall;           /* 0 to 5: -x +x -y +y -z +z */
    double temperature; /* K; INFINITY: none */
    double film;        /* W/(m^2 K); INFINITY: the wall's temperature is that of the material */
    double flux;        /* W/m^2 into the material */
} firn_heat_wall_def;

typedef struct firn_heat_source_def {
    uint32_t marker;
    char name[FIRN_NAME];
    int n_shapes;
    const firn_shape_def *shapes;
    firn_motion_def motion;
    firn_birthplace from; /* heats the material in the shape, or its free surface there */
    double power;         /* W, of the whole source; below 0: cools */
    double density;       /* W/kg or, at surfaces, W/m^2, instead of power */
    double start, stop;   /* s */
} firn_heat_source_def;

/* Conduction between particles; which materials take part is theirs to say (heat_capacity). */
typedef struct firn_heat_def {
    firn_heat_scheme scheme;
    double blend; /* share of PIC per unit of alpha dt / h^2 */
    double film;  /* W/(m^2 K), of free surfaces to the ambient temperature */
    int n_walls;
    const firn_heat_wall_def *walls;
    int n_sources;
    const firn_heat_source_def *sources;
} firn_heat_def;

/* ---------------------------------------------------------------- what comes out */

typedef struct firn_output_def {
    char format[FIRN_NAME]; /* a name of the format table: bgeo bgeo.gz ply vtp vdb ... */
    char attributes[512];   /* names separated by blanks; "" : the usual ones */
    int every;              /* frames */
    int substeps;           /* outputs a frame */
    int nth;                /* every nth particle */
} firn_output_def;

typedef struct firn_checkpoint_def {
    int every_frames;     /* 0: off */
    double every_seconds; /* of wall time; 0: off */
    int keep;
} firn_checkpoint_def;

/* A measure that is sampled between frames too, without a change of the steps. */
typedef struct firn_probe_def {
    uint32_t marker;
    char name[FIRN_NAME];
    char measure[FIRN_NAME]; /* a name of the measure table */
    char body[FIRN_NAME];    /* or material, collider, grip; "" : everything */
    int axis;
    char attribute[FIRN_NAME];
    int component;
    int n_shapes; /* only particles that began inside; 0: all */
    const firn_shape_def *shapes;
    double place[3], radius; /* only particles that are within radius of place; radius 0: all */
    int64_t particle;        /* only this one, by id; -1: all */
    double every;            /* s; 0: after every step */
} firn_probe_def;

/* What is made of the values of a measure over time. */
typedef enum firn_over {
    FIRN_OVER_MOMENT, /* the value at `time` */
    FIRN_OVER_MAX,
    FIRN_OVER_MIN,
    FIRN_OVER_MEAN,
    FIRN_OVER_CHANGE, /* last less first */
    FIRN_OVER_DRIFT,  /* greatest deviation from the first */
    FIRN_OVER_PERIOD  /* time between crossings of the middle, s */
} firn_over;

/* One line of `expect`: a measured quantity, its reference and how close it must come. Values
 * over time are those at frames, from `from` to `time`. */
typedef struct firn_expect_def {
    char measure[FIRN_NAME]; /* a name of the measure table */
    char body[FIRN_NAME];    /* or material, collider, grip; "" : everything */
    int axis;                /* 0 1 2, where the measure wants one */
    char attribute[FIRN_NAME];
    int component; /* of the attribute, from 0 */
    int n_shapes;  /* only particles that began inside; 0: all */
    const firn_shape_def *shapes;
    firn_over over;
    double from, time;       /* s; time INFINITY: at the end */
    double value, tolerance; /* |measured - value| <= tolerance * max(|value|, scale) */
    double scale;
    double at_least, at_most; /* used instead of value where finite */
    char source[256];
} firn_expect_def;

typedef struct firn_scene firn_scene; /* a scene from a file, see below */

typedef struct firn_scene_def {
    uint32_t marker;
    const firn_scene *loaded; /* set by firn_scene_load; leave it as it is */
    char name[FIRN_NAME];
    int frames;
    double fps;
    char folder[FIRN_PATH];
    uint64_t seed;
    char method[FIRN_NAME]; /* a name of the table of methods: mpm ... */
    int is_double;
    double ambient_temperature;
    double gravity[3];
    firn_grid_def grid;
    firn_time_def time;
    firn_transfer_def transfer;
    firn_meshless_def meshless;
    firn_corotated_def sph_corotated;
    firn_peridynamics_def peridynamics;
    firn_sph_fluid_def sph_fluid;
    int n_maps;
    const firn_map_def *maps;
    int n_materials;
    const firn_material_def *materials;
    int n_bodies;
    const firn_body_def *bodies;
    int n_emitters;
    const firn_emitter_def *emitters;
    int n_colliders;
    const firn_collider_def *colliders;
    int n_grips;
    const firn_grip_def *grips;
    int n_sinks;
    const firn_sink_def *sinks;
    int n_forces;
    const firn_force_def *forces;
    int n_pressures;
    const firn_pressure_def *pressures;
    firn_heat_def heat;
    int n_outputs;
    const firn_output_def *outputs;
    firn_checkpoint_def checkpoint;
    int n_probes;
    const firn_probe_def *probes;
    int n_expects;
    const firn_expect_def *expects;
} firn_scene_def;

FIRN_API firn_scene_def firn_scene_default(void);
FIRN_API firn_grid_def firn_grid_default(void);
FIRN_API firn_time_def firn_time_default(void);
FIRN_API firn_transfer_def firn_transfer_default(void);
FIRN_API firn_material_def firn_material_default(void);
FIRN_API firn_parameter_def firn_parameter_default(void);
FIRN_API firn_map_def firn_map_default(void);
FIRN_API firn_vectors_def firn_vectors_default(void);
FIRN_API firn_shape_def firn_shape_default(void);
FIRN_API firn_motion_def firn_motion_default(void);
FIRN_API firn_body_def firn_body_default(void);
FIRN_API firn_emitter_def firn_emitter_default(void);
FIRN_API firn_collider_def firn_collider_default(void);
FIRN_API firn_grip_def firn_grip_default(void);
FIRN_API firn_sink_def firn_sink_default(void);
FIRN_API firn_force_def firn_force_default(void);
FIRN_API firn_probe_def firn_probe_default(void);
FIRN_API firn_pressure_def firn_pressure_default(void);
FIRN_API firn_heat_def firn_heat_default(void);
FIRN_API firn_heat_wall_def firn_heat_wall_default(void);
FIRN_API firn_heat_source_def firn_heat_source_default(void);
FIRN_API firn_output_def firn_output_default(void);
FIRN_API firn_checkpoint_def firn_checkpoint_default(void);
FIRN_API firn_expect_def firn_expect_default(void);

/* Checks markers, ranges and references by name; reports every error found. firn_sim_create
 * includes this check. */
FIRN_API firn_status firn_scene_check(const firn_scene_def *scene, firn_messages *messages);

/* ---------------------------------------------------------------- a scene from a file */

/* Reads a scene file. `sets` are n_sets strings "path.to.key=value", applied and checked like the
 * file. Reports every error found; NULL if there is any. */
FIRN_API firn_scene *firn_scene_load(const char *path, int n_sets, const char *const *sets,
                                     firn_messages *messages);
FIRN_API firn_scene *firn_scene_parse(const char *text, size_t n_bytes, const char *shown_name,
                                      int n_sets, const char *const *sets, firn_messages *messages);
/* The definition that was checked: firn_sim_create does not check it a second time. A copy of it
 * may be changed, and is then checked like any other definition. */
FIRN_API const firn_scene_def *firn_scene_definition(const firn_scene *scene);
FIRN_API void firn_scene_destroy(firn_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
