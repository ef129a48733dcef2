#!/bin/bash
# SPDX-License-Identifier: MIT
# mutate.sh [name ...]: makes one small wrong change of the solver at a time, in a copy of the tracked files, and runs the
# verification programs at their quick resolutions. Prints
#
#     mutation | caught by
#
# then `N caught, N survived`, and exits with 1 when a change survives. Without names all changes are tried, with names
# only the programs that their lines name and the quick tests are run. Only the plain double variant is built: the
# changes are in sources that all variants share, and test_sim.c compares the variants with each other. `mutate.sh
# --check` checks only that every change fits the sources (a test of the unit suite).
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
export OMP_WAIT_POLICY=passive FIRN_THREADS=1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
programs='basics symmetry incline mms bar'
tests='contact ledger' # after the program that a line names, these are tried for every change
slow='node_boundary distance_cache sim'  # only where a line names it

# name | file | text in it | text instead | the program most likely to notice, tried first
mutations() {
cat <<'LIST'
force-sign|src/mpm/transfer.c|(real)(-transfer->dt / transfer->h)|(real)(transfer->dt / transfer->h)|basics
weights-shifted|src/mpm/transfer.c|fr_clamp(fr_floor(x), fr_set1(-1)|fr_clamp(fr_floor(x + half * half), fr_set1(-1)|basics
weight-constant|src/mpm/transfer.c|two_thirds = (real)(2.0 / 3)|two_thirds = (real)(2.001 / 3)|basics
gradient-entry|src/mpm/transfer.c|g[1] = t * (three_halves * t - 2)|g[1] = t * (three_halves * t - 1)|basics
affine-part-omitted|src/mpm/transfer.c|affine ? mh * fr_load|0 ? mh * fr_load|basics
affine-scale|src/mpm/transfer.c|(is_quadratic ? 4.0 : 3.0) / transfer->h|(is_quadratic ? 3.0 : 4.0) / transfer->h|basics
momentum-without-mass|src/mpm/transfer.c|q[i] = m * fr_load(v|q[i] = fr_load(v|basics
flip-against-new-velocity|src/mpm/transfer.c|(fr_load(v + i * 16 + l) - old[i])|(fr_load(v + i * 16 + l) - u[i])|basics
shear-stresses-swapped|src/mpm/transfer.c|{{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}|{{0, 3, 5}, {3, 1, 4}, {5, 4, 2}}|symmetry
grad-v-transposed|src/mpm/transfer.c|L[3 * i + a] = c[i] * (gradient|L[3 * a + i] = c[i] * (gradient|mms
position-by-half|src/mpm/transfer.c|keeps_places ? 0 : transfer->dt / transfer->h|keeps_places ? 0 : 0.5 * transfer->dt / transfer->h|basics
gravity-twice|src/mpm/block_loops.c|sim->dt * sim->scene.gravity[a]|2 * sim->dt * sim->scene.gravity[a]|basics
unfold-omitted|src/mpm/block_loops.c|    firn_mirror_wall_unfold(sim);|    ;|bar
fold-omitted|src/mpm/block_loops.c|    firn_mirror_wall_fold(sim, sim->dt);|    ;|mms
dt-without-wave|src/solver/time_step.c|rate > 0 ? def->cfl / rate : INFINITY|sim->rates.max_speed > 0 ? def->cfl * sim->h / sim->rates.max_speed : INFINITY|basics
dt-twice-cfl|src/solver/time_step.c|? def->cfl / rate :|? 2 * def->cfl / rate :|basics
wall-off|src/mpm/mirror_wall.c|[axis] / sim->h);|[axis] / sim->h + 0.6);|bar
mirror-keeps-normal|src/mpm/mirror_wall.c|put(sim, nodes, b + (size_t)c, sign * get|put(sim, nodes, b + (size_t)c, get|bar
mirror-gravity-not-mirrored|src/mpm/mirror_wall.c|back = is_reversed ? 2 * mass * m->fall[c] : 0|back = 0 * c|ledger
mirror-ledger-half|src/mpm/mirror_wall.c|add_impulse(m, from, c, -2 * mass * (v|add_impulse(m, from, c, -1 * mass * (v|ledger
friction-without-clamp|src/solver/contact.c|keep = t > friction * press ? 1 - friction * press / t : 0;|keep = 1 - friction * press / (t + 1e-300);|contact
friction-without-pressure|src/solver/contact.c|t > friction * press ? 1 - friction * press / t : 0|t > friction ? 1 - friction / (t + 0 * press) : 0|incline
contact-never-opens|src/solver/contact.c|contact == FIRN_SEPARATE && un >= adhesion|contact == FIRN_SEPARATE && un >= 1e9|basics
collider-sunk|src/solver/contact.c|if (!(s->distance <= reach)) return 0;|if (!(s->distance <= reach - 0.025)) return 0;|incline
touches-too-early|src/mpm/contact_gap.c|filled(sim->scene.grid.spline|2 * filled(sim->scene.grid.spline|node_boundary
gap-from-node|src/mpm/contact_gap.c|center[a] = x[a] + sum[a] / sum[3] * h|center[a] = x[a]|node_boundary
face-too-wide|src/mpm/contact_points.c|return 0.5 * edge * sum|return 0.7 * edge * sum|first_step
face-gap-ignored|src/mpm/contact_points.c|before >= 0 ? -gap / sim->dt|before >= 0 ? v_n|first_step
grip-lets-go|src/mpm/node_boundary.c|if (!is_held && firn_shape|if (firn_shape|node_boundary
pull-not-shared|src/solver/grip.c|g->def.force[a] / (double)g->n_particles|g->def.force[a]|bar
pull-a-step-late|src/solver/grip.c|fmin(sim->time + sim->dt, g->def.release)|fmin(sim->time + 2 * sim->dt, g->def.release)|ledger
hold-keeps-velocity|src/solver/grip.c|    firn_pose_velocity(&g->pose, x, v);|    memcpy(v, p->v, sizeof v);|sim
work-of-standing-bodies|src/solver/contact.c|e->work -= d[a] * surface_v[a];|e->work -= d[a] * after[a];|ledger
friction-unbooked|src/solver/contact.c|e->friction += d[a] * (after[a] - surface_v[a]);|e->friction += 0 * d[a];|ledger
shares-without-mass|src/mpm/impulse_split.c|+= own * given|+= 0 * own + given|ledger
caller-force-without-mass|src/mpm/grip_particles.c|impulse[a] = sim->dt * own[a] * mass;|impulse[a] = sim->dt * own[a];|mms
volume-wrong|src/solver/populate.c|volume = firn_sim_particle_volume(sim, spacing[1]);|volume = 1.1 * firn_sim_particle_volume(sim, spacing[1]);|bar
F-transposed-dropped|src/laws/law_common.h|tau[i] = 2 * mu * (s[i] - 1) * s[i] + volumetric|tau[i] = 2 * mu * (s[i] - 1) + volumetric|bar
mu-for-lambda|materials/neo_hookean.c|fr volumetric = q->d[LAW_LAMBDA] * fr_log1p(j)|fr volumetric = q->d[LAW_MU] * fr_log1p(j)|mms
lambda-mu-swapped|src/laws/law_common.h|d[LAW_LAMBDA] = law_lambda(p[LAW_YOUNG], p[LAW_POISSON]);\n    d[LAW_MU] = law_mu|d[LAW_MU] = law_lambda(p[LAW_YOUNG], p[LAW_POISSON]);\n    d[LAW_LAMBDA] = law_mu|mms
volumetric-linearised|materials/neo_hookean.c|fr volumetric = q->d[LAW_LAMBDA] * fr_log1p(j)|fr volumetric = q->d[LAW_LAMBDA] * j|mms
step-along-x-dropped|src/mpm/transfer.c|if (moment) r.q = row_add(r.q, r.X);|;|basics
force-step-along-y-dropped|src/mpm/transfer.c|if (is_apart && j < n - 1) g = row_add(g, f.Y);|;|basics
far-sum-along-x-added|src/mpm/transfer.c|*X = row_subtract(n == 4|*X = row_add(n == 4|basics
first-offset-of-moments|src/mpm/transfer.c|fr_fma(fr_load(in->d[a] + l) + 1, v[i], c[i])|fr_fma(fr_load(in->d[a] + l), v[i], c[i])|basics
quadratic-in-the-last-row|src/mpm/transfer.c|return fr_min(first, last);|return first;|basics
fan-folded-one-off|src/mpm/shifted_rows.h|row_within(zero, r, 4 - z)|row_within(zero, r, z)|basics
columns-of-before-the-sort|src/mpm/workspace.c|mpm->impulse_split.is_kept = mpm->has_reports = 0;|mpm->impulse_split.is_kept = 0;|sim
sort-by-old-cell|src/mpm/sort_kernels.c|fr_floor(at - 4 * shift - half)|fr_floor(at - half)|sim
blank-lanes-kept|src/mpm/sort_kernels.c|to[l] = (type)g->blank[c];|to[l] = from[at[0] + (size_t)c * N];|sim
far-blocks-not-renewed|src/mpm/distance_cache.c|if (!cache->is_kept || !cache->blocks[owner].is_stale) return;|return;|distance_cache
first-offset-along-z|src/mpm/transfer.c|if (with_products) fr_store(out->d[2] + l, first - 2 - at);|if (with_products) fr_store(out->d[2] + l, first - 1 - at);|basics
edge-unsaid|materials/st_venant_kirchhoff.c|q->is_edge = fr_lt(nearest, edge);|(void)edge, (void)nearest;|sim
failure-unsaid|materials/st_venant_kirchhoff.c|q->failed = fr_le(least, zero);|q->failed = fr_le(zero, zero - 1);|bar
LIST
}

# fits file old: is the text there?  apply file old new: puts the new text in its place
edit() {
    python3 - "$@" <<'PY'
import sys
path, old, *new = sys.argv[1], *(a.replace('\\n', '\n') for a in sys.argv[2:])
text = open(path).read()
if old not in text: sys.exit(1)
if new: open(path, 'w').write(text.replace(old, new[0]))
PY
}
misfit() { echo "mutate: '$1' no longer fits $2; adapt its line" >&2; }
if [ "${1:-}" = --check ]; then
    misfits=0 count=0
    while IFS='|' read -r name file old new first; do
        count=$((count + 1))
        [ -n "$first" ] && edit "$file" "$old" || { misfit "$name" "$file"; misfits=$((misfits + 1)); }
    done < <(mutations)
    echo "$count changes, $misfits do not fit"
    [ "$count" -ge 20 ] && [ "$misfits" -eq 0 ]
    exit
fi

mkdir "$work/tree"
git ls-files -z --cached | xargs -0 cp --parents -t "$work/tree" || exit 1
cd "$work/tree" || exit 1
sed -i "s/host_machine.cpu_family() != 'x86_64'/true/" src/meson.build
sed -i 's/#if !defined(__x86_64__)/#if 1/' src/simd/variants.h
sed -i 's/defined(__x86_64__)/0/' src/simd/variants.c
meson setup build -Dwerror=false >../log 2>&1 || { cat ../log; exit 1; }
named() { # the programs named by the changes that are asked for
    mutations | while IFS='|' read -r name file old new first; do
        [ $# -gt 0 ] && [[ " $* " != *" $name "* ]] || echo "$first"
    done
}
is_named() { [[ " $names " == *" $1 "* ]]; }
names=$(named "$@" | tr '\n' ' ')
for p in $slow; do ! is_named "$p" || tests="$tests $p"; done
programs=$(for p in $programs; do ! is_named "$p" || echo "$p"; done)
targets=$(for p in $programs; do echo "tests/verify_$p"; done; for p in $tests; do echo "tests/test_$p"; done)
build() { nice ninja -C build $targets >../log 2>&1; }
notices() {
    if [[ " $tests " == *" $1 "* ]]; then
        ! timeout 600 nice "build/tests/test_$1" >../rows 2>&1
    else
        ! timeout 600 nice "build/tests/verify_$1" --quick >../rows 2>&1
    fi
}
programs="$programs $tests"

build || { tail -30 ../log; exit 1; }
for p in $programs; do # none may fail without a change
    if notices "$p"; then
        echo "mutate: verify_$p fails already without any change:" >&2
        cat ../rows >&2
        exit 1
    fi
done

survived=0 caught=0
printf '%-28s | %s\n' mutation 'caught by'
while IFS='|' read -r name file old new first; do
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    cp "$file" ../kept
    edit "$file" "$old" "$new" || { misfit "$name" "$file"; exit 1; }
    by=''
    if ! build; then
        tail -20 ../log >&2
        echo "mutate: '$name' does not compile; adapt its line" >&2
        exit 1
    fi
    for p in $first $(tr ' ' '\n' <<<"$programs" | grep -vwE "$first|$slow"); do
        if notices "$p"; then
            by="$p: $(grep -m1 -E 'MISSED|stopped|refused|took|halvings|met after|ERROR' ../rows | cut -d, -f1)"
            break
        fi
    done
    printf '%-28s | %s\n' "$name" "${by:-NOTHING}"
    if [ -n "$by" ]; then caught=$((caught + 1)); else survived=$((survived + 1)); fi
    cp ../kept "$file"
done < <(mutations)
echo "$caught caught, $survived survived"
[ "$survived" -eq 0 ]
