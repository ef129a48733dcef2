#!/bin/bash
# SPDX-License-Identifier: MIT
# slurm.sh FIRN SCENE: a farm of firn on a real Slurm: a cluster of one node on this machine (munged, slurmctld and slurmd
# on the loopback, with files in a temporary folder alone), a scene in two ranges whose first simulation is asked to end
# and then requeued by the administrator, and a study as an array. Each shot must have the states of an undisturbed run.
# Waits for states, never for times. One line a check that fails; exits with their number; 77: no Slurm here.
firn=$(realpath "$1") scene=$(realpath "$2")
for program in munged slurmctld slurmd sbatch scontrol squeue; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "skipped: no $program; try: apt-get install slurmctld slurmd munge"; exit 77; }
done
PATH=$PATH:/usr/sbin
failures=0
folder=$(mktemp -d)
daemons=()
fail() { echo "failed: $*"; failures=$((failures + 1)); }
end() {
    [ ! -e "$folder/slurm.conf" ] || scancel --user="$(id -un)" 2>/dev/null
    for pid in "${daemons[@]}"; do kill -TERM "$pid" 2>/dev/null; done
    for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null; done
    rm -rf "$folder"
}
trap end EXIT

# until COMMAND...: waits for a state; gives up after some minutes, as nothing else would end the test
until_true() {
    for _ in $(seq 3000); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    fail "never: $*"
    tail -n 5 "$folder"/*.log
    return 1
}
closed_port() {
    local port
    while port=$((20000 + RANDOM % 20000)); (: </dev/tcp/127.0.0.1/$port) 2>/dev/null; do :; done
    echo $port
}

# ---------------------------------------------------------------- a cluster of one node
chmod 755 "$folder"
mkdir "$folder/munge" "$folder/state" "$folder/spool"
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
munged --foreground --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge/seed" --force 2>"$folder/munged.err.log" &
daemons+=($!)
until_true test -S "$folder/munge/socket" || exit 1
host=$(hostname -s)
cat >"$folder/slurm.conf" <<END
ClusterName=firn
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(closed_port)
SlurmdPort=$(closed_port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=5
SchedulerParameters=bf_interval=1,sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$folder/slurm.conf
slurmctld -D -f "$SLURM_CONF" >"$folder/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" >"$folder/slurmd.log" 2>&1 &
daemons+=($!)
is_up() { scontrol show node "$host" | grep -q 'State=IDLE'; }
until_true is_up || exit 1

# ---------------------------------------------------------------- a scene, disturbed twice
is_empty() { [ -z "$(squeue -h)" ]; }
n_frames() { [ -e "$1/frames.jsonl" ] && [ "$(wc -l <"$1/frames.jsonl")" -ge "$2" ]; }
states() { sed 's/.*"frame": *\([0-9]*\).*"state_hash": *"\([0-9a-f]*\)".*/\1 \2/' "$1/frames.jsonl"; }
state_of() { squeue -h -j "$1" -o %T | grep -q "$2"; }
cd "$folder" || exit 1
cp "$scene" a\ tiny.yaml
frames=400
sed -i "s/frames: [0-9]*/frames: $frames/; \$a outputs: [{format: bgeo, every: 50}]" a\ tiny.yaml
"$firn" run a\ tiny.yaml --out whole --progress none || fail "the undisturbed run"
"$firn" farm a\ tiny.yaml --to slurm --out 'the jobs' --results shot --chunk $((frames / 2)) --threads 1 --memory 200M \
    --mesh='--format obj' --render='--preview' >out 2>&1 || fail "farm: $(tail -1 out)"
'the jobs/submit.sh' --comment='two words' >submitted 2>&1 || fail "submit.sh: $(cat submitted)"
job=$(sed -n 's/range 1 of 2: sim \([0-9]*\).*/\1/p' submitted)
[ -n "$job" ] || fail "submit.sh names no job: $(cat submitted)"
until_true n_frames shot 20
scancel --signal=TERM --batch "$job" # what --signal does before the limit of time
until_true grep -q 'to continue: firn resume' 'the jobs/logs/sim.1.log'
until_true state_of "$job" 'PENDING\|RUNNING'
until_true grep -q 'continuing after frame' 'the jobs/logs/sim.1.log'
n=$(wc -l <shot/frames.jsonl)
until_true n_frames shot $((n + 10))
scontrol requeue "$job" || fail "requeue by hand"
until_true is_empty
scontrol show job "$job" >out
grep -q 'Restarts=2' out || fail "not two restarts: $(grep -o 'Restarts=[0-9]*' out)"
grep -q 'JobState=COMPLETED' out || fail "$(grep -o 'JobState=[A-Z]*' out)"
cmp -s <(states whole) <(states shot) || fail "the shot has other states than the undisturbed run"
"$firn" verify shot >out 2>&1 || fail "verify: $(tail -1 out)"
[ "$(ls shot/surface | wc -l)" -eq $((frames / 50 + 1)) ] || fail "surfaces: $(ls shot/surface | wc -l)"
[ "$(ls shot/pictures | wc -l)" -eq $((frames / 50 + 1)) ] || fail "pictures: $(ls shot/pictures | wc -l)"

# ---------------------------------------------------------------- one that is cancelled stays so
rm -r shot
'the jobs/submit.sh' >submitted 2>&1 || fail "submit.sh again"
job=$(sed -n 's/range 1 of 2: sim \([0-9]*\).*/\1/p' submitted)
until_true n_frames shot 5
scancel "$job"
until_true is_empty
scontrol show job "$job" | grep -q 'JobState=CANCELLED' || fail "a cancelled job is $(scontrol show job "$job" | grep -o 'JobState=[A-Z]*')"

# ---------------------------------------------------------------- a study as an array
cat >study.yaml <<END
study: transfers
scenes: 'a tiny.yaml'
transfers: [apic, flip]
sets: []
metrics: [top_speed, steps]
END
sed -i '/^sets/d' study.yaml
"$firn" farm study.yaml --to slurm --out study-jobs --memory 200M --threads 1 --set scene.frames=20 >out 2>&1 || fail "farm of a study: $(tail -1 out)"
study-jobs/submit.sh >submitted 2>&1 || fail "submit.sh of a study: $(cat submitted)"
until_true is_empty
[ -s studies/transfers/report.html ] || fail "no report: $(tail -2 study-jobs/logs/collect.log)"
[ "$(grep -c ': reused' study-jobs/logs/collect.log)" -eq 2 ] || fail "the report made runs again: $(cat study-jobs/logs/collect.log)"
"$firn" compare study.yaml --set scene.frames=20 >out 2>&1 || fail "compare: $(tail -1 out)"
[ "$(grep -c ': reused' out)" -eq 2 ] || fail "compare does not find what the farm has run: $(cat out)"
exit $failures
