# SPDX-License-Identifier: MIT
"""count_tests.py LOG.json: sums the results of `meson test` and prints `N passed, N failed[, N skipped: why]`.

A cmocka program counts by its cases (printed to stderr), any other test as one. A program that died or ran out of time
counts as at least one failure. The exit code is 1 on any failure and where no test was run.
"""
import json
import re
import sys

VERDICT = re.compile(r"^\[  (PASSED|FAILED|SKIPPED)\s*\]\s+(\d+) test\(s\)", re.M)
SKIP_REASON = re.compile(r"^skipped: (.*)$", re.M)


def count(test):
    """(passed, failed, skipped) of one line of the log."""
    output = test.get("stdout", "") + "\n" + test.get("stderr", "")
    cases = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
    for word, n in VERDICT.findall(output):
        cases[word] += int(n)
    is_good = test["result"] in ("OK", "EXPECTEDFAIL")
    if test["result"] == "SKIP":
        return 0, 0, max(1, cases["SKIPPED"])
    if not is_good:
        return cases["PASSED"], max(1, cases["FAILED"]), cases["SKIPPED"]
    if sum(cases.values()) == 0:
        return 1, 0, 0
    return cases["PASSED"], cases["FAILED"], cases["SKIPPED"]


def main(path):
    passed = failed = skipped = 0
    reasons, failures = [], []
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            tests = [json.loads(line) for line in log if line.strip()]
    except OSError as error:
        print(f"count_tests: no log of tests: {error}", file=sys.stderr)
        tests = []
    for test in tests:
        p, f, s = count(test)
        passed, failed, skipped = passed + p, failed + f, skipped + s
        if f:
            failures.append(f"{test['name']} ({test['result'].lower()}, {test.get('duration', 0):.0f} s)")
        if s:
            given = SKIP_REASON.findall(test.get("stdout", "") + "\n" + test.get("stderr", ""))
            reasons += given or [test["name"]]
    for failure in failures:
        print("failed:", failure)
    if not tests:
        failed = 1
    line = f"{passed} passed, {failed} failed"
    if skipped:
        line += f", {skipped} skipped: " + "; ".join(sorted(set(reasons)))
    print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
