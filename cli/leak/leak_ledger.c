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
    int64_t torn_at; /* where its last line begins, which is none; -1: there is no such line */
    bool open_line;  /* the last line has no end yet */
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
        status = err_set(
            err, TARE_FORMAT,
            "line %d is none of a ledger of tare leak; is it the right file? If so, what the line said is lost: take it out",
            number);
    else if (!add_entry(l, &e))
        status = err_set(err, TARE_NO_MEMORY, "no memory for the ledger");
    if (v)
        json_free(v);
    return status;
}

static const char begins[] = "{\"type\":\"tare-ledger\"";

/* The beginning of a line of ours: no other file's last line is taken for one, for it will be cut off. */
static bool is_torn(const char *line, size_t n)
{
    size_t known = n < sizeof begins - 1 ? n : sizeof begins - 1;
    return !memcmp(line, begins, known);
}

static enum tare_status read_text(struct leak_ledger *l, const char *text, size_t n, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    int number = 1;
    l->torn_at = -1;
    for (size_t at = 0; at < n && !status; number++) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - text) - at : n - at;
        l->open_line = !end;
        if (length)
            status = read_line(l, text + at, length, number, err);
        if (status == TARE_FORMAT && !end && is_torn(text + at, length)) {
            l->torn_at = (int64_t)at;
            return TARE_OK;
        }
        at += length + 1;
    }
    return status;
}

static void say_torn(const struct leak_ledger *l, const char *path, struct buf *note)
{
    if (l->torn_at >= 0)
        buf_format(note,
                   "%s: its last line was cut off (a full disk, or a machine that stopped) and is left out: that run does not "
                   "count; the %d before "
                   "it do%s",
                   path, l->n, l->n == 1 ? "es" : "");
}

enum tare_status leak_ledger_open(struct leak_ledger **out, const char *path, struct buf *note, struct tare_err *err)
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
        else
            say_torn(l, path, note);
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
 * they depend on each other. Their sum; *n: how many there are. */
static double sum_of_seed(const struct leak_ledger *l, const char *question, uint64_t seed, int *n)
{
    double sum = -INFINITY;
    *n = 0;
    for (int i = 0; i < l->n; i++)
        if (l->entries[i].seed == seed && !strcmp(l->entries[i].question, question)) {
            sum = log_add(sum, l->entries[i].log_e);
            ++*n;
        }
    return sum;
}

static bool first_of_seed(const struct leak_ledger *l, int entry)
{
    const struct entry *e = &l->entries[entry];
    for (int i = 0; i < entry; i++)
        if (l->entries[i].seed == e->seed && !strcmp(l->entries[i].question, e->question))
            return false;
    return true;
}

/* What an earlier run brings to the product of all; 0 where it is counted with another. */
static double brings(const struct leak_ledger *l, const struct record *r, int entry)
{
    const struct entry *e = &l->entries[entry];
    int n;
    if (of_file(r))
        return e->log_e;
    if (e->seed == r->seed || !first_of_seed(l, entry))
        return 0;
    double sum = sum_of_seed(l, e->question, e->seed, &n);
    return sum - log(n);
}

/* The figures ledger_... of t: all that is needed of the earlier runs, so that who judges the calls anew has it without the ledger. */
static void remember(const struct leak_ledger *l, const struct record *r, struct leak_target *t)
{
    char question[QUESTION_BYTES];
    double sum = 0, most = 0;
    int runs = 0, of_seed = 0;
    bool leak = false;
    question_of(r, t, question);
    for (int i = 0; i < l->n; i++) {
        const struct entry *e = &l->entries[i];
        if (strcmp(e->question, question) != 0 || same_calls(r, t, e))
            continue;
        leak = leak || e->leak;
        runs++;
        sum += brings(l, r, i);
        most = fmax(most, sum);
    }
    double seed = of_file(r) ? -INFINITY : sum_of_seed(l, question, r->seed, &of_seed);
    t->ledger_runs = runs;
    t->ledger_others_log10_e = sum / log(10);
    t->ledger_most_log10_e = most / log(10);
    t->ledger_seed_runs = of_seed;
    t->ledger_seed_log10_e = of_seed ? seed / log(10) : NAN;
    t->ledger_leak = leak;
}

/* Of all runs, this one the last: decimal logarithms. */
struct together {
    double sum, most; /* their product now, and the largest it ever was */
};

static struct together together_of(const struct leak_target *t, double log_e)
{
    if (t->ledger_seed_runs > 0)
        log_e = log_add(t->ledger_seed_log10_e * log(10), log_e) - log(t->ledger_seed_runs + 1);
    double sum = t->ledger_others_log10_e + log_e / log(10);
    return (struct together){.sum = sum, .most = fmax(t->ledger_most_log10_e, sum)};
}

/* Where it reached the limit it was at least that: what e-BH asks of a claim among others is less. */
double leak_ledger_log_e(const struct leak_target *t, double log_e, double limit)
{
    if (isnan(t->ledger_others_log10_e))
        return log_e;
    struct together all = together_of(t, log_e);
    return all.most * log(10) >= limit ? limit : all.sum * log(10);
}

static void conclude(const struct record *r, double log_e, struct leak_target *t)
{
    struct together all = together_of(t, log_e);
    bool proven = all.most >= -log10(r->rule.leaks.alpha);
    t->ledger_log10_e = all.sum;
    if (!(t->ledger_runs > 0) || t->verdict == VERDICT_LEAK || t->verdict == VERDICT_INVALID ||
        (!proven && t->verdict != VERDICT_LEAK_SMALL))
        return;
    bool bounded = t->verdict != VERDICT_UNDECIDED, leak = t->ledger_leak > 0;
    if (bounded && leak) /* a size that one run bounds by chance does not undo what another found */
        t->why = "this run bounds its size, but an earlier one in the ledger did not";
    else if (proven)
        t->why = bounded ? "the runs in the ledger prove it together, and this one bounds its size"
                         : "the runs in the ledger prove it together";
    t->verdict = bounded && !leak ? VERDICT_LEAK_SMALL : VERDICT_LEAK;
}

void leak_ledger_apply(const struct leak_ledger *l, const struct record *r, double log_e, struct leak_target *t)
{
    remember(l, r, t);
    conclude(r, log_e, t);
}

void leak_ledger_again(const struct leak_target *then, const struct record *r, double log_e, struct leak_target *t)
{
    if (!then || isnan(then->ledger_others_log10_e))
        return;
    t->ledger_runs = then->ledger_runs;
    t->ledger_others_log10_e = then->ledger_others_log10_e;
    t->ledger_most_log10_e = then->ledger_most_log10_e;
    t->ledger_seed_runs = then->ledger_seed_runs;
    t->ledger_seed_log10_e = then->ledger_seed_log10_e;
    t->ledger_leak = then->ledger_leak;
    conclude(r, log_e, t);
}

/* A line of our own begins where the last whole one ends. */
static enum tare_status write_line(struct leak_ledger *l, const struct buf *line, struct tare_err *err)
{
    enum tare_status status = line->status ? err_set(err, TARE_NO_MEMORY, "no memory for the ledger") : TARE_OK;
    if (!status && l->torn_at >= 0)
        status = plat_file_cut(l->file, l->torn_at, err);
    else if (!status && l->open_line)
        status = plat_file_write(l->file, "\n", 1, err);
    if (status)
        return status;
    l->torn_at = -1;
    l->open_line = false;
    return plat_file_write(l->file, line->data, line->len, err);
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
    enum tare_status status = write_line(l, &line, err);
    buf_finish(&line);
    return status;
}
