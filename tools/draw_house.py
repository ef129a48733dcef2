#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""draw_house.py [--check] [--calls BUILD]: the folders of src/, their sizes and the edges between them.

A file may include only files of its own folder and of those that stand before it in `folders` of
src/meson.build. --check prints what goes against that and exits with 1 if anything does. --calls
reads the objects of a build (nm) as well: calls against the direction, and call cycles of more
than two files, are reported in the same way."""

import collections
import os
import re
import subprocess
import sys

SRC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src")


def folder_order():
    with open(os.path.join(SRC, "meson.build"), encoding="utf-8") as f:
        return re.findall(r"'(\w+)'", re.search(r"folders = \[(.*?)\]", f.read(), re.S).group(1))


def sources():
    for base, _, names in sorted(os.walk(SRC)):
        for name in sorted(names):
            if re.search(r"\.(c|h|cpp|hpp)$", name):
                yield os.path.relpath(os.path.join(base, name), SRC)


def top(path):
    return path.split("/")[0]


def objects(build):
    """The functions that each file defines and those that it wants from others."""
    defined, wanted = {}, collections.defaultdict(set)
    by_object = {re.sub(r"[/.]", "_", p): p for p in sources()}
    for base, _, names in os.walk(os.path.join(build, "src")):
        for name in names:
            path = by_object.get(re.sub(r"[/.]", "_", name[:-2])) if name.endswith(".o") else None
            if not path:
                continue
            listing = subprocess.run(["nm", os.path.join(base, name)], capture_output=True, text=True, check=True)
            for line in listing.stdout.splitlines():
                kind, symbol = line.split()[-2:]
                symbol = re.sub(r"_f(32|64)_\w+$", "", symbol)
                if kind in "TDRB" and symbol.startswith("firn_"):
                    defined[symbol] = path
                elif kind == "U":
                    wanted[path].add(symbol)
    return {(user, defined[s]): s for user in wanted for s in wanted[user] if defined.get(s, user) != user}


def cycles(edges):
    """Strongly connected sets of files (Tarjan)."""
    next_of = collections.defaultdict(list)
    for a, b in edges:
        next_of[a].append(b)
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in next_of[v]:
            if w not in index:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            found.append(sorted(stack[stack.index(v):]))
            del stack[stack.index(v):]

    sys.setrecursionlimit(10000)
    for v in list(next_of):
        if v not in index:
            visit(v)
    return [c for c in found if len(c) > 1]


def main():
    order = folder_order()
    rank = {name: i for i, name in enumerate(order)}
    files, lines, edges, wrong = collections.Counter(), collections.Counter(), collections.Counter(), []
    for path in sources():
        with open(os.path.join(SRC, path), encoding="utf-8") as f:
            text = f.read()
        files[top(path)] += 1
        lines[top(path)] += text.count("\n")
        for number, line in enumerate(text.splitlines(), 1):
            found = re.match(r'#include "([^"]+)"', line)
            if not found or found.group(1).startswith("firn/"):
                continue
            if rank.get(top(found.group(1)), 99) > rank[top(path)]:
                wrong.append(f"src/{path}:{number}: {top(path)} may not include {found.group(1)}")
            elif top(found.group(1)) != top(path):
                edges[top(path), top(found.group(1))] += 1
    if "--calls" in sys.argv:
        calls = objects(sys.argv[sys.argv.index("--calls") + 1])
        for (a, b), symbol in sorted(calls.items()):
            if rank[top(b)] > rank[top(a)]:
                wrong.append(f"src/{a} calls {symbol} of src/{b}, against the direction")
        for cycle in cycles(calls):
            if len(cycle) > 2:
                wrong.append("call cycle: " + " ".join(cycle))
    if "--check" not in sys.argv:
        print(f"{'folder':10} {'files':>5} {'lines':>6}  includes from")
        for name in order:
            to = "  ".join(f"{o} {edges[name, o]}" for o in order if edges[name, o])
            print(f"{name:10} {files[name]:5} {lines[name]:6}  {to}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
