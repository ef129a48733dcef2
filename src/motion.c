/* motion.c: rigid motion of colliders and grips.
 *
 * A pose maps shape space to the world: x = position + R (y - pivot). With keys, `position` is where the pivot is:
 * Catmull-Rom between keys (through every key, continuous velocity), rotation by slerp; before the first and after
 * the last key everything rests. Without keys: constant velocity and constant spin about the moving pivot. */
#include "solver.h"

#include <math.h>
#include <string.h>

firn_status firn_motion_create(const firn_motion_def *def, firn_memory *memory, firn_motion *motion)
{
    motion->def = *def, motion->keys = NULL;
    motion->def.keys = NULL;
    if (def->n_keys <= 0) return FIRN_OK;
    motion->keys = firn_memory_array(memory, (size_t)def->n_keys, sizeof *motion->keys);
    if (!motion->keys) return FIRN_MEMORY;
    memcpy(motion->keys, def->keys, (size_t)def->n_keys * sizeof *motion->keys);
    return FIRN_OK;
}

void firn_motion_destroy(firn_motion *motion, firn_memory *memory)
{
    firn_memory_release(memory, motion->keys, (size_t)motion->def.n_keys * sizeof *motion->keys);
    motion->keys = NULL;
}

static void rotation_of_quaternion(const double q_in[4], double R[9])
{
    double n = sqrt(q_in[0] * q_in[0] + q_in[1] * q_in[1] + q_in[2] * q_in[2] + q_in[3] * q_in[3]);
    double x = 0, y = 0, z = 0, w = 1;
    if (n > 0) x = q_in[0] / n, y = q_in[1] / n, z = q_in[2] / n, w = q_in[3] / n;
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(R, r, sizeof r);
}

static void quaternion_product(const double a[4], const double b[4], double c[4])
{
    c[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    c[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    c[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    c[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* exp of a rotation vector */
static void quaternion_of_vector(const double r[3], double q[4])
{
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double s = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
    for (int a = 0; a < 3; a++) q[a] = s * r[a];
    q[3] = cos(angle / 2);
}

/* Catmull-Rom in time t on the segment i .. i+1 with uneven keys: Hermite with finite-difference tangents. */
static void spline(const firn_key *k, int n, int i, double t, double position[3], double velocity[3])
{
    double span = k[i + 1].time - k[i].time, s = (t - k[i].time) / span;
    int before = i > 0 ? i - 1 : i, after = i + 2 < n ? i + 2 : i + 1;
    double h00 = (1 + 2 * s) * (1 - s) * (1 - s), h10 = s * (1 - s) * (1 - s), h01 = s * s * (3 - 2 * s),
           h11 = s * s * (s - 1);
    double d00 = 6 * s * (s - 1), d10 = (1 - s) * (1 - 3 * s), d01 = -d00, d11 = s * (3 * s - 2);
    for (int a = 0; a < 3; a++) {
        double p0 = k[i].position[a], p1 = k[i + 1].position[a];
        double t0 = (p1 - k[before].position[a]) / (k[i + 1].time - k[before].time);
        double t1 = (k[after].position[a] - p0) / (k[after].time - k[i].time);
        position[a] = h00 * p0 + h10 * span * t0 + h01 * p1 + h11 * span * t1;
        velocity[a] = (d00 * p0 + d01 * p1) / span + d10 * t0 + d11 * t1;
    }
}

/* Slerp is rotation about a fixed axis at a constant rate: spin = log(q1 conj(q0)) / span, in the world. */
static void slerp(const firn_key *a, const firn_key *b, double t, double R[9], double spin[3])
{
    double span = b->time - a->time, s = (t - a->time) / span, turn[4], q[4], out[4];
    double back[4] = {-a->rotation[0], -a->rotation[1], -a->rotation[2], a->rotation[3]};
    quaternion_product(b->rotation, back, turn);
    if (turn[3] < 0)
        for (int c = 0; c < 4; c++) turn[c] = -turn[c];
    double n = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    double angle = 2 * atan2(n, turn[3]), scale = n > 1e-15 ? angle / n : 2;
    double vector[3];
    for (int c = 0; c < 3; c++) vector[c] = scale * turn[c] * s, spin[c] = scale * turn[c] / span;
    quaternion_of_vector(vector, q);
    quaternion_product(q, a->rotation, out);
    rotation_of_quaternion(out, R);
}

static void pose_of_keys(const firn_motion *motion, double time, firn_pose *pose)
{
    const firn_key *k = motion->keys;
    int n = motion->def.n_keys, i = 0;
    memset(pose->velocity, 0, sizeof pose->velocity), memset(pose->spin, 0, sizeof pose->spin);
    if (n == 1 || time <= k[0].time || time >= k[n - 1].time) {
        const firn_key *at = time <= k[0].time ? &k[0] : &k[n - 1];
        memcpy(pose->position, at->position, sizeof pose->position);
        rotation_of_quaternion(at->rotation, pose->R);
        return;
    }
    while (i + 2 < n && time >= k[i + 1].time) i++;
    spline(k, n, i, time, pose->position, pose->velocity);
    slerp(&k[i], &k[i + 1], time, pose->R, pose->spin);
}

/* `since`: when a motion without keys began. */
void firn_motion_at(const firn_motion *motion, double time, double since, firn_pose *pose)
{
    const firn_motion_def *def = &motion->def;
    memcpy(pose->pivot, def->pivot, sizeof pose->pivot);
    if (def->n_keys > 0) {
        pose_of_keys(motion, time, pose);
        return;
    }
    double t = time > since ? time - since : 0, turn[3], q[4];
    for (int a = 0; a < 3; a++) {
        pose->velocity[a] = def->velocity[a], pose->spin[a] = def->spin[a];
        pose->position[a] = def->pivot[a] + def->velocity[a] * t, turn[a] = def->spin[a] * t;
    }
    quaternion_of_vector(turn, q);
    rotation_of_quaternion(q, pose->R);
}

void firn_pose_to_shape(const firn_pose *p, const double x[3], double y[3])
{
    double d[3] = {x[0] - p->position[0], x[1] - p->position[1], x[2] - p->position[2]};
    for (int a = 0; a < 3; a++) y[a] = p->R[a] * d[0] + p->R[3 + a] * d[1] + p->R[6 + a] * d[2] + p->pivot[a];
}

void firn_pose_to_world(const firn_pose *p, const double y[3], double x[3])
{
    double d[3] = {y[0] - p->pivot[0], y[1] - p->pivot[1], y[2] - p->pivot[2]};
    firn_pose_direction(p, d, x);
    for (int a = 0; a < 3; a++) x[a] += p->position[a];
}

void firn_pose_direction(const firn_pose *p, const double y[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = p->R[3 * a] * y[0] + p->R[3 * a + 1] * y[1] + p->R[3 * a + 2] * y[2];
}

void firn_pose_velocity(const firn_pose *p, const double x[3], double v[3])
{
    double d[3] = {x[0] - p->position[0], x[1] - p->position[1], x[2] - p->position[2]};
    v[0] = p->velocity[0] + p->spin[1] * d[2] - p->spin[2] * d[1];
    v[1] = p->velocity[1] + p->spin[2] * d[0] - p->spin[0] * d[2];
    v[2] = p->velocity[2] + p->spin[0] * d[1] - p->spin[1] * d[0];
}
