#!/bin/bash
# SPDX-License-Identifier: MIT
# browser.sh FIRN SOURCE: a study's report in a real browser, headless: it must open from disk and show its curves, that
# is, the picture must hold every colour of the palette's first four. Skipped (77) where there is no Chromium.
firn=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$firn" compare "$source/scenes/studies/figures_5_7.yaml" --out "$folder" >"$folder/out" 2>&1 || { cat "$folder/out"; exit 1; }
"$source/tools/screenshot.sh" "$folder/report.html" "$folder/report.png" 1280 1600 || {
    code=$?
    [ $code -ne 77 ] || echo "skipped: Chromium is not installed"
    exit $code
}
python3 - "$folder/report.png" <<'END'
import struct, sys, zlib
data, at, packed = open(sys.argv[1], 'rb').read(), 8, b''
while at < len(data):
    length, kind = struct.unpack('>I4s', data[at:at + 8])
    chunk = data[at + 8:at + 8 + length]
    if kind == b'IHDR': width, height, depth, color = struct.unpack('>IIBB', chunk[:10])
    if kind == b'IDAT': packed += chunk
    at += length + 12
n = {2: 3, 6: 4}[color]
raw, before, seen = zlib.decompress(packed), bytearray(width * n), set()
for y in range(height):
    kind, line = raw[y * (width * n + 1)], bytearray(raw[y * (width * n + 1) + 1:(y + 1) * (width * n + 1)])
    for i in range(len(line)):
        a, b, c = line[i - n] if i >= n else 0, before[i], before[i - n] if i >= n else 0
        p = a + b - c
        pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
        paeth = a if pa <= pb and pa <= pc else b if pb <= pc else c
        line[i] = (line[i] + [0, a, b, (a + b) // 2, paeth][kind]) & 255
    before = line
    for x in range(0, width * n, n): seen.add(bytes(line[x:x + 3]))
wanted = ['0072b2', 'd55e00', '009e73', 'cc79a7']
missing = [w for w in wanted if bytes.fromhex(w) not in seen]
if missing: sys.exit('the page shows nothing in ' + ' '.join(missing))
END
