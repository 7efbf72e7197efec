/* SPDX-License-Identifier: MIT
 *
 * `tare bench`: functions inside programs that were built with libtare.
 *
 *     In this session, 15 processes of each benchmark, 1 more for warm-up.
 *       benchmark        ns  95 % interval     cycles  processes
 *       chain_3       1.004  [1.003, 1.006]      3.01         15
 */
#include "bench_session.h"
#include "buf.h"
#include <string.h>

/* ---- what is not compared ---- */

/* In two programs of which one has more benchmarks than the other. */
static void say_unmatched(const struct bench *b)
{
    for (int i = 1; i < b->n_programs; i++)
        for (int k = 0; k < b->programs[i].n_cases + b->programs[0].n_cases; k++) {
            bool theirs = k < b->programs[i].n_cases;
            const struct bench_program *in = &b->programs[theirs ? i : 0], *not_in = &b->programs[theirs ? 0 : i];
            const char *name = in->cases[theirs ? k : k - b->programs[i].n_cases].name;
            if (bench_case_named(not_in, name))
                continue;
            run_note(&b->run, "%s is in %s and not in %s: it is measured and not compared", name, in->path, not_in->path);
        }
}

static int print_list(const struct bench *b)
{
    struct buf text = BUF_INIT(1 << 24);
    for (int i = 0; i < b->n_programs; i++)
        for (int k = 0; k < b->programs[i].n_cases; k++)
            cli_put_name(&text, b->programs[i].label, b->programs[i].cases[k].name);
    return cli_print(b->run.cli, &text);
}

int cmd_bench(struct cli *cli, const void *options)
{
    struct bench b;
    struct tare_err err;
    bench_begin(&b, cli, options);
    enum tare_status status = bench_describe(&b, &err);
    int code;
    if (status) {
        code = cli_fail(cli, run_code_of(status), &err);
    } else if (b.o->list) {
        code = print_list(&b);
    } else {
        say_unmatched(&b);
        code = b.run.o->dry_run ? run_dry(&b.run) : run_session(&b.run);
    }
    return run_end(&b.run, code);
}
