/* SPDX-License-Identifier: MIT */
#include "leak_ledger.h"
#include "json_read.h"
#include "json_write.h"
#include "plat.h"
#include "record_write.h"
#include "utc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEDGER_MAX = 64 << 20, QUESTION_BYTES = 17 };

struct entry {
    char question[QUESTION_BYTES];
    double log_e;
    bool leak; /* was its word */
    uint64_t seed;
    char data[QUESTION_BYTES]; /* of a file with times: the hash of its content */
};

struct leak_ledger {
    struct plat_file *file;
    struct entry *entries;
    int n, room;
};

/* ---- reading ---- */

static bool add_entry(struct leak_ledger *l, const struct entry *entry)
{
    if (l->n == l->room) {
        int room = l->room ? 2 * l->room : 64;
        struct entry *more = realloc(l->entries, (size_t)room * sizeof *more);
        if (!more)
            return false;
        l->entries = more;
        l->room = room;
    }
    l->entries[l->n++] = *entry;
    return true;
}

static void keep_text(char out[QUESTION_BYTES], const char *text)
{
    struct buf b = buf_over(out, QUESTION_BYTES);
    buf_str(&b, text ? text : "");
}

static enum tare_status read_line(struct leak_ledger *l, const char *line, size_t n, int number, struct tare_err *err)
{
    struct json_value *v;
    const char *type = NULL, *question = NULL, *verdict = "", *data = "";
    struct entry e = {.log_e = 0};
    enum tare_status status = json_parse(&v, line, n, err);
    if (status == TARE_UNSUPPORTED)
        return status;
    bool good = !status && json_text_of(json_member(v, "type"), &type) && !strcmp(type, "tare-ledger") &&
                json_text_of(json_member(v, "question"), &question) && json_number_of(json_member(v, "log_e"), &e.log_e);
    json_text_of(json_member(v, "verdict"), &verdict);
    json_text_of(json_member(v, "data"), &data);
    json_unsigned_of(json_member(v, "seed"), &e.seed);
    e.leak = !strcmp(verdict, verdict_name(VERDICT_LEAK));
    keep_text(e.question, question);
    keep_text(e.data, data);
    if (!good)
        status = err_set(err, TARE_FORMAT, "line %d is none of a ledger of tare leak", number);
    else if (!add_entry(l, &e))
        status = err_set(err, TARE_NO_MEMORY, "no memory for the ledger");
    if (v)
        json_free(v);
    return status;
}

static enum tare_status read_text(struct leak_ledger *l, const char *text, size_t n, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    int number = 1;
    for (size_t at = 0; at < n && !status; number++) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - text) - at : n - at;
        if (length)
            status = read_line(l, text + at, length, number, err);
        at += length + 1;
    }
    return status;
}

enum tare_status leak_ledger_open(struct leak_ledger **out, const char *path, struct tare_err *err)
{
    struct leak_ledger *l = *out = calloc(1, sizeof *l);
    struct buf text = BUF_INIT(LEDGER_MAX);
    enum tare_status status = l ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for the ledger");
    if (!status) /* locked before it is read */
        status = plat_file_create(&l->file, path, PLAT_FILE_APPEND, err);
    if (!status)
        status = plat_file_read(path, &text, err);
    if (!status) {
        status = read_text(l, buf_text(&text), text.len, err);
        if (status)
            err_prefix(err, path);
    }
    buf_finish(&text);
    if (status) {
        err_prefix(err, "--ledger");
        leak_ledger_close(l);
        *out = NULL;
    }
    return status;
}

void leak_ledger_close(struct leak_ledger *l)
{
    if (!l)
        return;
    if (l->file)
        plat_file_commit(l->file, NULL);
    free(l->entries);
    free(l);
}

/* ---- what they say together ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    const char *t = text ? text : "";
    return record_hash(hash, t, strlen(t) + 1);
}

/* Of times that something else measured each file is a run. */
static bool of_file(const struct record *r)
{
    return r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, "csv");
}

/* The same file once more is no second run. */
static bool same_calls(const struct record *r, const struct leak_target *t, const struct entry *e)
{
    return of_file(r) && t->program_hash && !strcmp(e->data, t->program_hash);
}

static void question_of(const struct record *r, const struct leak_target *t, char out[QUESTION_BYTES])
{
    const struct rule_leaks *u = &r->rule.leaks;
    const char *parts[] = {r->subjects[t->subject].command,
                           of_file(r) ? "" : t->program_hash,
                           t->cpu,
                           t->classes,
                           u->kind,
                           u->cache,
                           u->noise ? "noise" : "",
                           u->dit ? "dit" : ""};
    uint64_t hash = RECORD_HASH_EMPTY;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = hash_text(hash, parts[i]);
    struct buf b = buf_over(out, QUESTION_BYTES);
    buf_format(&b, "%016llx", (unsigned long long)hash);
}

static double log_add(double a, double b)
{
    double most = fmax(a, b), least = fmin(a, b);
    return least == -INFINITY ? most : most + log1p(exp(least - most));
}

/* Runs whose choices were the same are no independent evidence: they count as one, with the mean of their E, which is evidence however
 * they depend on each other. *n: how many there are; own: of one more, -INFINITY for none. */
static double of_seed(const struct leak_ledger *l, const char *question, uint64_t seed, double own, int *n)
{
    double sum = own;
    *n = own > -INFINITY;
    for (int i = 0; i < l->n; i++)
        if (l->entries[i].seed == seed && !strcmp(l->entries[i].question, question)) {
            sum = log_add(sum, l->entries[i].log_e);
            ++*n;
        }
    return sum - log(*n);
}

static bool first_of_seed(const struct leak_ledger *l, int entry)
{
    const struct entry *e = &l->entries[entry];
    for (int i = 0; i < entry; i++)
        if (l->entries[i].seed == e->seed && !strcmp(l->entries[i].question, e->question))
            return false;
    return true;
}

/* All runs of a question, this one the last. */
struct together {
    int runs;          /* earlier ones */
    bool leak;         /* was the word of one of them */
    double sum, first; /* ln of the product now; of that with which it first reached the limit, -INFINITY: it never did */
};

static void multiply(struct together *all, double log_e, double limit)
{
    all->sum += log_e;
    if (isinf(all->first) && all->sum >= limit)
        all->first = all->sum;
}

static struct together together_of(const struct leak_ledger *l, const struct record *r, const struct leak_target *t, double log_e,
                                   double limit)
{
    char question[QUESTION_BYTES];
    struct together all = {.first = -INFINITY};
    int of_one;
    bool file = of_file(r);
    question_of(r, t, question);
    for (int i = 0; i < l->n; i++) {
        const struct entry *e = &l->entries[i];
        if (strcmp(e->question, question) != 0 || same_calls(r, t, e))
            continue;
        all.leak = all.leak || e->leak;
        all.runs++;
        if (file)
            multiply(&all, e->log_e, limit);
        else if (e->seed != r->seed && first_of_seed(l, i))
            multiply(&all, of_seed(l, question, e->seed, -INFINITY, &of_one), limit);
    }
    multiply(&all, file ? log_e : of_seed(l, question, r->seed, log_e, &of_one), limit);
    return all;
}

double leak_ledger_log_e(const struct leak_ledger *l, const struct record *r, const struct leak_target *t, double log_e,
                         double limit)
{
    struct together all = together_of(l, r, t, log_e, limit);
    return isinf(all.first) ? all.sum : all.first;
}

void leak_ledger_apply(const struct leak_ledger *l, const struct record *r, double log_e, struct leak_target *t)
{
    struct together all = together_of(l, r, t, log_e, -log(r->rule.leaks.alpha));
    bool proven = !isinf(all.first);
    t->ledger_runs = all.runs;
    t->ledger_log10_e = all.sum / log(10);
    if (!all.runs || t->verdict == VERDICT_LEAK || t->verdict == VERDICT_INVALID || (!proven && t->verdict != VERDICT_LEAK_SMALL))
        return;
    bool bounded = t->verdict != VERDICT_UNDECIDED;
    if (bounded && all.leak) /* a size that one run bounds by chance does not undo what another found */
        t->why = "this run bounds its size, but an earlier one in the ledger did not";
    else if (proven)
        t->why = bounded ? "the runs in the ledger prove it together, and this one bounds its size"
                         : "the runs in the ledger prove it together";
    t->verdict = bounded && !all.leak ? VERDICT_LEAK_SMALL : VERDICT_LEAK;
}

enum tare_status leak_ledger_add(struct leak_ledger *l, const struct record *r, const struct leak_target *t, double log_e,
                                 struct tare_err *err)
{
    char question[QUESTION_BYTES], start[40];
    struct buf text = buf_over(start, sizeof start), line = BUF_INIT(1 << 20);
    if (t->verdict == VERDICT_INVALID || t->verdict == VERDICT_NONE || !(t->calls > 0))
        return TARE_OK;
    question_of(r, t, question);
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->entries[i].question, question) && same_calls(r, t, &l->entries[i]))
            return TARE_OK;
    utc_text(&text, r->start_utc_ns);
    struct json_write j = json_into(&line, 0);
    json_object(&j, NULL);
    json_string(&j, "type", "tare-ledger");
    json_string(&j, "question", question);
    json_bytes(&j, "target", r->subjects[t->subject].benchmark);
    json_string(&j, "start", start);
    json_number(&j, "log_e", log_e);
    json_string(&j, "verdict", verdict_name(t->verdict));
    json_number(&j, "calls", t->calls);
    json_unsigned(&j, "seed", r->seed);
    if (of_file(r))
        json_string(&j, "data", t->program_hash);
    json_end(&j);
    buf_char(&line, '\n');
    enum tare_status status = line.status ? err_set(err, TARE_NO_MEMORY, "no memory for the ledger")
                                          : plat_file_write(l->file, line.data, line.len, err);
    buf_finish(&line);
    return status;
}
