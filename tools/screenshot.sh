#!/bin/bash
# SPDX-License-Identifier: MIT
# screenshot.sh PAGE.html PICTURE.png [WIDTH [HEIGHT]]: a picture of a report in headless Chromium. Exit code 77 (skipped)
# without Chromium.
set -e
page=$1 picture=$2 width=${3:-1280} height=${4:-4000}
[ -f "$page" ] && [ -n "$picture" ] || { echo "usage: screenshot.sh PAGE.html PICTURE.png [WIDTH [HEIGHT]]" >&2; exit 1; }
for browser in chromium chromium-browser google-chrome ""; do command -v "$browser" >/dev/null 2>&1 && break; done
[ -n "$browser" ] || { echo "screenshot.sh: Chromium is not installed; try: apt install chromium" >&2; exit 77; }
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
options=(--headless=new --disable-gpu --hide-scrollbars --user-data-dir="$profile" --window-size="$width,$height")
[ "$(id -u)" -ne 0 ] || options+=(--no-sandbox) # a browser refuses to sandbox as root
timeout 90 "$browser" "${options[@]}" --screenshot="$(realpath "$picture")" "file://$(realpath "$page")" >/dev/null 2>&1
[ -s "$picture" ] || { echo "screenshot.sh: $browser made no picture" >&2; exit 1; }
