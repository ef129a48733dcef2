/* SPDX-License-Identifier: MIT */
/* motion.c: see motion.h.
 *
 * A pose maps the shape to the world: x = position + R (y - pivot), `position` being that of the
 * pivot. With keys, positions are Catmull-Rom splines (through each key, with continuous velocity)
 * and rotations Hermite curves of quaternions with continuous spin (M.-J. Kim, M.-S. Kim,
 * S. Y. Shin, SIGGRAPH 1995); with two keys the spin is constant. Tangents are limited (F. N.
 * Fritsch, R. E. Carlson, SIAM J. Numer. Anal. 17, 1980), so that no coordinate overshoots a key:
 *
 *     zero where the two neighbouring slopes differ in sign or one is zero (a hold is a hold),
 *     else at most three times the smaller of them: each segment is then monotone. Before the first and after the
 * last key the body rests; at these keys the velocity is that of the time before, as a pose is that
 * of the end of a step. Without keys: constant velocity, and constant spin about the moving pivot. */
#include "geometry/motion.h"

#include <math.h>
#include <string.h>

firn_status firn_motion_create(const firn_motion_def *def, firn_memory *memory, firn_motion *motion)
{
    motion->def = *def;
    motion->keys = NULL;
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
    if (n > 0) {
        x = q_in[0] / n;
        y = q_in[1] / n;
        z = q_in[2] / n;
        w = q_in[3] / n;
    }
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

/* exp of a rotation vector, rad */
static void quaternion_of_vector(const double r[3], double q[4])
{
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double s = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
    for (int a = 0; a < 3; a++) q[a] = s * r[a];
    q[3] = cos(angle / 2);
}

static int is_smooth(const firn_key *key) { return key->ease == FIRN_EASE_SMOOTH; }

/* Tangent of one coordinate at key i, in the segment that begins at key `segment`:
 *
 *     t_i = (p_(i+1) - p_(i-1)) / (time_(i+1) - time_(i-1)),   limited; one-sided at the ends
 *
 * A segment that is not smooth is straight, and its neighbours meet it with any velocity. */
static double tangent(const firn_key *k, int n, int segment, int i, int a)
{
    const double own = (k[segment + 1].position[a] - k[segment].position[a]) /
                       (k[segment + 1].time - k[segment].time);
    const int other = i == segment ? segment - 1 : segment + 1; /* the segment beyond key i */
    if (!is_smooth(&k[segment]) || other < 0 || other + 1 >= n || !is_smooth(&k[other])) return own;
    const double beyond =
        (k[other + 1].position[a] - k[other].position[a]) / (k[other + 1].time - k[other].time);
    if (!(own * beyond > 0)) return 0;
    const double slope =
        (k[i + 1].position[a] - k[i - 1].position[a]) / (k[i + 1].time - k[i - 1].time);
    const double most = 3 * fmin(fabs(own), fabs(beyond));
    return fabs(slope) > most ? copysign(most, slope) : slope;
}

/* At time t between keys i and i + 1: cubic Hermite. */
static void spline(const firn_key *k, int n, int i, double t, double position[3],
                   double velocity[3])
{
    double span = k[i + 1].time - k[i].time, s = (t - k[i].time) / span;
    double h00 = (1 + 2 * s) * (1 - s) * (1 - s), h10 = s * (1 - s) * (1 - s),
           h01 = s * s * (3 - 2 * s), h11 = s * s * (s - 1);
    double d00 = 6 * s * (s - 1), d10 = (1 - s) * (1 - 3 * s), d01 = -d00, d11 = s * (3 * s - 2);
    for (int a = 0; a < 3; a++) {
        double p0 = k[i].position[a], p1 = k[i + 1].position[a];
        double t0 = tangent(k, n, i, i, a), t1 = tangent(k, n, i, i + 1, a);
        position[a] = h00 * p0 + h10 * span * t0 + h01 * p1 + h11 * span * t1;
        velocity[a] = (d00 * p0 + d01 * p1) / span + d10 * t0 + d11 * t1;
    }
}

/* log of a unit quaternion: r with exp(r) = q, |r| up to 2 pi, as q and -q are the short and the
 * long arc to one rotation. Half the angle is an atan2, accurate for small and large angles. */
static void vector_of_quaternion(const double q[4], double r[3])
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]),
           scale = n > 1e-15 ? 2 * atan2(n, q[3]) / n : 2;
    for (int a = 0; a < 3; a++) r[a] = scale * q[a];
}

/* Rotation vector of the short arc from one key to the next, in the world */
static void turn_between(const firn_key *a, const firn_key *b, double turn[3])
{
    double back[4] = {-a->rotation[0], -a->rotation[1], -a->rotation[2], a->rotation[3]}, q[4];
    quaternion_product(b->rotation, back, q);
    for (int c = 0; c < 4 && q[3] < 0; c++) q[c] = -q[c];
    vector_of_quaternion(q, turn);
}

static double length(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

/* Takes from a spin the part that is against a turn. */
static void turn_no_further(const double turn[3], double spin[3])
{
    double against = 0, size = 0;
    for (int c = 0; c < 3; c++) {
        against += spin[c] * turn[c];
        size += turn[c] * turn[c];
    }
    for (int c = 0; c < 3 && against < 0; c++) spin[c] -= against / size * turn[c];
}

/* Spin at key i, rad/s, in the segment that begins at key `segment`, by the rule of the tangents: the
 * rotations to both neighbours over the time between these, without what is against one of them, at
 * most three times the smaller of the two spins. */
static void spin_at(const firn_key *k, int n, int segment, int i, double spin[3])
{
    const int other = i == segment ? segment - 1 : segment + 1;
    double own[3], beyond[3];
    turn_between(&k[segment], &k[segment + 1], own);
    const double span = k[segment + 1].time - k[segment].time;
    if (!is_smooth(&k[segment]) || other < 0 || other + 1 >= n || !is_smooth(&k[other])) {
        for (int c = 0; c < 3; c++) spin[c] = own[c] / span;
        return;
    }
    turn_between(&k[other], &k[other + 1], beyond);
    const double other_span = k[other + 1].time - k[other].time;
    /* in the order of time, so that both segments get the same bits */
    const double *first = other < segment ? beyond : own, *second = other < segment ? own : beyond;
    const int lower = other < segment ? other : segment;
    const double both = k[lower + 2].time - k[lower].time;
    for (int c = 0; c < 3; c++) spin[c] = first[c] / both + second[c] / both;
    turn_no_further(first, spin);
    turn_no_further(second, spin);
    const double most = 3 * fmin(length(own) / span, length(beyond) / other_span),
                 size = length(spin);
    for (int c = 0; c < 3 && size > most; c++) spin[c] *= most / size;
}

/* From key i to i + 1, with s = 0 ... 1:
 *
 *     q(s) = exp(b3 w3) exp(b2 w2) exp(b1 w1) q_i
 *     b1 = 1 - (1 - s)^3,   b2 = 3 s^2 - 2 s^3,   b3 = s^3   (cumulative Bernstein polynomials)
 *
 * At s = 0 only b1 has a derivative, at s = 1 only b3, both 3: so w1 and w3 are the spins there
 * times span / 3, and exp(w2) is what is left to reach q_(i+1). */
static void turn_along(const firn_key *k, int n, int i, double t, double R[9], double spin[3])
{
    double span = k[i + 1].time - k[i].time, s = (t - k[i].time) / span, w[3][3], whole[3], q[4],
           left[4], rest[4];
    spin_at(k, n, i, i, w[0]);
    spin_at(k, n, i, i + 1, w[2]);
    turn_between(&k[i], &k[i + 1], whole);
    double back[2][3];
    for (int c = 0; c < 3; c++) {
        w[0][c] *= span / 3;
        w[2][c] *= span / 3;
        back[0][c] = -w[0][c];
        back[1][c] = -w[2][c];
    }
    quaternion_of_vector(whole, q);
    quaternion_of_vector(back[1], left);
    quaternion_product(left, q, rest);
    quaternion_of_vector(back[0], left);
    quaternion_product(rest, left, q);
    vector_of_quaternion(q, w[1]);
    const double b[3] = {1 - (1 - s) * (1 - s) * (1 - s), s * s * (3 - 2 * s), s * s * s},
                 d[3] = {3 * (1 - s) * (1 - s), 6 * s * (1 - s), 3 * s * s};
    memcpy(q, k[i].rotation, sizeof q);
    for (int c = 0; c < 3; c++) spin[c] = 0;
    for (int j = 0; j < 3; j++) { /* each factor rotates the spin of those before it */
        double step[3], turned[4], M[9], before[3];
        for (int c = 0; c < 3; c++) step[c] = b[j] * w[j][c];
        quaternion_of_vector(step, left);
        quaternion_product(left, q, turned);
        memcpy(q, turned, sizeof q);
        rotation_of_quaternion(left, M);
        memcpy(before, spin, sizeof before);
        for (int c = 0; c < 3; c++)
            spin[c] = M[3 * c] * before[0] + M[3 * c + 1] * before[1] + M[3 * c + 2] * before[2] +
                      d[j] * w[j][c] / span;
    }
    rotation_of_quaternion(q, R);
}

static void pose_of_keys(const firn_motion *motion, double time, firn_pose *pose)
{
    const firn_key *k = motion->keys;
    int n = motion->def.n_keys, i = 0;
    memset(pose->velocity, 0, sizeof pose->velocity);
    memset(pose->spin, 0, sizeof pose->spin);
    if (n == 1 || time <= k[0].time || time > k[n - 1].time) {
        const firn_key *at = time <= k[0].time ? &k[0] : &k[n - 1];
        memcpy(pose->position, at->position, sizeof pose->position);
        rotation_of_quaternion(at->rotation, pose->R);
        return;
    }
    while (i + 2 < n && time >= k[i + 1].time) i++;
    spline(k, n, i, time, pose->position, pose->velocity);
    turn_along(k, n, i, time, pose->R, pose->spin);
}

static void place_by_speed(const firn_motion_def *def, double t, firn_pose *pose)
{
    double turn[3], q[4];
    for (int a = 0; a < 3; a++) {
        pose->velocity[a] = def->velocity[a];
        pose->spin[a] = def->spin[a];
        pose->position[a] = def->velocity[a] * t;
        turn[a] = def->spin[a] * t;
    }
    quaternion_of_vector(turn, q);
    rotation_of_quaternion(q, pose->R);
}

void firn_motion_at(const firn_motion *motion, double time, double since, firn_pose *pose)
{
    const firn_motion_def *def = &motion->def;
    memcpy(pose->pivot, def->pivot, sizeof pose->pivot);
    if (def->n_keys > 0)
        pose_of_keys(motion, time, pose);
    else
        place_by_speed(def, time > since ? time - since : 0, pose);
    pose->is_turned = 0;
    for (int i = 0; i < 9; i++) pose->is_turned |= pose->R[i] != (i % 4 == 0);
    for (int a = 0; a < 3; a++) pose->position[a] += def->pivot[a];
}
