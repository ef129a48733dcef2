/* SPDX-License-Identifier: MIT */
/* emitter_time.c: an emitter over time: its keys, its pose, and the nodes that it holds.
 *
 * Keys give factors f(t) >= 0 on rate and velocity, linear between keys. Births follow their
 * integrals
 *
 *     Phi(t) = integral of f from the first key to t,      s
 *
 * in place of time: the lattice has drifted by velocity (Phi(t) - Phi(start)), and birth k at a
 * rate has its time at rate (Phi(t) - Phi(start)) = k. Phi is a parabola between keys and never
 * falls, so it can be inverted. Without keys Phi(t) - Phi(s) is t - s, with the same bits.
 *
 * Hold. A filling emitter prescribes the velocity of nodes, so that what has just been born moves
 * with the lattice that it was born from, whatever pulls at it from below. A birth at the inlet
 * sees nodes up to the reach R of the shape function away: held are nodes of the shape, those
 * upstream of it by at most R, and those downstream of an inlet by at most R where the shape is
 * thinner than that. */
#include "solver/emitter.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- keys */

static double of_key(const firn_emitter_key *key, firn_emitter_factor which)
{
    return which == FIRN_EMITTER_RATE ? key->rate : key->velocity;
}

double firn_emitter_factor_at(const firn_emitter *e, double time, firn_emitter_factor which)
{
    const int n = e->def.n_keys;
    const firn_emitter_key *k = e->keys;
    if (n == 0) return 1;
    if (time <= k[0].time) return of_key(&k[0], which);
    for (int i = 1; i < n; i++)
        if (time < k[i].time) {
            const double s = (time - k[i - 1].time) / (k[i].time - k[i - 1].time);
            return (1 - s) * of_key(&k[i - 1], which) + s * of_key(&k[i], which);
        }
    return of_key(&k[n - 1], which);
}

double firn_emitter_largest_factor(const firn_emitter *e, firn_emitter_factor which)
{
    double most = e->def.n_keys ? 0 : 1;
    for (int i = 0; i < e->def.n_keys; i++) most = fmax(most, of_key(&e->keys[i], which));
    return most;
}

/* Phi(time), s. */
static double flowed_since_key(const firn_emitter *e, double time, firn_emitter_factor which)
{
    const firn_emitter_key *k = e->keys;
    double sum = 0;
    if (time <= k[0].time) return (time - k[0].time) * of_key(&k[0], which);
    for (int i = 1; i < e->def.n_keys; i++) {
        const double end = fmin(time, k[i].time);
        sum += (end - k[i - 1].time) * 0.5 *
               (of_key(&k[i - 1], which) + firn_emitter_factor_at(e, end, which));
        if (time <= k[i].time) return sum;
    }
    return sum + (time - k[e->def.n_keys - 1].time) * of_key(&k[e->def.n_keys - 1], which);
}

double firn_emitter_flowed(const firn_emitter *e, double from, double until,
                           firn_emitter_factor which)
{
    if (e->def.n_keys == 0) return until - from;
    return flowed_since_key(e, until, which) - flowed_since_key(e, from, which);
}

/* The time within a segment of length `length` (s, may be infinite) at which a factor that goes
 * linearly from a to b has flowed by `amount`: a t + (b - a) t^2 / (2 length) = amount, in the form
 * that does not cancel. */
static double time_in_segment(double a, double b, double length, double amount)
{
    if (!isfinite(length)) return a > 0 ? amount / a : INFINITY;
    const double slope = (b - a) / length;
    const double root = sqrt(fmax(a * a + 2 * slope * amount, 0));
    return a + root > 0 ? fmin(2 * amount / (a + root), length) : length;
}

double firn_emitter_when(const firn_emitter *e, double from, double amount,
                         firn_emitter_factor which)
{
    const firn_emitter_key *k = e->keys;
    const int n = e->def.n_keys;
    if (n == 0) return from + amount;
    double at = from, left = amount;
    for (int i = 0; i <= n; i++) { /* the segment that ends at key i, or never */
        const double end = i < n ? k[i].time : INFINITY;
        if (end <= at) continue;
        const double a = firn_emitter_factor_at(e, at, which),
                     b = i < n ? of_key(&k[i], which) : of_key(&k[n - 1], which),
                     whole = i < n ? 0.5 * (a + b) * (end - at) : INFINITY;
        if (i == n || left <= whole) return at + time_in_segment(a, b, end - at, left);
        left -= whole;
        at = end;
    }
    return INFINITY;
}

firn_status firn_emitter_copy_keys(firn_emitter *e, firn_memory *memory)
{
    const size_t n = (size_t)e->def.n_keys;
    if (n > 0 && !(e->keys = firn_memory_array(memory, n, sizeof *e->keys))) return FIRN_MEMORY;
    if (n > 0) memcpy(e->keys, e->def.keys, n * sizeof *e->keys);
    e->def.keys = NULL;
    e->moves = e->def.motion.n_keys > 0;
    for (int a = 0; a < 3; a++)
        e->moves |= e->def.motion.velocity[a] != 0 || e->def.motion.spin[a] != 0;
    return firn_motion_create(&e->def.motion, memory, &e->motion);
}

void firn_emitter_release_keys(firn_emitter *e, firn_memory *memory)
{
    firn_memory_release(memory, e->keys, (size_t)e->def.n_keys * sizeof *e->keys);
    firn_motion_destroy(&e->motion, memory);
}

/* ---------------------------------------------------------------- motion */

void firn_emitter_pose_at(const firn_emitter *e, double time, firn_pose *pose)
{
    firn_motion_at(&e->motion, time, e->def.start, pose);
}

/* A birth in the frame of the shape to the world, in the pose of its own time. */
void firn_emitter_to_world(const firn_emitter *e, double time, double x[3], double v[3])
{
    firn_pose pose = {0};
    double y[3], w[3], carried[3];
    firn_emitter_pose_at(e, time, &pose);
    firn_pose_to_world(&pose, x, y);
    firn_pose_direction(&pose, v, w);
    firn_pose_velocity(&pose, y, carried);
    for (int a = 0; a < 3; a++) {
        x[a] = y[a];
        v[a] = w[a] + carried[a];
    }
}

/* |velocity| + |spin| times the distance of the farthest corner of the bounds from the pivot. */
double firn_emitter_speed_of_motion(const firn_emitter *e, double time)
{
    firn_pose pose = {0};
    double spin = 0, shift = 0, reach = 0;
    if (!e->moves) return 0;
    firn_emitter_pose_at(e, nextafter(time, INFINITY), &pose);
    for (int a = 0; a < 3; a++) {
        const double arm = fmax(fabs(e->low[a] - pose.pivot[a]), fabs(e->high[a] - pose.pivot[a]));
        spin += pose.spin[a] * pose.spin[a];
        shift += pose.velocity[a] * pose.velocity[a];
        reach += arm * arm;
    }
    return sqrt(shift) + sqrt(spin * reach);
}

/* ---------------------------------------------------------------- hold */

/* Without velocity nothing is born that could be carried off, and noise would be held away. */
int firn_emitter_can_hold(const firn_emitter_def *def)
{
    const double *v = def->velocity;
    return def->drive == FIRN_DRIVE_HELD && def->from == FIRN_FROM_VOLUME && !(def->rate > 0) &&
           def->velocity_noise == 0 && v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > 0;
}

void firn_emitter_prepare_hold(firn_emitter *e, double time, double dt, int has_room)
{
    const double end = time + dt;
    e->is_holding =
        has_room && firn_emitter_can_hold(&e->def) && end > e->def.start && time < e->def.stop;
    if (!e->is_holding) return;
    const double factor = firn_emitter_factor_at(e, fmin(end, e->def.stop), FIRN_EMITTER_VELOCITY);
    e->is_holding = factor > 0;
    e->held_at = end;
    for (int a = 0; a < 3; a++) e->hold[a] = factor * e->def.velocity[a];
    firn_emitter_pose_at(e, end, &e->pose);
}

/* Whether a line of length `reach` from y along `way` (of length 1) comes into the shape. Steps are
 * half the distance, as distances between voxels have the Lipschitz constant sqrt 3. */
static int enters(const firn_emitter *e, const double y[3], const double way[3], double reach)
{
    const double least = 0.03125 * e->spacing;
    for (double s = 0; s <= reach;) {
        const double x[3] = {y[0] + s * way[0], y[1] + s * way[1], y[2] + s * way[2]};
        const double d = firn_shape_distance(e->shape, x, e->held_at);
        if (d <= 0) return 1;
        if (0.5 * d > reach - s) return 0;
        s += fmax(0.5 * d, least);
    }
    return 0;
}

int firn_emitter_holds_near(const firn_emitter *e, const double x[3], double radius, double reach)
{
    double y[3];
    if (!e->is_holding) return 0;
    firn_pose_to_shape(&e->pose, x, y);
    for (int a = 0; a < 3; a++)
        if (y[a] < e->low[a] - reach - radius || y[a] > e->high[a] + reach + radius) return 0;
    return 1;
}

int firn_emitter_holds(const firn_emitter *e, const double x[3], double reach, double v[3])
{
    double y[3], up[3], down[3], back[3], carried[3], speed = 0;
    if (!firn_emitter_holds_near(e, x, 0, reach)) return 0;
    firn_pose_to_shape(&e->pose, x, y);
    for (int a = 0; a < 3; a++) speed += e->hold[a] * e->hold[a];
    speed = sqrt(speed);
    for (int a = 0; a < 3; a++) {
        down[a] = e->hold[a] / speed;
        up[a] = -down[a];
        back[a] = y[a] + reach * up[a];
    }
    const double d = firn_shape_distance(e->shape, y, e->held_at);
    const int is_held =
        d <= 0.25 * reach || enters(e, y, down, reach) ||
        (firn_shape_distance(e->shape, back, e->held_at) > 0 && enters(e, y, up, reach));
    if (!is_held) return 0;
    firn_pose_direction(&e->pose, e->hold, v);
    firn_pose_velocity(&e->pose, x, carried);
    for (int a = 0; a < 3; a++) v[a] += carried[a];
    return 1;
}
