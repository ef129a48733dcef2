#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_scenes.py BUILD [N] [--seed S] [--keep FOLDER]

N random valid scenes (1,000): materials, bodies, colliders, walls, grips, transfers, precisions,
sizes from millimetres to kilometres. What must hold of each:

    told        `firn check` takes it, or refuses it with exit code 2 and a place in the file
    ends        `firn run` ends with 0, or 3 with a sentence, within 120 s
    walls       no particle is more than 1.05 cells behind a closed wall
    finite      every number of the ledger
    energy      where nothing moves and nothing is held: kinetic, elastic, potential energy and the
                work spent never exceed their start by more than 2 % of the largest kinetic energy
    threads     the same state hash with 1 and 3 threads
    expected    the run takes no more than 4 times the steps that `check` makes one expect; those
                beyond are counted, not wrong

Scenes for which something does not hold are kept in FOLDER (random_scenes). The numbers by kind
are the last line."""
import argparse
import csv
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

WALLS = ['open', 'stick', 'slip', 'separate', 'mirror']
PRESETS = ['rubber', 'mud', 'water', 'honey', 'powder_snow', 'dry_sand', 'copper', 'bread_dough']


def presets(firn):
    """Those that the program knows, of all laws."""
    text = subprocess.run([firn, 'materials'], capture_output=True, text=True).stdout
    words = re.findall(r'\w+', ' '.join(re.findall(r'presets?:(.*)', text)))
    return words or PRESETS


def scene(chance, names, k):
    """Text of a scene, and whether its energy can only fall."""
    size = 10 ** chance.uniform(-3, 2)
    dx = size / chance.uniform(3, 8)
    box = math.ceil(3 * size / dx / 4) * 4 * dx
    wall = chance.choice(WALLS)
    still = True
    speed = chance.choice([0, 0, 1]) * 10 ** chance.uniform(-1, 0.5) * math.sqrt(9.81 * size)
    lines = [f'scene: {{name: r{k}, frames: 3, fps: {1 / (0.3 * math.sqrt(size / 9.81)):.6g}, '
             f'precision: {chance.choice(["float", "double"])}}}',
             f'grid: {{dx: {dx!r}, spline: {chance.choice(["quadratic", "cubic"])}, box_min: [{-box!r}, 0, {-box!r}], '
             f'box_max: [{box!r}, {2 * box!r}, {box!r}], walls: {wall}, wall_friction: {chance.choice([0, 0.3, 1])}}}',
             f'time: {{cfl: {chance.choice([0.2, 0.4, 0.4, 0.6])}}}',
             f'transfer: {{scheme: {chance.choice(["apic", "flip", "pic", "aflip"])}, flip_blend: {chance.choice([0.5, 0.95])}, '
             f'force: {chance.choice(["mls", "gradient"])}}}',
             f'gravity: [0, {-chance.choice([0, 9.81])}, 0]',
             f'materials: {{m: {{preset: {chance.choice(names)}}}}}',
             f'bodies:\n  b: {{material: m, particles_per_cell: {chance.choice([1, 4, 8])}, '
             f'sampling: {chance.choice(["regular", "jittered"])}, velocity: [{speed:.6g}, {-speed / 2:.6g}, 0], '
             f'shape: {{kind: {chance.choice(["sphere", "box"])}, '
             f'radius: {size / 2!r}, size: [{size!r}, {size!r}, {size!r}], center: [0, {0.6 * size!r}, 0]}}}}']
    kind = 'sphere' if 'kind: sphere' in lines[-1] else 'box'
    lines[-1] = re.sub(r'size: \[[^]]*\], ' if kind == 'sphere' else r'radius: [^,]*, ', '', lines[-1])
    if chance.random() < 0.5:
        moves = chance.random() < 0.5
        still &= not moves
        v = chance.uniform(-3, 3) * math.sqrt(9.81 * size) if moves else 0
        lines.append(f'colliders:\n  c: {{shape: {{kind: box, size: [{0.1 * size!r}, {size!r}, {size!r}], '
                     f'center: [{size!r}, {0.6 * size!r}, 0]}}, motion: {{velocity: [{v:.6g}, 0, 0]}}, '
                     f'contact: {chance.choice(["stick", "slip", "separate"])}, friction: {chance.choice([0, 0.3, 2])}, '
                     f'particle_pass: {chance.choice(["true", "false"])}}}')
    if chance.random() < 0.2:
        still = False
        lines.append(f'grips:\n  g: {{shape: {{kind: box, size: [{size!r}, {0.4 * size!r}, {size!r}], '
                     f'center: [0, {size!r}, 0]}}, motion: {{velocity: [{chance.uniform(-1, 1) * size:.6g}, 0, 0]}}}}')
    lines.append('outputs: []')
    return '\n'.join(lines) + '\n', still, (wall, box, dx)


def rows_of(shot):
    with open(os.path.join(shot, 'ledger.csv')) as file:
        return [r for r in csv.DictReader(file) if r['material'] == 'all']


def judge(shot, still, place):
    """What does not hold of a finished shot."""
    wall, box, dx = place
    faults, rows = [], rows_of(shot)
    limits = {'min_x': -box, 'max_x': box, 'min_y': 0, 'max_y': 2 * box, 'min_z': -box, 'max_z': box}
    for row in rows:
        for key, value in row.items():
            if key != 'material' and value and not math.isfinite(float(value)) and float(row['n_particles']):
                faults.append(f'finite: {key} is {value}')
        for key, limit in limits.items():
            side = -1 if key.startswith('min') else 1
            if wall != 'open' and side * (float(row[key]) - limit) > 1.05 * dx:
                faults.append(f'walls: {key} is {float(row[key]):g}, {side * (float(row[key]) - limit) / dx:.2g} cells out')
    parts = ('kinetic', 'elastic', 'potential', 'plastic_work', 'viscous_work', 'friction_work')
    sums = [sum(float(r.get(p) or 0) for p in parts) for r in rows]
    kinetic = max(float(r['kinetic']) for r in rows) + 1e-30
    if still and max(sums) - sums[0] > 0.02 * (kinetic + abs(float(rows[0]['elastic']))):
        faults.append(f'energy: grows by {(max(sums) - sums[0]) / kinetic:.2g} of the largest kinetic energy')
    return faults


def run(words, limit):
    environment = dict(os.environ, OMP_WAIT_POLICY='passive')
    try:
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None


def hashes(shot):
    with open(os.path.join(shot, 'frames.jsonl')) as file:
        lines = [json.loads(line) for line in file]
    return [r.get('state_hash') for r in lines], lines[-1]['steps']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('n', type=int, nargs='?', default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--keep', default='random_scenes')
    options = parser.parse_args()
    firn = os.path.join(os.path.abspath(options.build), 'src', 'firn')
    names, folder = presets(firn), tempfile.mkdtemp(prefix='scenes.')
    count = dict.fromkeys(['scenes', 'refused', 'stopped', 'late', 'wrong'], 0)
    for k in range(options.n):
        chance = random.Random(options.seed * 1000003 + k)
        text, still, place = scene(chance, names, k)
        path, shots = os.path.join(folder, f'{k}.yaml'), [os.path.join(folder, f'{k}.{t}') for t in (1, 3)]
        with open(path, 'w') as file:
            file.write(text)
        faults = []
        count['scenes'] += 1
        checked = run([firn, 'check', path], 60)
        if checked is None or checked.returncode not in (0, 2):
            faults.append(f'told: check ends with {checked and checked.returncode}')
        elif checked.returncode == 2:
            count['refused'] += 1
            if f'{path}:' not in checked.stderr:
                faults.append('told: refused without a place')
        else:
            ended = [run([firn, 'run', path, '--out', s, '--progress', 'none', '--threads', s[-1]], 120) for s in shots]
            codes = [e and e.returncode for e in ended]
            if codes[0] != codes[1] or codes[0] not in (0, 3):
                faults.append(f'ends: exit codes {codes}')
            elif codes[0] == 3:
                count['stopped'] += 1
            else:
                faults += judge(shots[0], still, place)
                (one, steps), (three, _) = hashes(shots[0]), hashes(shots[1])
                if one != three:
                    faults.append('threads: other states with 3 threads than with 1')
                told = re.findall(r'([0-9]+) (?:steps per frame|when material)', checked.stdout)
                count['late'] += bool(told and steps > 4 * 3 * max(map(int, told)))
        if faults:
            count['wrong'] += 1
            os.makedirs(options.keep, exist_ok=True)
            shutil.copy(path, options.keep)
            print(f'{k}: ' + '; '.join(faults[:4]), flush=True)
        for shot in shots:
            shutil.rmtree(shot, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    print(', '.join(f'{v} {k}' for k, v in count.items()))
    sys.exit(1 if count['wrong'] else 0)


if __name__ == '__main__':
    main()
