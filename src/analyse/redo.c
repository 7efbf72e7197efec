/* SPDX-License-Identifier: MIT
 *
 * The results of a record from its rows and its rule alone: for sessions that were killed before they could write results.
 */
#include "analyse.h"
#include "buf.h"
#include "record_kind.h"
#include <stdlib.h>

/* The last look that the rounds reach, of those of the rule or of the block or session that `first` begins; none: {0}. */
static struct look last_look(const struct record *r, int first, int rounds)
{
    const struct rule *u = &r->rule;
    const struct own_look *own = &r->series[u->against_itself ? first / 2 * 2 : first].look;
    struct look look = {0};
    if (own->number && !subject_left(r, first))
        return own->rounds <= rounds ? (struct look){own->number, own->rounds, own->level, own->share} : look;
    for (int i = 0; i < u->n_looks && u->look_at[i] <= rounds; i++)
        look = (struct look){i + 1, u->look_at[i], u->look_level[i], u->look_share[i]};
    if (r->rule.method == METHOD_GEORGES && rounds >= r->rule.georges_min)
        look = (struct look){.number = rounds - r->rule.georges_min + 1, .rounds = rounds, .level = 1 - r->rule.confidence};
    return look;
}

/* first: the record's look and rounds are those of this group. */
static enum tare_status redo_group(struct record *r, const int *subjects, int n, bool first, struct tare_err *err)
{
    int rounds = record_rounds(r, subjects, n);
    bool foreign = record_source(r) && record_has_alternatives(r);
    /* the runs of a file of another tool that measures commands: as many as there are, looked at once */
    const struct look only = {.number = rounds > 0, .rounds = rounds, .level = 1 - r->rule.confidence};
    const struct look look = foreign ? only : last_look(r, subjects[0], rounds);
    if (first) {
        r->look = look.number;
        r->rounds = rounds;
    }
    return analyse_group(r, subjects, n, &look, err);
}

enum tare_status analyse_others(struct record *r, struct tare_err *err)
{
    const struct look none = {0};
    enum tare_status status = TARE_OK;
    for (int i = 0; i < r->n_subjects && !status; i++)
        if (!subject_measured(&r->subjects[i]) && r->subjects[i].kind != SUBJECT_HOST) /* they have figures of their own */
            status = analyse_group(r, &i, 1, &none, err);
    return status;
}

/* Benchmarks that were given up have figures of their own, without intervals. */
static enum tare_status redo_left(struct record *r, int *commands, int n, bool first, struct tare_err *err)
{
    const struct look none = {0};
    enum tare_status status = TARE_OK;
    int left = 0;
    for (int i = 0; i < n; i++) {
        int subject = commands[i];
        if (r->subjects[subject].failure)
            continue;
        commands[i] = commands[left];
        commands[left++] = subject;
    }
    if (left)
        status = redo_group(r, commands, left, first, err);
    for (int i = left; i < n && !status; i++)
        status = analyse_group(r, commands + i, 1, &none, err);
    return status;
}

/* Of commands or benchmarks against themselves. The session that was under way when all ended is not known to be whole: it does not count. */
static enum tare_status redo_sessions(struct record *r, int n, struct tare_err *err)
{
    int whole = 0;
    while (2 * whole + 1 < n && (r->series[2 * whole].main.n || r->subjects[2 * whole].failure))
        whole++;
    if (!r->ended || r->partial)
        whole -= whole > 0;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < whole && !status; i++)
        status = redo_left(r, (int[]){2 * i, 2 * i + 1}, 2, !i, err);
    return status ? status : analyse_against_itself(r, err);
}

static enum tare_status redo_commands(struct record *r, int *commands, int n, struct tare_err *err)
{
    if (r->rule.against_itself)
        return redo_sessions(r, n, err);
    if (r->rule.interleaved)
        return redo_left(r, commands, n, true, err);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n && !status; i++)
        status = redo_group(r, commands + i, 1, !i, err);
    return status || !record_has_alternatives(r)
               ? status
               : analyse_side_by_side(r, "the commands were measured in blocks, where drift is not controlled", err);
}

enum tare_status analyse_redo(struct record *r, struct tare_err *err)
{
    int *commands = malloc((size_t)(r->n_subjects + 1) * sizeof *commands);
    if (!commands)
        return err_no_memory(err);
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]))
            commands[n++] = i;
    record_clear_results(r);
    if (analyse_processes(r, err)) {
        free(commands);
        return TARE_NO_MEMORY;
    }
    enum tare_status status = record_kind(r)->id == RECORD_OF_clocks ? analyse_clocks(r, err) : analyse_others(r, err);
    if (!status && n)
        status = redo_commands(r, commands, n, err);
    free(commands);
    return status;
}
