#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py BUILD [--steps N]

One run of N steps (1e7) of a small scene: a cube that swings between two planes without damping
(FLIP 1). What must hold: it ends with 0; memory after the first tenth does not grow; the shot
verifies; all numbers of the ledger are finite; energy never exceeds its start by more than 1 %."""
import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

SCENE = """scene: {{name: soak, frames: {frames}, fps: {fps}, precision: double}}
grid: {{dx: 10 cm, box_min: [-1, 0, -1], box_max: [1, 2, 1], walls: mirror}}
time: {{dt_fixed: 1e-3}}
transfer: {{scheme: flip, flip_blend: 1}}
gravity: [0, 0, 0]
materials: {{jelly: {{law: neo_hookean, rho: 1000, E: 2 kPa, nu: 0.3}}}}
bodies: {{cube: {{material: jelly, shape: {{kind: box, center: [0, 1, 0], size: [0.3, 0.3, 0.3]}}, F: [1.02, 1, 0.98]}}}}
outputs: []
checkpoints: {{every_frames: 0}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--steps', type=float, default=1e7)
    options = parser.parse_args()
    firn = os.path.join(os.path.abspath(options.build), 'src', 'firn')
    folder = tempfile.mkdtemp(prefix='soak.')
    shot = os.path.join(folder, 'shot')
    frames = 100
    fps = frames / (options.steps * 1e-3)
    with open(os.path.join(folder, 'soak.yaml'), 'w') as file:
        file.write(SCENE.format(frames=frames, fps=repr(fps)))
    done = subprocess.run([firn, 'run', os.path.join(folder, 'soak.yaml'), '--out', shot, '--progress', 'none', '--threads',
                           '1'], capture_output=True, text=True)
    faults = []
    if done.returncode:
        sys.exit(f'soak: exit code {done.returncode}: {done.stderr}')
    if subprocess.run([firn, 'verify', '--quiet', shot]).returncode:
        faults.append('the shot does not verify')
    memory, steps = [], 0
    for line in open(os.path.join(shot, 'frames.jsonl')):
        record = json.loads(line)
        memory.append(record['memory'])
        steps = record['steps']
    if max(memory[frames // 10:]) > memory[frames // 10]:
        faults.append(f'memory grows from {memory[frames // 10]} to {max(memory)} bytes')
    energies = []
    for row in csv.DictReader(open(os.path.join(shot, 'ledger.csv'))):
        values = [float(v) for k, v in row.items() if k != 'material' and v not in ('', 'inf', '-inf')]
        if not all(math.isfinite(v) for v in values):
            faults.append('a number of the ledger is not finite')
        if row['material'] == 'all':
            energies.append(float(row['kinetic']) + float(row['elastic']))
    growth = max(energies) / energies[0] - 1
    if growth > 0.01:
        faults.append(f'energy grows by {100 * growth:.3g} %')
    print(f'soak: {steps} steps, memory {max(memory)} bytes, energy at most {100 * growth:.2g} % above its start, {len(faults)} faults')
    for fault in faults:
        print('soak: ' + fault)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
