#!/bin/bash
# SPDX-License-Identifier: MIT
# farm.sh FIRN SCENE.yaml: job files as a user makes them. The shell target is run for real: a scene in ranges, disturbed
# and undisturbed, and a study, in folders with blanks and quotes; the other targets are compared with their
# specifications (that of Slurm is run by slurm.sh). One line a check that fails; exits with their number.
firn=$(realpath "$1") scene=$(realpath "$2")
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "failed: $*"; failures=$((failures + 1)); }
states() { sed 's/.*"frame": *\([0-9]*\).*"state_hash": *"\([0-9a-f]*\)".*/\1 \2/' "$1/frames.jsonl"; }
cd "$folder" || exit 1
cp "$scene" "it's a \"tiny\".yaml"
scene="it's a \"tiny\".yaml"

# ---------------------------------------------------------------- a scene, run by the shell
"$firn" run "$scene" --out whole --progress none >out 2>&1 || fail "the undisturbed run: $(tail -1 out)"
"$firn" render whole --preview --no-caption >out 2>&1 || fail "the pictures of the undisturbed run: $(tail -1 out)"
"$firn" farm "$scene" --to shell --out "my \$jobs'" --results 'the shot' --chunk 3 --mesh='--format obj' \
    --render='--preview --no-caption' >out 2>&1 || fail "farm: $(cat out)"
grep -q '3 ranges of 3 frames; steps: sim, mesh, render' out || fail "farm does not say what it wrote: $(cat out)"
"./my \$jobs'/run.sh" 2 >out 2>&1 || fail "run.sh: $(cat out)"
[ "$(tail -1 out)" = "9 of 9 tasks done" ] || fail "run.sh: $(tail -1 out)"
cmp -s <(states whole) <(states 'the shot') || fail "a shot made in ranges has other states"
"$firn" verify 'the shot' --quiet || fail "the shot of a farm is damaged"
[ "$(ls 'the shot/surface' | wc -l)" -eq 9 ] || fail "surfaces: $(ls 'the shot/surface')"
diff -rq whole/pictures 'the shot/pictures' >out || fail "pictures made in ranges differ: $(head -3 out)"
rm -r "the shot/surface"
"./my \$jobs'/run.sh" >out 2>&1 || fail "run.sh again: $(cat out)"
[ ! -e 'the shot/surface' ] || fail "tasks that are done are repeated"
"./my \$jobs'/run.sh" many >out 2>&1 && fail "run.sh takes no number of tasks"
"./my \$jobs'/work.sh" paint 1 1 >out 2>&1 && fail "work.sh does an unknown task"
grep -q 'allowed: sim, mesh, render' out || fail "work.sh: $(cat out)"
"./my \$jobs'/work.sh" sim 1 4 >out 2>&1 && fail "work.sh does an unknown range"

# ended in the middle, by TERM and by KILL, and continued; a failing task stops those that wait for it
frames=100
disturb() { # SIGNAL: begins the farm anew and sends the signal to it after some frames
    rm -rf long "long jobs"
    "$firn" farm "$scene" --to shell --out 'long jobs' --results long --set scene.frames=$frames --steps sim --chunk $frames \
        --seconds 0 --overwrite --quiet || fail "farm of the long scene"
    setsid 'long jobs/run.sh' >killed 2>&1 &
    pid=$!
    for _ in $(seq 6000); do [ -e long/frames.jsonl ] && [ "$(wc -l <long/frames.jsonl)" -ge 8 ] && break; sleep 0.02; done
    if [ "$1" = TERM ]; then kill -TERM $pid; else kill -KILL -- -$pid; fi
    wait $pid 2>/dev/null
    code=$?
}
for signal in TERM KILL; do
    disturb $signal
    while [ "$(wc -l <long/frames.jsonl)" -gt $frames ] && [ $frames -lt 100000 ]; do # a quick machine: too late
        frames=$((3 * frames))
        disturb $signal
    done
    for _ in $(seq 600); do pgrep -f -- "--out long --resume" >left || break; sleep 0.1; done
    [ -s left ] && fail "$signal: firn goes on without its farm"
    [ $signal != TERM ] || [ $code -eq 6 ] || fail "TERM: exit code $code: $(cat killed)"
    'long jobs/run.sh' >out 2>&1 || fail "$signal: continuing: $(cat out)"
    grep -q 'continuing after frame' 'long jobs/logs/sim.1.log' || fail "$signal: it does not continue from a checkpoint"
    rm -rf long_whole
    "$firn" run "$scene" --set scene.frames=$frames --out long_whole --progress none || fail "the undisturbed long run"
    cmp -s <(states long_whole) <(states long) || fail "$signal: other states than undisturbed"
done
"$firn" farm "$scene" --to shell --out bad --results whole --set grid.dx=8cm --seconds 0 --quiet || fail "farm into another shot"
bad/run.sh >out 2>&1
[ $? -eq 2 ] || fail "a task that is refused does not end the farm with 2"
grep -q 'another scene' bad/logs/sim.1.log || fail "the shot of another scene: $(cat bad/logs/sim.1.log)"
[ "$(tail -1 out)" = "0 of 3 tasks done" ] || fail "tasks are done whose need has failed: $(cat out)"

# ---------------------------------------------------------------- a study
cat >study.yaml <<END
study: some transfers
scenes: '$(sed "s/'/''/g" <<<"$scene")'
transfers: [apic, flip]
metrics: [top_speed, steps]
END
"$firn" farm study.yaml --to shell --out study_jobs --results 'the study' >out 2>&1 || fail "farm of a study: $(cat out)"
study_jobs/run.sh 2 >out 2>&1 || fail "run.sh of a study: $(cat out)"
[ "$(grep -c ': reused' study_jobs/logs/collect.log)" -eq 2 ] || fail "the report: $(cat study_jobs/logs/collect.log)"
[ -s 'the study/report.html' ] || fail "a farm leaves no report"
"$firn" compare study.yaml --out 'the study' >out 2>&1 || fail "compare: $(tail -1 out)"
[ "$(grep -c ': reused' out)" -eq 2 ] || fail "compare does not find what the farm has run: $(cat out)"
sed -i 's/20 kPa/21 kPa/' "$scene" # another scene under the same names: made anew, not taken for the old one
"$firn" farm study.yaml --to shell --out study_jobs --results 'the study' --overwrite --quiet || fail "farm of the edited study"
study_jobs/run.sh >out 2>&1 || fail "run.sh of the edited study: $(cat out)"
[ "$(grep -c 'complete up to' study_jobs/logs/sim.2.log)" -eq 0 ] || fail "the shot of the older scene is kept"
[ "$(grep -c ': reused' <(tail -4 study_jobs/logs/collect.log))" -eq 2 ] || fail "the edited study: $(tail -4 study_jobs/logs/collect.log)"
sed 's/21 kPa/20 kPa/' "$scene" >swept.yaml
echo 'sweep: {materials.jelly.E: [10 kPa, 20 kPa, 30 kPa]}' >>swept.yaml
"$firn" farm swept.yaml --to slurm --out swept --quiet || fail "farm of a scene with a sweep"
grep -q -- '--array=1-3 ' swept/submit.sh || fail "a sweep is no array: $(grep sbatch swept/submit.sh)"

# ---------------------------------------------------------------- what the other targets write
for target in slurm openjd opencue; do
    "$firn" farm "$scene" --to $target --out $target --chunk 3 --threads 2 --memory 3G --time 30 --quiet || fail "farm --to $target"
    sh -n $target/work.sh || fail "$target: work.sh"
done
bash -n slurm/submit.sh || fail "submit.sh"
for option in --requeue --signal=B:TERM@120 --cpus-per-task=2 --mem=3072M --time=30 --array=1-3 '--dependency=afterok:'; do
    grep -q -- "$option" slurm/submit.sh || fail "slurm: no $option"
done
grep -q 'scontrol requeue' slurm/work.sh || fail "slurm: work.sh does not requeue"
python3 - openjd/job.json <<'END' || fail "openjd: not as the specification of 2023-09 says"
import json, re, sys
job = json.load(open(sys.argv[1]))
assert set(job) == {"specificationVersion", "name", "steps"} and job["specificationVersion"] == "jobtemplate-2023-09"
assert 1 <= len(job["name"]) <= 128
names = [s["name"] for s in job["steps"]]
assert len(set(names)) == len(names) and all(1 <= len(n) <= 64 for n in names)
assert names == ["sim-1", "mesh-1", "sim-2", "mesh-2", "sim-3", "mesh-3", "render"]
needs = {}
for s in job["steps"]:
    assert set(s) <= {"name", "dependencies", "hostRequirements", "parameterSpace", "script"}
    needs[s["name"]] = [d["dependsOn"] for d in s.get("dependencies", [])]
    assert all(n in needs for n in needs[s["name"]]), "a step waits for a later one"
    amounts = {a["name"]: a["min"] for a in s["hostRequirements"]["amounts"]}
    assert amounts == {"amount.worker.vcpu": 2, "amount.worker.memory": 3072}
    action = s["script"]["actions"]["onRun"]
    assert set(action) == {"command", "args", "timeout", "cancelation"} and action["timeout"] == 1800
    assert action["cancelation"] == {"mode": "NOTIFY_THEN_TERMINATE", "notifyPeriodInSeconds": 600}
    assert len(action["args"]) == 3 and all(isinstance(a, str) for a in action["args"])
    for p in s.get("parameterSpace", {}).get("taskParameterDefinitions", []):
        assert p["type"] == "INT" and re.fullmatch(r"\d+(-\d+)?", p["range"]) and "{{Task.Param.%s}}" % p["name"] in action["args"]
assert needs == {"sim-1": [], "mesh-1": ["sim-1"], "sim-2": ["sim-1"], "mesh-2": ["sim-2"], "sim-3": ["sim-2"],
                 "mesh-3": ["sim-3"], "render": ["sim-3"]}
END
python3 - opencue/job.xml <<'END' || fail "opencue: not as its DTD cjsl 1.12 says"
import re, sys, xml.etree.ElementTree as tree
spec = tree.parse(sys.argv[1]).getroot()
order = {"spec": "facility dept show shot user email uid job depends", "job": "paused priority maxretries maxcores layers",
         "layer": "cmd range chunk cores threadable memory services", "depend": "depjob deplayer onjob onlayer"}
for name, allowed in order.items():
    for e in [spec] if name == "spec" else spec.iter(name):
        at = [allowed.split().index(child.tag) for child in e]
        assert at == sorted(at), name
layers = {l.get("name"): l for l in spec.iter("layer")}
assert list(layers) == ["sim", "mesh", "render"]
for name, layer in layers.items():
    assert layer.get("type") in ("Render", "Util", "Post") and re.fullmatch(r"[A-Za-z]\w{2,}", name)
    assert layer.findtext("range") == "1-3" and layer.findtext("cores") == "2.0" and layer.findtext("memory") == "3072m"
    assert layer.findtext("cmd").endswith("work.sh %s 1 #IFRAME#" % name)
depends = {(d.get("type"), d.findtext("deplayer"), d.findtext("onlayer")) for d in spec.iter("depend")}
assert depends == {("PREVIOUS_FRAME", "sim", "sim"), ("FRAME_BY_FRAME", "mesh", "sim"), ("LAYER_ON_LAYER", "render", "sim")}
assert all(d.findtext("depjob") == d.findtext("onjob") == spec.find("job").get("name") for d in spec.iter("depend"))
END

# ranges cover every frame once, and each has one with caches
for how in '1 1 8' '3 2 9' '5 4 52' '7 3 50' '40 1 8' '10 6 61'; do
    set -- $how
    "$firn" farm "$scene" --to shell --out ranges --chunk "$1" --set outputs="[{format: bgeo, every: $2}]" --set scene.frames="$3" \
        --seconds 0 --steps sim --quiet --overwrite || fail "ranges of $how"
    sed -n 's/^[0-9]*) first=\([0-9]*\) last=\([0-9]*\) ;;/\1 \2/p' ranges/work.sh |
        awk -v every="$2" -v n="$3" '$1 != next_first || int($2 / every) < $1 / every { exit 1 } { next_first = $2 + 1 }
            END { if (next_first != n + 1) exit 1 }' || fail "ranges of $how: $(grep first= ranges/work.sh)"
done

# ---------------------------------------------------------------- what is wrong is told
told() { # CODE SENTENCE ARGUMENTS...
    "$firn" farm "${@:3}" >out 2>&1
    [ $? -eq "$1" ] && grep -q -- "$2" out || fail "farm ${*:3}: $(cat out)"
}
told 1 'missing; allowed: shell, slurm' "$scene"
told 1 "unknown 'pbs'" "$scene" --to pbs
told 4 'no such file' absent.yaml --to shell
told 2 'holds the job files of another farm' "$scene" --to slurm --out slurm
told 1 'did you mean --format' "$scene" --to shell --out new --mesh='--formt obj'
told 1 'belong to the farm' "$scene" --to shell --out new --render='--frames 3'
told 1 'allowed: sim' "$scene" --to shell --out new --steps mesh
told 2 'too many ranges' "$scene" --to shell --out new --chunk 1 --set scene.frames=100
told 2 'would take "%"' "$scene" --to slurm --out 'new%'
told 2 'no caches' "$scene" --to shell --out new --set 'outputs=[]' --steps sim,mesh
told 2 'materials' "$scene" --to shell --out new --set materials.jelly.E=-1
told 4 'not a folder' "$scene" --to shell --out study.yaml/new
[ ! -e new ] || fail "what is refused leaves a folder: $(ls -R new)"
# LLVM's OpenMP (the build with sanitizers) makes a file of its own when it starts.
if (ulimit -f 0 && trap '' XFSZ && "$firn" check "$scene" --seconds 0 >/dev/null 2>&1); then
    (ulimit -f 0 && trap '' XFSZ && "$firn" farm "$scene" --to shell --out new --results new_shot --seconds 0) >out 2>&1
    [ $? -eq 4 ] || fail "a disk without room: $(cat out)"
else
    echo "not tested: a disk without room, as the program does not start without"
fi
exit $failures
