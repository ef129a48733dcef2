#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scene_shapes.py [FOLDER]: makes the meshes and the volume that scenes/ ships, from formulas.

    cutter.obj     an open strip of wall along a five-pointed outline: the cookie cutter of dough_plate
    boot.%02d.obj  a boot that walks two steps, 16 files a second; its sole bends at the ball: snow_boot
    hand.obj       a right hand, palm down, with a part of its arm, one smooth closed surface: hand_in_dough
    fish.obj       a fish of 40 cm, its tail fin two centimetres thick: fish_drop
    plant.obj      a plant with four leaves in a pot: plant_drop
    terrain.vdb    a slope of 32 degrees that runs out, with bumps, as a level set: slope_vdb

FOLDER: default scenes/shapes. Hand and volume need python3-openvdb and python3-numpy. Lengths in m, y up.
"""
import math
import os
import sys

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), '../scenes/shapes')


def write_obj(name, points, faces):
    with open(os.path.join(folder, name), 'w') as f:
        for p in points:
            f.write('v %.4f %.4f %.4f\n' % tuple(p))
        for face in faces:
            f.write('f ' + ' '.join(str(i + 1) for i in face) + '\n')


# ---------------------------------------------------------------- cutter


def cutter(n=100, radius=0.058, height=0.05):
    points, faces = [], []
    for i in range(n):
        angle = 2 * math.pi * i / n
        r = radius * (1 + 0.2 * math.cos(5 * angle))
        for y in (0, height):
            points.append((r * math.cos(angle), y, r * math.sin(angle)))
    for i in range(n):
        a, b = 2 * i, 2 * ((i + 1) % n)
        faces.append((a, a + 1, b + 1, b))
    write_obj('cutter.obj', points, faces)


# ---------------------------------------------------------------- boot

# The boot at rest: heel at x = 0, toe at x = LENGTH, sole at y = 0. It is put together from overlapping closed parts;
# what is inside any of them is inside.
LENGTH, BALL = 0.30, 0.20


def sole_half_width(s):
    """Half the width of the sole at the share s of its length: round heel, waist, ball, round toe."""
    round_end = min(1, math.sqrt(max(0, 1 - (1 - s / 0.12) ** 2)) if s < 0.12 else 1,
                    math.sqrt(max(0, 1 - ((s - 0.78) / 0.22) ** 2)) if s > 0.78 else 1)
    return (0.040 + 0.014 * math.sin(math.pi * (s - 0.35) / 0.9) ** 3 * (s > 0.35)) * round_end


def tube(rings, points, faces):
    """A closed tube through rings of equally many points."""
    first, n = len(points), len(rings[0])
    for ring in rings:
        points.extend(ring)
    for r in range(len(rings) - 1):
        for k in range(n):
            a, b = first + r * n + k, first + r * n + (k + 1) % n
            faces.append((a, a + n, b + n, b))
    last = first + (len(rings) - 1) * n
    for k in range(1, n - 1):
        faces.append((first, first + k, first + k + 1))
        faces.append((last, last + k + 1, last + k))


def ring(center, across, up, n=10):
    """Superellipse about center; across and up are its half axes as vectors."""
    out = []
    for k in range(n):
        c, s = math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n)
        c, s = math.copysign(abs(c) ** 0.7, c), math.copysign(abs(s) ** 0.7, s)
        out.append(tuple(center[a] + c * across[a] + s * up[a] for a in range(3)))
    return out


def boot_at_rest():
    points, faces = [], []
    rings = []
    for i in range(13):  # sole, 3 cm thick, and heel
        s = 0.01 + 0.98 * i / 12
        low = 0.012 if 0.30 < s < 0.45 else 0
        rings.append(ring((LENGTH * s, (0.035 + low) / 2, 0), (0, 0, sole_half_width(s)), (0, (0.035 - low) / 2, 0)))
    tube(rings, points, faces)
    rings = []
    for i in range(9):  # upper
        s = 0.02 + 0.93 * i / 8
        height = 0.12 - 0.075 * max(0, (s - 0.3) / 0.65) ** 1.2
        rings.append(ring((LENGTH * s, 0.01 + height / 2, 0), (0, 0, 0.92 * sole_half_width(s)), (0, height / 2, 0)))
    tube(rings, points, faces)
    rings = [ring((0.065 - 0.01 * i, 0.06 + 0.06 * i, 0), (0, 0, 0.042), (0.058, 0, 0)) for i in range(5)]  # shaft
    tube(rings, points, faces)
    return points, faces


# time, x and y of the ball of the foot, pitch of the boot (heel up), degrees
STEPS = [(0.00, 0.10, 0.26, 0), (0.30, 0.10, 0.070, 0), (0.36, 0.10, 0.066, 0), (0.50, 0.10, 0.070, 22),
         (0.66, 0.11, 0.21, 26), (0.84, 0.40, 0.28, 5), (0.94, 0.51, 0.26, 0), (1.18, 0.52, 0.070, 0),
         (1.24, 0.52, 0.066, 0), (1.36, 0.52, 0.070, 22), (1.52, 0.53, 0.22, 26)]


def at(time):
    """Place and pitch by monotone cubic pieces (zero slope where a number turns)."""
    i = 0
    while i + 2 < len(STEPS) and time > STEPS[i + 1][0]:
        i += 1
    out = []
    for c in (1, 2, 3):
        def slope(k):
            if k in (0, len(STEPS) - 1):
                return 0
            left = (STEPS[k][c] - STEPS[k - 1][c]) / (STEPS[k][0] - STEPS[k - 1][0])
            right = (STEPS[k + 1][c] - STEPS[k][c]) / (STEPS[k + 1][0] - STEPS[k][0])
            return 0 if left * right <= 0 else 2 * left * right / (left + right)
        span = STEPS[i + 1][0] - STEPS[i][0]
        s = min(1, max(0, (time - STEPS[i][0]) / span))
        out.append((1 + 2 * s) * (1 - s) ** 2 * STEPS[i][c] + s * (1 - s) ** 2 * span * slope(i) +
                   s * s * (3 - 2 * s) * STEPS[i + 1][c] + s * s * (s - 1) * span * slope(i + 1))
    return out


def boot(fps=16, n=25):
    points, faces = boot_at_rest()
    for file in range(n):
        x, y, pitch = at(file / fps)
        angle, toe = math.radians(pitch), math.radians(0.8 * max(0, pitch))
        moved = []
        for p in points:
            u, v = p[0] - BALL, p[1]
            bend = -angle + toe * min(1, max(0, u / 0.03))  # heel up behind the ball; in front the toe lies back
            moved.append((x + u * math.cos(bend) - v * math.sin(bend), y + u * math.sin(bend) + v * math.cos(bend), p[2]))
        write_obj('boot.%02d.obj' % file, moved, faces)


# ---------------------------------------------------------------- hand

# Bones as (start, end, radius at the start, radius at the end): x towards the fingertips, z towards the little finger,
# the palm at y = 0 below. Their smallest distance, smoothed, is the skin: -K log(sum of exp(-d / K)).
K = 0.0032
FINGERS = ((-0.033, -9, 0.074), (-0.011, -2, 0.082), (0.011, 5, 0.077), (0.031, 13, 0.061))  # z, degrees outwards, length


def bones():
    wrist = (-0.052, 0.016, 0.0)
    out = [(wrist, (-0.2, 0.062, 0.0), 0.026, 0.033)]
    for z, degrees, length in FINGERS:
        knuckle = (0.043 - 0.25 * abs(z), 0.016, z)
        out.append(((wrist[0], 0.014, 0.5 * z), knuckle, 0.0155, 0.0125))
        a, joint = math.radians(degrees), knuckle
        for share, down, radius in ((0.45, 0, 0.0100), (0.31, 9, 0.0091), (0.24, 16, 0.0083)):
            tilt = math.radians(down)
            step = share * length
            tip = (joint[0] + step * math.cos(a) * math.cos(tilt), joint[1] - step * math.sin(tilt),
                   joint[2] + step * math.sin(a) * math.cos(tilt))
            out.append((joint, tip, radius, radius - 0.0006))
            joint = tip
    out.append(((-0.045, 0.014, -0.012), (-0.004, 0.012, -0.043), 0.018, 0.0135))  # ball of the thumb
    out.append(((-0.004, 0.012, -0.043), (0.021, 0.010, -0.063), 0.0115, 0.0105))
    out.append(((0.021, 0.010, -0.063), (0.044, 0.009, -0.071), 0.0105, 0.0090))
    out.append(((-0.045, 0.014, 0.016), (0.01, 0.014, 0.03), 0.016, 0.0125))  # heel of the hand
    return out


def hand(voxel=0.0034):
    import numpy
    import pyopenvdb
    low, n = numpy.array((-0.245, -0.03, -0.105)), (115, 48, 58)
    x = low[:, None, None, None] + voxel * numpy.indices(n)
    total = numpy.zeros(n)
    for a, b, ra, rb in bones():
        a, b = numpy.array(a), numpy.array(b)
        q, d = x - a[:, None, None, None], b - a
        t = numpy.clip(numpy.tensordot(d, q, 1) / d.dot(d), 0, 1)
        gap = numpy.sqrt(((q - t * d[:, None, None, None]) ** 2).sum(0)) - (ra + t * (rb - ra))
        total += numpy.exp(numpy.clip(-gap / K, -60, 60))
    skin = -K * numpy.log(numpy.maximum(total, 1e-25))
    grid = pyopenvdb.FloatGrid(background=3 * voxel)
    grid.copyFromArray(numpy.clip(skin, -3 * voxel, 3 * voxel).astype(numpy.float32))
    points, triangles, quads = grid.convertToPolygons(isovalue=0.0, adaptivity=0.1)
    faces = [tuple(int(i) for i in face[::-1]) for face in list(triangles) + list(quads)]
    write_obj('hand.obj', [low + voxel * p for p in points], faces)
# ---------------------------------------------------------------- fish and plant


def fish(length=0.40, n=17):
    """A closed tube from the nose to the end of the tail fin; half its height and width over its length."""
    points, faces, rings = [], [], []
    for i in range(n):
        s = i / (n - 1)
        body = math.sin(math.pi * min(1, 0.04 + 1.04 * s) ** 0.8) if s < 0.9 else 0
        fin = max(0, (s - 0.76) / 0.24) ** 0.8
        height = max(0.018, 0.072 * max(0, body), 0.075 * fin)
        width = max(0.013, 0.040 * max(0, body) if s < 0.76 else 0.013)
        rings.append(ring((length * (s - 0.5), 0, 0), (0, 0, width), (0, height, 0)))
    tube(rings, points, faces)
    write_obj('fish.obj', points, faces)


def plant():
    """A pot, a stem and four leaves that hang over; parts overlap."""
    points, faces = [], []
    tube([ring((0, 0.03 * i, 0), (0, 0, 0.065 + 0.008 * i), (0.065 + 0.008 * i, 0, 0)) for i in range(5)], points, faces)
    tube([ring((0, 0.08 + 0.05 * i, 0), (0, 0, 0.02), (0.02, 0, 0)) for i in range(6)], points, faces)
    for leaf in range(4):
        angle = math.pi / 2 * leaf + 0.3
        out, side = (math.cos(angle), 0, math.sin(angle)), (-math.sin(angle), 0, math.cos(angle))
        rings = []
        for i in range(9):
            s = i / 8
            reach, y = 0.24 * s, 0.20 + 0.04 * leaf + 0.16 * s - 0.22 * s * s
            tilt = math.atan2(0.16 - 0.44 * s, 0.24)
            up = (-math.sin(tilt) * out[0], math.cos(tilt), -math.sin(tilt) * out[2])
            half = 0.016 + 0.032 * math.sin(math.pi * min(1, 0.1 + 0.85 * s))
            rings.append(ring((out[0] * reach, y, out[2] * reach), tuple(half * c for c in side), tuple(0.014 * c for c in up)))
        tube(rings, points, faces)
    write_obj('plant.obj', points, faces)


# ---------------------------------------------------------------- terrain


def ground(x, z):
    """A slope of tan 32 degrees for x < 0 that runs out level for x > 0.5, and a few bumps."""
    slope = math.tan(math.radians(32))
    y = -slope * x if x < 0 else -slope * (x - x * x) if x < 0.5 else -slope * 0.25
    for bx, bz, radius, height in ((-0.02, -0.05, 0.16, 0.05), (0.35, 0.05, 0.22, 0.08)):
        y += height * math.exp(-((x - bx) ** 2 + (z - bz) ** 2) / radius ** 2)
    return y


def terrain(voxel=0.04):
    import numpy
    import pyopenvdb
    nx, nz, low = 90, 50, -0.35
    xs, zs = numpy.linspace(-1.2, 1.5, nx + 1), numpy.linspace(-0.75, 0.75, nz + 1)
    top = [(x, ground(x, z), z) for x in xs for z in zs]
    bottom = [(x, low, z) for x in xs for z in zs]
    quads, m, n = [], nz + 1, (nx + 1) * (nz + 1)
    for i in range(nx):
        for k in range(nz):
            a = i * m + k
            quads.append((a, a + 1, a + m + 1, a + m))
            quads.append((n + a, n + a + m, n + a + m + 1, n + a + 1))
    for i in range(nx):
        for a, b in ((i * m, (i + 1) * m), ((i + 1) * m + nz, i * m + nz)):
            quads.append((a, b, n + b, n + a))
    for k in range(nz):
        for a, b in ((k + 1, k), (nx * m + k, nx * m + k + 1)):
            quads.append((a, b, n + b, n + a))
    grid = pyopenvdb.FloatGrid.createLevelSetFromPolygons(
        numpy.array(top + bottom, dtype=numpy.float32), quads=numpy.array(quads, dtype=numpy.uint32),
        transform=pyopenvdb.createLinearTransform(voxelSize=voxel), halfWidth=3.0)
    grid.name, grid.saveFloatAsHalf = 'terrain', True
    pyopenvdb.write(os.path.join(folder, 'terrain.vdb'), grids=[grid])


os.makedirs(folder, exist_ok=True)
cutter()
boot()
hand()
fish()
plant()
terrain()
