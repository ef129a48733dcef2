#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""system_calls.py BUILD [--every N] [--scene SCENE.yaml]

Kills a run at each of its system calls that change the disk, and fails each of them once with EIO,
ENOSPC and EINTR. What must hold:

    killed        the shot verifies, or had not begun; `firn resume`, or a run where there is no
                  checkpoint, ends with the state of an undisturbed run
    EIO, ENOSPC   exit code 4 with a sentence, or the call did not matter (0); the shot verifies
    EINTR         the call is tried again: exit code 0, the state of an undisturbed run

--every N takes every Nth call. Prints a line for each fault and the numbers at the end."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Campaign:
    def __init__(self, build, scene):
        self.firn = os.path.join(os.path.abspath(build), 'src', 'firn')
        self.scene = scene
        self.folder = tempfile.mkdtemp(prefix='calls.')
        self.shot = os.path.join(self.folder, 'shot')
        self.shim = os.path.join(self.folder, 'shim.so')
        subprocess.run(['cc', '-shared', '-fPIC', '-O1', '-o', self.shim, os.path.join(HERE, 'shim.c'), '-ldl'],
                       check=True)

    def run(self, words, **shim):
        environment = dict(os.environ, OMP_WAIT_POLICY='passive')
        if shim:
            environment['LD_PRELOAD'] = self.shim
            environment.update({k: str(v) for k, v in shim.items()})
        return subprocess.run([self.firn, *words], env=environment, capture_output=True, text=True, timeout=600)

    def begin(self, **shim):
        shutil.rmtree(self.shot, ignore_errors=True)
        return self.run(['run', self.scene, '--out', self.shot, '--progress', 'none', '--threads', '1', '--frames', ':3',
                         '--set', 'checkpoints.every_frames=1'], **shim)

    def state(self):
        with open(os.path.join(self.shot, 'frames.jsonl')) as file:
            return re.findall(r'"state_hash": "(\w+)"', file.read())

    def verifies(self):
        if not os.path.exists(os.path.join(self.shot, 'manifest.json')):
            return True
        return self.run(['verify', '--quiet', self.shot]).returncode == 0

    def go_on(self):
        """Whether the shot can be brought to its end."""
        folder = os.path.join(self.shot, 'checkpoints')
        has = os.path.isdir(folder) and any(n.startswith('checkpoint.') for n in os.listdir(folder))
        done = self.run(['resume', self.shot, '--frames', ':3', '--progress', 'none']) if has else self.begin()
        return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--scene', default=os.path.join(HERE, '..', '..', 'tests', 'cli', 'tiny.yaml'))
    options = parser.parse_args()
    c = Campaign(options.build, options.scene)
    count = os.path.join(c.folder, 'count')
    if c.begin(SHIM_COUNT=count).returncode != 0:
        sys.exit('system_calls: the undisturbed run fails')
    whole, n = c.state(), int(open(count).read())
    faults = {'kill': {}, 'EIO': {'SHIM_ERRNO': 5}, 'ENOSPC': {'SHIM_ERRNO': 28}, 'EINTR': {'SHIM_ERRNO': 4}}
    wrong = {}
    for name, shim in faults.items():
        wrong[name] = 0
        for k in range(1, n + 1, options.every):
            done = c.begin(**shim, **{'SHIM_KILL' if name == 'kill' else 'SHIM_FAIL': k})
            good = c.verifies()
            if name == 'kill':
                good = good and done.returncode == -9 and c.go_on() and c.verifies() and c.state() == whole
            elif name == 'EINTR':
                good = good and done.returncode == 0 and c.state() == whole
            else:
                good = good and (done.returncode == 0 or (done.returncode == 4 and 'firn: error: ' in done.stderr))
            if not good:
                wrong[name] += 1
                print(f'{name} at call {k}: exit code {done.returncode}: {done.stderr.strip()[:160]}', flush=True)
    tried = len(range(1, n + 1, options.every))
    for name in faults:
        print(f'{name}: {tried} of {n} calls, {wrong[name]} wrong')
    shutil.rmtree(c.folder, ignore_errors=True)
    sys.exit(1 if any(wrong.values()) else 0)


if __name__ == '__main__':
    main()
