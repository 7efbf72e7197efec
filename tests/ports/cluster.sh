# shellcheck shell=sh disable=SC2154 # variables of the scripts that read this
# SPDX-License-Identifier: MIT
# A Slurm cluster of four virtual nodes on this machine, without privileges: munge with a key of its own, the controller and four node daemons on private ports,
# stopped by their ids. Read after script.sh by who has $here, an empty folder, and is in it; with /usr/sbin in PATH. $configured: more lines of slurm.conf.

has_slurm() {
    for command in munged slurmctld slurmd salloc srun squeue scancel scontrol; do
        command -v $command >/dev/null || { echo "there is no $command (./dev deps ports installs it)" && return 1; }
    done
}

port=$((20000 + $$ % 2500 * 5)) # below those that the kernel gives to connections; five of each process

configure() {
    mkdir state munge
    chmod 700 munge
    head -c 128 /dev/urandom >munge/key
    chmod 600 munge/key
    user=$(id -un) host=$(uname -n)
    cat >slurm.conf <<END
ClusterName=tare
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$here/munge/socket
SlurmctldPort=$port
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.%n.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.%n.log
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_res
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
SlurmdParameters=config_overrides
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP OverSubscribe=EXCLUSIVE
${configured-}
END
    for n in 1 2 3 4; do
        mkdir spool.n$n
        echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + n)) CPUs=1 Feature=class" >>slurm.conf
    done
    export SLURM_CONF="$here/slurm.conf"
}

all_idle() {
    [ "$(sinfo --noheader --format=%t:%D 2>/dev/null)" = idle:4 ]
}

bring_up() {
    configure
    munged --force --socket="$here/munge/socket" --key-file="$here/munge/key" --log-file="$here/munge/log" --pid-file="$here/munge/pid" \
        --seed-file="$here/munge/seed" --num-threads=2 && slurmctld -c && for n in 1 2 3 4; do slurmd -N n$n || return 1; done && wait_for 30 all_idle
}

stop() { # PID-FILE [SIGNAL]
    pid=$(cat "$1" 2>/dev/null) || return 0
    kill ${2:+"-$2"} "$pid" 2>/dev/null
    wait_for 10 gone "$pid"
}

gone() { # also: it has ended and only waits to be noticed
    case $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) in '' | Z) return 0 ;; *) return 1 ;; esac
}

bring_down() {
    squeue --noheader --format=%i 2>/dev/null | while read -r id; do scancel "$id"; done
    wait_for 15 no_jobs
    for n in 1 2 3 4; do stop slurmd.n$n.pid; done
    stop slurmctld.pid
    stop munge/pid
}

no_jobs() {
    [ -z "$(squeue --noheader 2>/dev/null)" ]
}
