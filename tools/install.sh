#!/bin/bash
# SPDX-License-Identifier: MIT
# install.sh KIND...: installs the missing Debian packages of tools/packages.txt of the given kinds (required,
# optional, test, ci, look). With all of them installed, by dpkg, it needs neither network nor root. A missing
# required package is an error, any other a warning, since firn and its tests work without. Returns 1 on error.
set -u
cd "$(dirname "$0")/.." || exit 1

names() { awk -v kind="$1" '$1 == kind { print $2 }' tools/packages.txt; }
is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
missing() { for package in $(names "$1"); do is_installed "$package" || echo "$package"; done; }

command -v dpkg-query >/dev/null || {
    echo "install: not a Debian system; try: install the packages of tools/packages.txt by hand" >&2
    exit 0
}

as_root=""
if [ "$(id -u)" -ne 0 ]; then as_root="sudo -n"; fi
export DEBIAN_FRONTEND=noninteractive

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Another package manager (an update in the background, a second install) holds the lock for a while: wait for it, and
# say so, for up to FIRN_LOCK_SECONDS.
apt() {
    local waited=0 code
    while true; do
        $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 "$@" </dev/null >"$log" 2>&1
        code=$?
        [ $code -ne 0 ] && grep -qiE '(could not get|unable to acquire|unable to lock).*(lock|director)' "$log" || return $code
        [ $waited -gt 0 ] || echo "install: another package manager is at work; waiting for it" >&2
        [ $waited -lt "${FIRN_LOCK_SECONDS:-900}" ] || return $code
        sleep 2
        waited=$((waited + 2))
    done
}

is_updated=0
apt_install() {
    local code
    if [ $is_updated -eq 0 ]; then
        apt update || echo "install: apt-get update failed; continuing" >&2
        is_updated=1
    fi
    apt install --no-install-recommends "$@"
    code=$?
    [ $code -eq 0 ] || tail -n 5 "$log" >&2
    return $code
}

for kind in "$@"; do
    [ -n "$(names "$kind")" ] || { echo "install: unknown kind ($kind); allowed: those in tools/packages.txt" >&2; exit 1; }
    wanted=$(missing "$kind")
    if [ -z "$wanted" ]; then
        echo "install: $kind packages are installed"
        continue
    fi
    echo "install: $kind packages to install:" $wanted
    if ! apt_install $wanted && [ "$kind" != required ]; then
        for package in $wanted; do apt_install "$package" || echo "install: $package is not available; continuing without" >&2; done
    fi
    left=$(missing "$kind")
    if [ -n "$left" ] && [ "$kind" = required ]; then
        echo "install: still missing:" $left "; try: install them by hand" >&2
        exit 1
    fi
done
exit 0
