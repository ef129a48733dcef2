#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_links.py: every relative link of the .md files leads somewhere, and every file that they
name exists.

Checked are the targets of [text](target), with the headings of #anchors; names of sources in
backticks, from the folder of the text, from the root, or by their last parts alone; and, in
blocks of commands, what begins with a folder of the root. Names with capitals are placeholders;
what a reader makes while following a text stands in it as <!-- reader makes: NAME ... -->."""

import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FILES = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
SOURCE = re.compile(r"^[\w./-]+\.(c|h|cpp|hpp|py|sh|md|build|yaml)$")
IN_ROOT = re.compile(r"(?:^|[ =])((?:src|include|materials|scenes|tests|tools)/[\w./-]*\w)")


def anchors(path):
    with open(path, encoding="utf-8") as f:
        headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", f.read(), flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


def exists(name, folder):
    return any(os.path.exists(os.path.normpath(os.path.join(f, name))) for f in (folder, ".")) or any(
        f.endswith("/" + name) for f in FILES)


def is_placeholder(name):
    return re.search(r"[A-Z]{3}", re.sub("README|CHANGELOG|CONTRIBUTING|LICENSE", "", name))


wrong = []
for path in (f for f in FILES if f.endswith(".md")):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    folder = os.path.dirname(path)
    made = " ".join(re.findall(r"<!-- reader makes: (.*?) -->", text)).split()
    blocks = re.findall(r"```.*?```|(?:^    .*\n)+", text, re.S | re.M)
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if not re.match(r"\w+:", target):
            name, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(folder, name)) if name else path
            if not os.path.exists(to) or (anchor and anchor not in anchors(to)):
                wrong.append(f"{path}: link to {target}")
    for name in re.findall(r"`([^`\s]+)`", prose):
        if SOURCE.match(name) and not is_placeholder(name) and name not in made and not exists(name, folder):
            wrong.append(f"{path}: `{name}`")
    for name in (n for block in blocks for line in block.split("\n") if "ninja" not in line for n in IN_ROOT.findall(line)):
        if not is_placeholder(name) and name not in made and not os.path.exists(name):
            wrong.append(f"{path}: {name}")
print("\n".join(wrong) if wrong else "every link leads somewhere")
sys.exit(1 if wrong else 0)
