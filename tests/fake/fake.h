/* SPDX-License-Identifier: MIT
 *
 * fake.h - the platform that follows a script: virtual clock, scripted children, signals, /proc, disk, terminal.
 *
 *     fake_script_set("seed 7\n"
 *                     "program fast\n"
 *                     "  wall normal 10ms 1%\n"
 *                     "  exit 3 at 7\n", &err);
 *     ... anything that calls plat.h ...
 *     puts(fake_log());                      // which children ran, in order
 *
 * `tare-fake` (cli and this) reads the script from the file that TARE_FAKE_SCRIPT names; without one the script is empty and
 * no program exists. A script with a fault ends tare-fake at once with exit code 99, which tare itself never uses. The same script
 * gives the same clock readings and results on every machine. Nothing here starts a process or waits.
 * It does not check what the real platforms do at the kernel: that is their own tests' work.
 *
 * The language: a line is words; "quoted words" may hold blanks, \n \t \\ \" and #; # starts a comment. Lines at the margin
 * are settings of the world; `program` opens a program and the indented lines below it belong to that program. Several
 * settings may share an indented line. TIME is 10ms, 2s, 1.5us; SIZE is 4kB; COUNT is 12, 3k, 2M; a later line wins over an earlier.
 *
 *   seed 7                           what plat_random_seed gives, and where every draw here comes from (default 1)
 *   clock step TIME                  each reading of the clock advances it by this (default 1us)
 *   clock start TIME                 first reading (default 1s); script times count from here
 *   clock utc TIME                   since 1970 (default: 2026-01-01); `clock jump -1h at 2s`: the wall clock steps, the other does not
 *   clock back TIME at TIME          the other clock is set back, ahead if negative, for tare and not for its children; repeatable
 *   clock back TIME at TIME children  runs are timed by it too
 *   clock raw 0.003%                 the raw clock runs so much faster than the monotonic one (default 0%)
 *   clock coarse TIME                step of the coarse clock (default 4ms); `clock kernel TIME`: what a reading by plain system
 *                                    call advances the clock by (default: as any reading, so there is no shortcut)
 *   clock cpu TIME                   the CPU time of a run is read in such steps: those that ended in it (default 1ns)
 *   ticks HZ [at TIME]               the processor's counter runs at HZ (2500M), from then on (default 2000M)
 *   ticks cost MODEL                 what a read of it takes, in ticks (default 20)
 *   ticks step COUNT                 it moves by so much at a time (default 1)
 *   ticks jump COUNT at TIME         it steps, back if negative; `ticks skew CPU COUNT`: there it is so far ahead
 *   ticks name cntvct                what the counter is called (default tsc)
 *   ticks register HZ                its frequency by a register (default: none); `ticks kernel HZ`: by the kernel
 *   ticks forbidden | missing "why"  this process may not read it; it cannot be read in order. Reading it then is a fault of the script
 *   core HZ [at TIME]                core frequency (default 3000M); `core multiply 4`, `core add 0.4 [until TIME]`:
 *                                    cycles of an instruction
 *   cpuid LEAF SUBLEAF EAX EBX ECX EDX   hexadecimal; leaves not given are zero; without any line 80000007h says that the
 *                                    counter runs evenly. `cpuid denied`: it faults. Not there under another name than tsc
 *   spawn TIME [TIME]                lost before a child starts, and after it ended (default 50us 10us)
 *   shell TIME                       a shell's own time, in front of its program's (default 1ms)
 *   cpus 8                           processors allowed, 0..7 (default 4)
 *   uname OS RELEASE VERSION MACHINE [NODE] (default fake 1 fake-1 fake64, no NODE)
 *   folder PATH                      in which we are started (default /fake)
 *   terminal 100 [stdin|stdout|stderr]...   these are a terminal so wide (default: none is; 80); without a name: stdout and stderr
 *   file PATH "text" [from TIME]     a canned file, from then on; `file PATH copy FILE` takes a real file's text;
 *                                    `file PATH denied [from TIME]`. Other files under /proc and /sys and os-release do not exist; the rest is real
 *   session drift 3% TIME            all programs slow down by 3 % per TIME: noise that they share, so that interleaving cancels it
 *   session wave 5% TIME             ... sine of that amplitude and period
 *   session steps 10% TIME           ... every TIME another factor, uniform in 1 +- 10 %
 *   signal INT at 2s                 the session gets it at that time; a second one kills, as plat.h says
 *   disk full after 10kB [of FILE]   writing fails there, as written counts (FILE: only that path, as tare was given it)
 *   disk denied FILE                 it cannot be created
 *   descriptors 10                   so many can be open at once
 *   priority denied                  no rise of priority; `priority ignored`: it is accepted and has no effect
 *   nap late MODEL                   how much longer plat_nap_ns lasts than asked (default normal 60us 5us); `nap tick TIME`: it then
 *                                    ends with the next multiple of TIME; `nap slack TIME`: what the kernel says (default 50us);
 *                                    `nap period COARSEST FINEST`: naps end with a timer's interrupts, whose period can be asked for; `nap period
 *                                    unknown "why"`
 *   slice MODEL                      stretches of two that share a CPU (default list 3ms 4ms 3ms 3ms); `slice told TIME`: what the
 *                                    kernel says (default 3ms); `slice unsupported "why"`. For slack and told, `unknown`: not told
 *   burden HZ [at TIME]              multiplies a second that a busy CPU makes, from then on (default 3000M); `burden siblings CPU CPU SHARE%`: two
 *                                    threads of one core, of which each gets so much while both work; `burden stolen SHARE% [at TIME]`: so
 *                                    much of the time goes to others of the hypervisor; `burden unsupported "why"`
 *   helper missing | dies at 5       the spawner cannot be made; ends at the 5th child
 *   counter EVENT unsupported "why"  opening it fails so; `denied "why"` likewise; `running 50%` says it was multiplexed,
 *                                    `useronly` that the kernel's part is not counted.
 *                                    An event that neither a counter line nor any program's `count` names is misspelt
 *   thread SIGNAL VALUE [at TIME]    what plat_thread.h says of the measuring thread grows by so much: delay, steal, blocked and suspended
 *                                    (times; the first three are taken out of its CPU time), voluntary, forced, minflt, majflt, move (CPUs
 *                                    up); `thread without SIGNAL`: absent (cputime, delay, voluntary for all counts, move, suspended)
 *   presence PID [from TIME]         another tare measures (`silent` for PID: nobody knows which); `presence denied`: sessions cannot
 *                                    see each other. We are process 1000; processes are those with a canned /proc/PID/stat
 *   memory hidden                    nobody can see the memory of processes while they run
 *   peak floor HELPER UNSEEN         what plat_rss_floor says (two sizes; default: it does not tell)
 *   peak traced | filtered | yama | forbidden | missing | unreadable   runs cannot be followed for their peak, for this reason
 *   log FILE                         every child is appended to FILE (see fake_log)
 *
 *   program NAME [WORD]...           known to plat_find_program as NAME; runs for every argv that begins with these words (the first
 *                                    may also match by its basename), the most words win. For `sh -c TEXT` the words are TEXT's,
 *                                    leading assignments skipped. A shell whose program is unknown exits with 127.
 *     find notfound|denied|directory|ok [at N]   what a look-up says (default ok); at N: once N - 1 runs were made
 *     wall MODEL                     (default 1ms)
 *     user MODEL  sys MODEL          (default 80% and 10%, shares of that run's wall time)
 *     rss MODEL  minflt MODEL  majflt MODEL  ctx VOLUNTARY [INVOLUNTARY]   (default 2MB 100 0 1 0)
 *     peak MODEL                     of runs that are followed (default 2500kB); `peak privileged`: it cannot be
 *     tree MODEL                     what its control group says then (default: there is none)
 *     delay MODEL  steal MODEL  blocked MODEL  throttled MODEL   time lost on top of wall (default none): waiting for a CPU, taken by the
 *                                    hypervisor, waiting for something else, stopped by a quota. Shares of wall are then of the rest
 *     cpu MODEL  lastcpu MODEL       where it begins (default 0, or where it is pinned) and ends (default: there)
 *     hz MODEL [wall EXPONENT HZ]    core frequency before it (default unknown); with wall: wall is as given at HZ and follows that power
 *     threads                        it has several threads or children, so that delay and steal cannot be told
 *     waits TASKS MODEL MODEL        with threads, to one who asks: so many tasks end in a run, they wait so long in all, and so long surely for others; more
 *                                    for others than in all: records were lost. Without it the kernel refuses
 *     count EVENT MODEL              for plat_counter
 *     memory 30% RSS [HEAP]          resident then, and live heap; repeated by rising part of its life, straight in between (default:
 *                                    2MB and no heap); `nopreload "why"`: its file says that nothing can be preloaded
 *     first 5 3x                     the first 5 runs take 3 times as long
 *     after NAME 1.02x               takes so much longer when the child before it was program NAME (carry-over)
 *     exit 3 [at N | from N]         the Nth run only; every run from N on; without either: all
 *     signal SEGV [at N | from N]    dies of it
 *     hang [at N | from N]           ends by timeout or signal only
 *     notstarted 8 [at N | from N]   exec fails with this errno
 *     interrupt INT [at N | from N]  half-way through, the session gets the signal
 *     stdout "text"  stderr "text"   written to its streams, before it ends
 *     prints SIZE                    so many zero bytes to its standard output
 *     reports "text" MODEL           a line on its standard output: the text and a number
 *     bench NAME [away "why"] [remarks "what"] [labelled "text"] [counts "name" "unit" iteration|second|total [inverted] VALUE [for SHARE]] [version "text"] [complexity] [baseline] [iterations N] [dies N] [turns N] [lies ITERATIONS TICKS] [counter HZ] MODEL
 *                                    it is built with libtare and has this benchmark, of so long an iteration (one draw a process), N of them in
 *                                    a sample; its Nth process dies; from its Nth process on it says that it has two threads; its samples say so many iterations and ticks; it says that it measures by the processor's counter, of so many ticks a second; `notes "name" "text"`: a note of the program; `bench NAME skips "why"`; away "why": the guard finds no work in it; `libtare [VERSION]`: it has none, or speaks
 *                                    that version of the record
 *     leak NAME [undetermined] [blind] [hides TIME] [harness TIME] [dies N] MODEL [against MODEL]... | MODEL element TIME | MODEL bit N TIME [each TIME]
 *                                    and this leak target, with a class for each model; with sizes 0 to 65536, each element taking so long; or with
 *                                    a secret of 32 bits, of which bit N set takes so much longer. Its facts: not deterministic; planted delays have no
 *                                    effect; or only what is more than TIME; the harness itself is slower for the second class; `leak NAME fails "why" | broken "why" | equal`
 *     point FILE LINE FUNC [NAME]    it has this control point, of number 1, 2 ... in the script's order
 *     arc FROM TO [times N] MODEL    in each run it passes from point to point so often, each time so long; `probe MODEL`: what a pass
 *                                    weighs in that run (default 20ns). It then leaves a trace where it is asked to, written before it runs;
 *                                    `leaves nothing | foreign | newer | cut | empty`: none, or one that cannot be read, or only in part
 *     reads                          reads its standard input to the end; the log says how much there was
 *   program tare-noop                the no-op of plat_noop_path; when not given: wall 300us, user 0ns, sys 100us
 *   program tare-work                that of plat_work_path; when not given: wall normal 5ms 1%
 *
 *   MODEL is one term, or several joined by +, each: a value, or
 *     const A | uniform LOW HIGH | normal MEAN SD | lognormal MEDIAN SIGMA% | bimodal A B SHARE% | spikes BASE SHARE% HEIGHT
 *     (with this chance an exponential height of this mean on top) | drift START PER_RUN | ar MEAN SD PHI% | list A B C ... (cycled)
 *   SD and PER_RUN are values or per cent of the term's first value. A value in per cent is a share of the run's wall time.
 *   Results are rounded to whole units and never negative; wall is at least 1 ns.
 */
#ifndef FAKE_H
#define FAKE_H

#include "plat.h"

/* Forgets everything and begins a new world after `text`. FORMAT: err names the line; the world is then empty. */
enum tare_status fake_script_set(const char *text, struct tare_err *err);

/* One line a child so far, fields closed by tabs: words (hooks and shells: the text given to the shell), nth=N of its runs,
 * at=START (ns since the clock's start), size=BYTES of path, argv and
 * environment (as execve counts them: text, closing zeros and pointers; the path without pointer),
 * iteration=HYPERFINE_ITERATION, then where it differs from the usual: cwd=, pin=, in=BYTES read, followed, end=FATE.
 * Valid until the next child or script. At most 16 MiB, then it stops growing. */
const char *fake_log(void);

#endif
