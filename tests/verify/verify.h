/* SPDX-License-Identifier: MIT */
/* verify.h: what the verification programs share: a table of rows with gates, and scenes of one
 * material in few lines.
 *
 * Each program runs a group of cases from the ladder in tests/verify/README.md and prints one
 * row a number,
 *
 *     case | reference | firn | error | gate
 *
 * as CSV; it exits with 1 when a row misses its gate. Without an argument the resolutions are
 * those of the test suite; `--full` runs the finer ones, `--quick` a few coarse ones that a
 * broken solver misses all the same, up to the first miss (for tools/mutate.sh), `--csv FOLDER`
 * also writes the curves of convergence. */
#ifndef FIRN_VERIFY_H
#define FIRN_VERIFY_H

#include "firn/firn.h"

#include <stdio.h>

/* ---------------------------------------------------------------- the table */

typedef struct verify_table {
    int is_full, is_quick, n_rows, n_missed;
    const char *folder;
} verify_table;

verify_table verify_begin(int argc, char **argv);
/* |value - reference| <= gate * scale; scale is |reference| where it is 0. */
void verify_near(verify_table *table, const char *name, double reference, double value, double gate,
                 double scale);
void verify_at_least(verify_table *table, const char *name, double value, double bound);
void verify_at_most(verify_table *table, const char *name, double value, double bound);
/* A gate that is missed for a known reason: the row is printed as `missed`, the reason with it,
 * and not counted. A row that no longer misses its gate IS counted, so that the note cannot
 * outlive the defect. */
void verify_known_below(verify_table *table, const char *name, double value, double bound,
                        const char *reason);
/* The row "ran to the end"; prints the message where it did not. */
void verify_ran(verify_table *table, const char *name, firn_status status,
                const firn_messages *messages);
/* A file of the --csv folder, or NULL without one. */
FILE *verify_curve(const verify_table *table, const char *name);
int verify_end(const verify_table *table);

/* Errors over the number of cells a unit; `order` (0: none) draws the slope that is asked for
 * through the first point. */
typedef struct verify_series {
    const char *label;
    int n;
    double cells[8], error[8];
} verify_series;
void verify_add(verify_series *series, double cells, double error);
/* The least order between neighbours of a series. */
double verify_order(const verify_series *series);
/* NAME.csv and NAME.svg in the --csv folder. */
void verify_convergence(const verify_table *table, const char *name, const char *title,
                        double order, int n, const verify_series *series);
/* A curve beside what was measured, in the same files. */
void verify_beside(const verify_table *table, const char *name, const char *title,
                   const char *x_label, const char *y_label, int n, const double *x,
                   const double *reference, const double *value);

/* ---------------------------------------------------------------- scenes */

enum { VERIFY_MAX = 8 };

typedef struct verify_scene {
    firn_scene_def scene;
    firn_material_def material;
    int n_bodies, n_colliders, n_grips, n_forces;
    firn_body_def bodies[VERIFY_MAX];
    firn_collider_def colliders[VERIFY_MAX];
    firn_grip_def grips[VERIFY_MAX];
    firn_force_def forces[VERIFY_MAX];
    firn_shape_def body_shapes[VERIFY_MAX][2], collider_shapes[VERIFY_MAX], grip_shapes[VERIFY_MAX];
    firn_run_options options;
} verify_scene;

/* Double precision, no gravity, no body yet. */
void verify_scene_init(verify_scene *s, double dx, const char *law, double E, double nu,
                       double rho);
void verify_parameter(verify_scene *s, const char *name, double value);
/* A box or ball filled with a regular lattice, `across` particles a cell along each axis. */
firn_body_def *verify_box(verify_scene *s, const double low[3], const double high[3],
                          double across);
firn_body_def *verify_ball(verify_scene *s, const double center[3], double radius, double across);
/* The plane problem: one layer of particles in the middle of one cell along z, between mirror
 * walls at z = 0 and dx. Bodies are given by their first two coordinates. By symmetry the layer
 * moves as a filled cell would, at a fraction of the cost; its mass, forces and energies are 1 /
 * across of those of a slice dx thick. */
firn_body_def *verify_slice(verify_scene *s, const double low[2], const double high[2],
                            double across);
/* Space for y > height is free; the collider's contact and friction are the caller's to change. */
firn_collider_def *verify_floor(verify_scene *s, int axis, double height);
firn_grip_def *verify_grip(verify_scene *s, const double low[3], const double high[3]);
firn_force_def *verify_force(verify_scene *s, const char *kind);
/* Mirror walls for the bits -x +x -y +y -z +z of `walls`; the others stay open. */
void verify_mirrors(verify_scene *s, unsigned walls, const double low[3], const double high[3]);

/* Ends the program with the message where the simulation cannot be made, or cannot continue. */
firn_sim *verify_start(verify_scene *s);
void verify_go(firn_sim *sim, double until);
double *verify_copy(firn_sim *sim, const char *attribute);
void verify_assign(firn_sim *sim, const char *attribute, const double *values);
firn_ledger verify_ledger(firn_sim *sim);

#endif
