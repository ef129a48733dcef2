#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutants.py [--make N] [--seed S] [--group NAME]... [--only K] [--again] [--whole] [--list] [--check]

Breaks the sources by rule, one small change at a time, and asks whether the tests notice. The list
with the results is tests/mutants.csv.

    --make N    N new mutants beside those of the list, evenly over groups and rules (seed S, 1)
    --only K    tries the first K that have no result yet, instead of all of them
    --again     tries those that survived once more, also against every other unit test (--whole)
    --list      prints the list by group, and the share that is noticed
    --check     whether every change of the list still fits its file, once; runs nothing

Rules: sign (+ and -), factor (* and /), bound (< and <=, > and >=), swap (min and max), constant
(a literal times 1.25, or one more), index ([0] and [1], [a] and [2 - a]), condition (! removed,
&& and ||), sum (+= and -=). Comments, texts, preprocessor lines, messages and tables of help are
left out. What does not compile is no mutant, and another takes its place.

A mutant is noticed when a test program fails, or does not end in ten times its time. The tests of
its group are tried in order. Columns: id, group, file, line, rule, old, new (the whole line),
noticed by (a test; `none`; empty: not tried), reason (by hand, for those that survive: what makes
the change harmless, or what is missing). The line number is where it stood; `old` decides.

The tree is copied and built once with two variants of the kernels; each mutant builds what depends
on its file."""
import argparse
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIST = os.path.join(TOP, 'tests', 'mutants.csv')
COLUMNS = ['id', 'group', 'file', 'line', 'rule', 'old', 'new', 'noticed_by', 'reason']

# group: files (folders end in /), tests in the order in which they are tried
GROUPS = {
    'laws': (['materials/', 'src/laws/law_common.h', 'src/laws/law_driver.h'],
             ['laws_closed', 'laws', 'laws_tables', 'history', 'tangent', 'material']),
    'transfer': (['src/mpm/transfer.c', 'src/mpm/shifted_rows.h', 'src/mpm/nodes.c', 'src/mpm/sort.c', 'src/mpm/sort_kernels.c'],
                 ['first_step', 'payload', 'drop', 'ledger', 'save', 'sim']),
    'contact': (['src/mpm/contact_gap.c', 'src/mpm/node_boundary.c', 'src/mpm/distance_cache.c', 'src/solver/contact.c',
                 'src/solver/collider.c', 'src/solver/point_collision.c'],
                ['first_step', 'contact', 'closed_walls', 'ledger', 'node_boundary', 'distance_cache']),
    'boundary': (['src/mpm/mirror_wall.c', 'src/mpm/grip_nodes.c', 'src/mpm/grip_particles.c', 'src/mpm/particle_collision.c',
                  'src/mpm/sink_particles.c', 'src/solver/grip.c', 'src/solver/sink.c', 'src/solver/force.c'],
                 ['first_step', 'closed_walls', 'force', 'contact', 'ledger', 'node_boundary', 'sim']),
    'save': (['src/mpm/save.c', 'src/mpm/save_check.c', 'src/solver/save.c', 'src/shot/checkpoint.c', 'src/shot/manifest.c'],
             ['save', 'checkpoint', 'shot', 'shot_verify', 'emission']),
    'ledger': (['src/mpm/ledger.c', 'src/mpm/impulse_split.c', 'src/solver/ledger.c', 'src/shot/ledger_csv.c',
                'src/solver/time_step.c', 'src/mpm/step_check.c'],
               ['ledger', 'ledger_csv', 'closed_walls', 'first_step', 'drop', 'force', 'sim']),
}

CODE = r'[\w\])]'  # the end of an operand
RULES = [
    ('sign', re.compile(rf'(?<={CODE}) \+ (?=[\w(])'), ' - '),
    ('sign', re.compile(rf'(?<={CODE}) - (?=[\w(])'), ' + '),
    ('factor', re.compile(rf'(?<={CODE}) \* (?=[\w(])'), ' / '),
    ('factor', re.compile(rf'(?<={CODE}) / (?=[\w(])'), ' * '),
    ('bound', re.compile(rf'(?<={CODE}) < (?=[\w(-])'), ' <= '),
    ('bound', re.compile(rf'(?<={CODE}) <= (?=[\w(-])'), ' < '),
    ('bound', re.compile(rf'(?<={CODE}) > (?=[\w(-])'), ' >= '),
    ('bound', re.compile(rf'(?<={CODE}) >= (?=[\w(-])'), ' > '),
    ('swap', re.compile(r'\bfr_min\('), 'fr_max('),
    ('swap', re.compile(r'\bfr_max\('), 'fr_min('),
    ('swap', re.compile(r'\bfmin\('), 'fmax('),
    ('swap', re.compile(r'\bfmax\('), 'fmin('),
    ('swap', re.compile(r'\bfr_lt\('), 'fr_gt('),
    ('swap', re.compile(r'\bfr_gt\('), 'fr_lt('),
    ('constant', re.compile(r'(?<![\w.\[])(\d+\.\d+)(?![\w.\]])'), lambda m: repr(1.25 * float(m[1]))),
    ('constant', re.compile(r'(?<![\w.\[(])([2-9])(?= [*/])'), lambda m: str(int(m[1]) + 1)),
    ('index', re.compile(r'\[0\]'), '[1]'),
    ('index', re.compile(r'\[1\]'), '[0]'),
    ('index', re.compile(r'\[2\]'), '[0]'),
    ('index', re.compile(r'\[a\]'), '[2 - a]'),
    ('condition', re.compile(r'(?<=[( ])!(?=[\w(])(?!=)'), ''),
    ('condition', re.compile(r' && '), ' || '),
    ('condition', re.compile(r' \|\| '), ' && '),
    ('sum', re.compile(r' \+= '), ' -= '),
    ('sum', re.compile(r' -= '), ' += '),
]
# nothing of a result is decided there
SKIPPED = re.compile(r'^\s*#|messages|snprintf|memory|sizeof|static const|_Static_assert|omp |fail|'
                     r'assert|\.doc|summary|capacity|_clear\(|release|FIRN_PRINTF')


def blanked(line):
    """The line with texts and comments as blanks of the same length."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: ' ' * len(m[0]), line)
    line = re.sub(r'/\*.*?\*/', lambda m: ' ' * len(m[0]), line)
    return re.sub(r'(/\*|//).*', lambda m: ' ' * len(m[0]), line)


def code_lines(path):
    """(number, line) of code inside of functions; comments of several lines are skipped."""
    is_comment = is_function = False
    for number, line in enumerate(open(os.path.join(TOP, path)), 1):
        line = line.rstrip('\n')
        if is_comment:
            is_comment = '*/' not in line
            continue
        if line.startswith('{'):
            is_function = True
        if line.startswith('}'):
            is_function = False
        code = blanked(line)
        if '/*' in line and '*/' not in line:
            is_comment = True
        if is_function and not SKIPPED.search(line):
            yield number, line, code


def files_of(group):
    for name in GROUPS[group][0]:
        if not name.endswith('/'):
            yield name
            continue
        for each in sorted(os.listdir(os.path.join(TOP, name))):
            if each.endswith('.c'):
                yield name + each


def sites(group):
    """Every change that the rules allow in the files of a group, by rule."""
    found = {}
    for path in files_of(group):
        text = open(os.path.join(TOP, path)).read()
        for number, line, code in code_lines(path):
            if text.count('\n' + line + '\n') != 1:
                continue
            for rule, pattern, to in RULES:
                for m in pattern.finditer(code):
                    new = line[:m.start()] + (to(m) if callable(to) else to) + line[m.end():]
                    if new != line:
                        found.setdefault(rule, []).append((path, number, line, new))
    return found


def read_list():
    if not os.path.exists(LIST):
        return []
    with open(LIST, newline='') as file:
        return list(csv.DictReader(file))


def write_list(rows):
    with open(LIST, 'w', newline='') as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows)


def make(rows, n, seed, groups):
    """n rows more, evenly over groups, then rules, then at random."""
    chance = random.Random(seed)
    known = {(r['file'], r['old'], r['new']) for r in rows}
    pools = {}
    for group in groups:
        found = sites(group)
        for rule in found:
            chance.shuffle(found[rule])
        pools[group] = found
    number = max([int(r['id']) for r in rows], default=0)
    for k in range(n):
        group = groups[k % len(groups)]
        rules = sorted(r for r in pools[group] if pools[group][r])
        if not rules:
            continue
        rule = rules[k // len(groups) % len(rules)]
        while pools[group][rule]:
            path, line, old, new = pools[group][rule].pop()
            if (path, old, new) not in known:
                number += 1
                rows.append({'id': number, 'group': group, 'file': path, 'line': line, 'rule': rule, 'old': old,
                             'new': new, 'noticed_by': '', 'reason': ''})
                known.add((path, old, new))
                break


def fits(root, row):
    text = open(os.path.join(root, row['file'])).read()
    return ('\n' + text).count('\n' + row['old'] + '\n') == 1


class Tree:
    """A copy of the tracked files with a build."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='mutants.')
        self.root = os.path.join(self.folder, 'tree')
        names = subprocess.run(['git', 'ls-files', '-z', '--cached'], cwd=TOP, check=True, capture_output=True).stdout
        for name in names.decode().split('\0'):
            if name and os.path.exists(os.path.join(TOP, name)):
                to = os.path.join(self.root, name)
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy2(os.path.join(TOP, name), to)
        self.environment = dict(os.environ, OMP_WAIT_POLICY='passive', FIRN_THREADS='1', OMP_NUM_THREADS='2')
        self.run(['meson', 'setup', 'build', '-Dwerror=false', '-Dc_args=-DFIRN_FEW_VARIANTS'], 600)
        self.seconds = {}

    def run(self, command, limit):
        """The exit code; None: not ended in time."""
        process = subprocess.Popen(['nice', *command], cwd=self.root, env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            return None

    def build(self, tests):
        return self.run(['ninja', '-C', 'build', *(f'tests/test_{t}' for t in tests)], 3600) == 0

    def test(self, name):
        """0: passes."""
        if name not in self.seconds:  # without any change, the first time
            begin = time.monotonic()
            if self.run([f'build/tests/test_{name}'], 3600) != 0:
                sys.exit(f'mutants: test {name} fails already without a change')
            self.seconds[name] = time.monotonic() - begin
            return 0
        return self.run([f'build/tests/test_{name}'], 60 + 10 * self.seconds[name])

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def others(tree, tests):
    """All unit tests besides these."""
    text = open(os.path.join(tree.root, 'tests', 'meson.build')).read()
    block = text[text.index('unit_tests = {'):text.index('\n}\n')]
    names = re.findall(r"'(\w+)': \{(?!\n)", block)
    return [n for n in names if n not in tests and os.path.exists(os.path.join(tree.root, 'tests'))]


def try_one(tree, row, whole):
    tests = list(GROUPS[row['group']][1])
    if whole:
        tests += others(tree, tests)
    path = os.path.join(tree.root, row['file'])
    text = open(path).read()
    if not fits(tree.root, row):
        return 'does not fit'
    if not tree.build(tests):
        sys.exit('mutants: the sources do not build without a change')
    for name in tests:
        if name not in tree.seconds:
            tree.test(name)
    try:
        with open(path, 'w') as file:
            file.write(('\n' + text).replace('\n' + row['old'] + '\n', '\n' + row['new'] + '\n', 1)[1:])
        for name in tests:
            if not tree.build([name]):
                return 'does not compile'
            if tree.test(name) != 0:
                return name
        return 'none'
    finally:
        with open(path, 'w') as file:
            file.write(text)


def summary(rows):
    print('group      tried  noticed  survived  without a reason')
    for group in [*GROUPS, 'all']:
        mine = [r for r in rows if group in ('all', r['group']) and r['noticed_by']]
        left = [r for r in mine if r['noticed_by'] == 'none']
        print(f'{group:10} {len(mine):5}  {len(mine) - len(left):7}  {len(left):8}  {sum(not r["reason"] for r in left):5}')
    for row in rows:
        if row['noticed_by'] == 'none':
            print(f"{row['id']}: {row['file']}:{row['line']}: {row['old'].strip()} -> {row['new'].strip()} "
                  f"({row['reason'] or 'no reason yet'})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--make', type=int, default=0, metavar='N')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--group', action='append', choices=GROUPS)
    parser.add_argument('--only', type=int, metavar='K')
    for flag in ('again', 'whole', 'list', 'check'):
        parser.add_argument('--' + flag, action='store_true')
    options = parser.parse_args()
    rows, groups = read_list(), options.group or list(GROUPS)
    if options.check:
        misfits = [r for r in rows if not os.path.exists(os.path.join(TOP, r['file'])) or not fits(TOP, r)]
        for row in misfits:
            print(f"mutants: {row['id']} no longer fits {row['file']}: {row['old'].strip()}")
        print(f'{len(rows)} changes, {len(misfits)} do not fit')
        return
    if options.make:
        make(rows, options.make, options.seed, groups)
        write_list(rows)
    if options.list:
        summary(rows)
        return
    wanted = [r for r in rows if r['group'] in groups and
              (r['noticed_by'] == 'none' if options.again else not r['noticed_by'])][:options.only]
    tree = Tree()
    try:
        for row in wanted:
            found = try_one(tree, row, options.whole)
            print(f"{row['id']:>4} {row['file']}:{row['line']} {row['rule']}: {found}", flush=True)
            if found in ('does not compile', 'does not fit'):
                rows.remove(row)
            else:
                row['noticed_by'] = found
            write_list(rows)
    finally:
        tree.clear()
    summary(rows)


if __name__ == '__main__':
    main()
