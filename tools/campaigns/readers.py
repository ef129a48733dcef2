#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readers.py BUILD [N] [--seed S] [--keep FOLDER]

N damaged files (1,000) through the program: caches of every format, meshes, scenes, studies, and
the checkpoint, manifest and records of a shot. Bytes are changed, lost, inserted, set to extremes;
checkpoints, manifests and lines of records are sealed again (XXH64), so that it is their contents
that must be checked. What must hold:

    ends      exit code 0 to 5, no signal, within 2 s of processor time
    told      one sentence at least where the code is not 0
    memory    at most max(64 MiB, 16 times the file) more than `firn --version` takes

Files for which something does not hold are kept in FOLDER (readers). Run it also with a build of
tools/sanitize.sh, with --any-memory."""
import argparse
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

P = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)
M = (1 << 64) - 1
SCENE = """scene: {name: s, frames: 2, fps: 100}
grid: {dx: 10 cm, box_min: [-1, 0, -1], box_max: [1, 2, 1], walls: separate}
materials: {jelly: {law: snow}}
bodies: {cube: {material: jelly, shape: {kind: box, center: [0, 0.3, 0], size: [0.2, 0.2, 0.2]}, velocity: [0, -1, 0]}}
checkpoints: {every_frames: 1}
outputs: [{format: bgeo, attributes: P v id F material source}, {format: bgeo.gz}, {format: ply}, {format: vtp}, {format: vdb}]
"""
OBJ = 'v 0 0 0\nv 0 0 1\nv 0 1 0\nv 1 0 0\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n'


def turn(x, n):
    return (x << n | x >> (64 - n)) & M


def xxh64(data):
    """XXH64 with seed 0, as base/hash.c."""
    def step(lane, word):
        return turn((lane + word * P[1]) & M, 31) * P[0] & M
    n, at = len(data), 0
    if n >= 32:
        lanes = [(P[0] + P[1]) & M, P[1], 0, -P[0] & M]
        while at + 32 <= n:
            lanes = [step(lane, word) for lane, word in zip(lanes, struct.unpack_from('<4Q', data, at))]
            at += 32
        h = sum(turn(lane, k) for lane, k in zip(lanes, (1, 7, 12, 18))) & M
        for lane in lanes:
            h = ((h ^ step(0, lane)) * P[0] + P[3]) & M
    else:
        h = P[4]
    h = (h + n) & M
    while at + 8 <= n:
        h = (turn(h ^ step(0, struct.unpack_from('<Q', data, at)[0]), 27) * P[0] + P[3]) & M
        at += 8
    if at + 4 <= n:
        h = (turn(h ^ struct.unpack_from('<I', data, at)[0] * P[0] & M, 23) * P[1] + P[2]) & M
        at += 4
    for byte in data[at:]:
        h = turn(h ^ byte * P[4] & M, 11) * P[0] & M
    h = (h ^ h >> 33) * P[1] & M
    h = (h ^ h >> 29) * P[2] & M
    return h ^ h >> 32


def damage(data, chance):
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        if len(data) < 80:
            break
        at = chance.randrange(min(len(data), chance.choice([64, 2000, len(data)])) - 16)
        kind = chance.randrange(6)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            data[at:at + 4] = b'\xff\xff\xff\x7f'
        elif kind == 2:
            del data[at:at + chance.randint(1, 60)]
        elif kind == 3:
            data[at:at] = data[at:at + chance.randint(1, 60)]
        elif kind == 4:
            data[at & ~7:(at & ~7) + 8] = struct.pack('<d', chance.choice([float('nan'), float('inf'), -1e300, 1e18]))
        else:
            data[at & ~3:(at & ~3) + 4] = struct.pack('<f', chance.choice([float('nan'), float('inf'), -1e30, 3e9]))
    return bytes(data)


def seal(name, data):
    """The checksums that the damage has broken."""
    if name.endswith('.firn') and len(data) > 72:
        data = bytearray(data)
        data[48:56] = struct.pack('<Q', len(data) - 72)
        return bytes(data[:-8]) + struct.pack('<Q', xxh64(bytes(data[:-8])))
    if name.endswith('.json'):
        m = re.search(rb',?\s*"checksum": "[0-9a-f]{16}"\s*}\s*$', data)
        if m:
            return data[:m.start()] + re.sub(rb'[0-9a-f]{16}', b'%016x' % xxh64(data[:m.start()]), m[0])
    return data


def commands(firn, name, path, shot):
    if name.endswith('.firn'):
        return [[firn, 'resume', shot, '--frames', ':3', '--progress', 'none', '--threads', '1']]
    if name.endswith('.json') or name.endswith('.jsonl') or name.endswith('.csv'):
        return [[firn, 'verify', shot], [firn, 'info', shot]]
    if name.endswith('.yaml'):
        return [[firn, 'check', path]]
    if name.endswith('.obj'):
        return [[firn, 'run', path + '.scene', '--out', shot + '.o', '--overwrite', '--frames', ':0', '--progress', 'none']]
    return [[firn, 'info', path], [firn, 'verify', path], [firn, 'convert', path, path + '.ply']]


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command):
    """Exit code, stderr, processor seconds, bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pid = os.fork()
        if pid == 0:
            limits()
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os.execve(command[0], command, dict(os.environ, OMP_WAIT_POLICY='passive', OMP_NUM_THREADS='1'))
        _, status, use = os.wait4(pid, 0)
        err.seek(0)
        return os.waitstatus_to_exitcode(status), err.read().decode(errors='replace'), use.ru_utime + use.ru_stime, 1024 * use.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('n', type=int, nargs='?', default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--keep', default='readers')
    parser.add_argument('--any-memory', action='store_true')
    options = parser.parse_args()
    firn = os.path.join(os.path.abspath(options.build), 'src', 'firn')
    folder = tempfile.mkdtemp(prefix='readers.')
    whole, shot = os.path.join(folder, 'whole'), os.path.join(folder, 'shot')
    files = {'scene.yaml': SCENE.encode(), 'mesh.obj': OBJ.encode()}
    with open(os.path.join(folder, 'scene.yaml'), 'w') as file:
        file.write(SCENE)
    if run([firn, 'run', os.path.join(folder, 'scene.yaml'), '--out', whole, '--progress', 'none', '--threads', '1'])[0]:
        sys.exit('readers: the sample shot cannot be made')
    for root, _, names in os.walk(whole):
        for name in names:
            path = os.path.relpath(os.path.join(root, name), whole)
            if not re.search(r'\.0000\.|\.000001\.', path):
                files[path] = open(os.path.join(root, name), 'rb').read()
    base, wrong, n_by_kind = run([firn, '--version'])[3], 0, {}
    for k in range(options.n):
        chance = random.Random(options.seed * 1000003 + k)
        name = sorted(files)[k % len(files)]
        data = seal(name, damage(files[name], chance))
        kind = re.sub(r'.*?\.(?:\d+\.)?', '', os.path.basename(name), count=1)
        n_by_kind[kind] = n_by_kind.get(kind, 0) + 1
        shutil.rmtree(shot, ignore_errors=True)
        if name in ('scene.yaml', 'mesh.obj'):
            path = os.path.join(folder, 'x.' + name)
            with open(path + '.scene', 'w') as file:
                file.write(SCENE.replace('{kind: box, center: [0, 0.3, 0], size: [0.2, 0.2, 0.2]}',
                                         '{kind: mesh, file: x.mesh.obj}'))
        else:
            shutil.copytree(whole, shot)
            path = os.path.join(shot, name)
        with open(path, 'wb') as file:
            file.write(data)
        for command in commands(firn, name, path, shot):
            code, said, seconds, memory = run(command)
            room = max(64 << 20, 16 * len(data))
            faults = []
            if code < 0 or code > 5:
                faults.append(f'ends with {code}')
            if seconds > 2:
                faults.append(f'{seconds:.1f} s')
            if code and 'firn: ' not in said:
                faults.append('no sentence')
            if not options.any_memory and memory - base > room:
                faults.append(f'{(memory - base) >> 20} MiB of {room >> 20}')
            if faults:
                wrong += 1
                os.makedirs(options.keep, exist_ok=True)
                shutil.copy(path, os.path.join(options.keep, f'{k}.{os.path.basename(name)}'))
                print(f'{k} {name}: firn {command[1]}: ' + ', '.join(faults) + f': {said.strip()[:120]}', flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    print(f'{options.n} files (' + ', '.join(f'{v} {k}' for k, v in sorted(n_by_kind.items())) + f'), {wrong} wrong')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
