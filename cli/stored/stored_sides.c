/* SPDX-License-Identifier: MIT */
#include "stored_sides.h"
#include "comparable.h"
#include "plat.h"
#include "record_kind.h"
#include <string.h>

static enum tare_status check_path(const struct stored_side *side, int index, struct tare_err *err)
{
    const char *path = side->paths[index];
    for (int i = 0; i < index; i++)
        if (!strcmp(path, side->paths[i]) || plat_same_file(path, side->paths[i]))
            return err_set(err, TARE_INVALID, "%.200s is the same file as %.200s; give each once", path, side->paths[i]);
    return TARE_OK;
}

static bool is_cut_short(const struct record *r)
{
    return r->partial || r->unverified;
}

/* The session `index`, of the file `path`, beside those of the files before, which end at `first`. INVALID: it is there again; FORMAT: it does not belong. */
static enum tare_status check_session(const struct stored_side *side, const char *path, int first, int index,
                                      struct tare_err *err)
{
    const struct record *all = side->sessions.items, *own = &all[index];
    struct buf how = BUF_INIT(1 << 16);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < first && !status; i++)
        if (session_is_again(own, &all[i]))
            status = err_set(err, TARE_INVALID, "%.200s has a session that a file before it has too; give each once", path);
    if (!status && sessions_differ(&all[0], own, &how))
        status = err_set(err, TARE_FORMAT, "not comparable: %.200s %.400s than %.200s", path, buf_text(&how), side->paths[0]);
    if (!status && (is_cut_short(own) || is_cut_short(&all[0])))
        status = err_set(err, TARE_FORMAT, "not comparable: %.200s was cut short, and sets are of complete sessions",
                         is_cut_short(own) ? path : side->paths[0]);
    buf_finish(&how);
    return status;
}

static enum exit_code load_file(struct cli *cli, bool quiet, struct stored_side *side, int index)
{
    struct tare_err err;
    const int first = side->sessions.n;
    const char *path = side->paths[index];
    enum tare_status status = check_path(side, index, &err);
    enum exit_code code = status ? EXIT_ANSWERED : stored_file_load_set(cli, path, quiet, &side->sessions);
    for (int i = first; i < side->sessions.n && first && !status && !code; i++)
        status = check_session(side, path, first, i, &err);
    return status ? cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_INVALID, &err) : code;
}

enum exit_code stored_side_load(struct cli *cli, bool quiet, struct stored_side *side)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < side->n_paths && !code; i++)
        code = load_file(cli, quiet, side, i);
    return code;
}

void stored_side_finish(struct stored_side *side)
{
    if (side->n_paths)
        sessions_finish(&side->sessions);
    record_finish(&side->over);
}

bool stored_sides_are_sets(const struct stored_side sides[2])
{
    return sides[0].sessions.n > 1 || sides[1].sessions.n > 1;
}

const struct record *stored_side_record(const struct stored_side sides[2], int side)
{
    return stored_sides_are_sets(sides) ? &sides[side].over : &sides[side].sessions.items[0];
}

static enum tare_status check_sets(const struct stored_side sides[2], struct tare_err *err)
{
    const struct kept_sessions *a = &sides[0].sessions, *b = &sides[1].sessions;
    const struct record_kind *kinds[] = {record_kind(&a->items[0]), record_kind(&b->items[0])};
    for (int i = 0; i < 2; i++)
        if (kinds[i]->arcs || kinds[i]->own_commands)
            return err_set(err, TARE_INVALID, "sessions of tare %s are compared one with one; give one on each side",
                           kinds[i]->arcs ? "trace" : "system qualify");
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++)
            if (session_is_again(&a->items[i], &b->items[k]))
                return err_set(err, TARE_INVALID, "session %d of the reference is session %d of the other side; give each once",
                               i + 1, k + 1);
    return TARE_OK;
}

static const char *name_of(const struct stored_side *side, int index)
{
    return !side->n_paths ? "now" : side->n_paths > 1 ? (index ? "new" : "baseline") : side->paths[0];
}

enum tare_status stored_sides_compare(struct record *out, struct stored_side sides[2], struct stored_question *q,
                                      struct tare_err *err)
{
    const bool sets = stored_sides_are_sets(sides);
    enum tare_status status = TARE_OK;
    stored_file_names(name_of(&sides[0], 0), name_of(&sides[1], 1), q->names);
    for (int i = 0; i < 2 && sets && !status; i++) {
        q->sets[i] = (struct stored_set){sides[i].sessions.items, sides[i].sessions.n};
        status = analyse_sessions(&sides[i].over, q->sets[i].sessions, q->sets[i].n, err);
        if (status && sides[i].n_paths == 1)
            err_prefix(err, sides[i].paths[0]);
    }
    if (sets && !status)
        status = check_sets(sides, err);
    return status ? status : analyse_stored(out, stored_side_record(sides, 0), stored_side_record(sides, 1), q, err);
}
