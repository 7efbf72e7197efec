/* SPDX-License-Identifier: MIT
 *
 * `tare bench`: benchmarks of programs that were built with libtare, or with another harness.
 *
 *       benchmark     time  95 % CI      min  core cycles
 *       chain_3    1.00 ns  1.003–1.006  1.00         3.01
 *       15 processes · median time per iteration
 */
#include "bench_session.h"
#include "buf.h"

/* What one of two programs alone has is named in the table; that nothing is compared at all is said before anything is measured. */
static void say_unmatched(const struct bench *b)
{
    for (int i = 1; i < b->n_programs && !b->programs[i].anchor; i++) {
        bool common = false;
        for (int k = 0; k < b->programs[i].n_cases && !common; k++)
            common = bench_case_named(&b->programs[0], b->programs[i].cases[k].name);
        if (!common)
            run_note(&b->run, "%s and %s have no benchmark in common, so nothing is compared", b->programs[0].path,
                     b->programs[i].path);
    }
}

int cmd_bench(struct cli *cli, const void *options)
{
    struct bench b;
    struct tare_err err;
    bench_begin(&b, cli, options);
    enum tare_status status = bench_describe(&b, &err);
    enum exit_code code;
    if (status) {
        code = cli_fail(cli, run_code_of(status), &err);
    } else if (b.o->list) {
        struct buf text = BUF_INIT(1 << 24);
        for (int i = 0; i < b.n_programs && !b.programs[i].anchor; i++)
            for (int k = 0; k < b.programs[i].n_cases; k++)
                cli_put_name(&text, b.programs[i].label, b.programs[i].cases[k].name);
        code = cli_print(b.run.cli, &text);
    } else {
        say_unmatched(&b);
        code = b.run.o->dry_run ? run_dry(&b.run) : run_session(&b.run);
    }
    return run_end(&b.run, code);
}
