/* SPDX-License-Identifier: MIT */
#include "record_read.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "record_lines.h"
#include "record_write.h"
#include <string.h>

static const char header_start[] = "{\"type\":\"header\",";

_Static_assert(sizeof header_start - 1 == RECORD_START_MAX, "record_starts looks at so many bytes");

bool record_starts(const char *line, size_t n)
{
    return n >= sizeof header_start - 1 && !memcmp(line, header_start, sizeof header_start - 1);
}

size_t record_next(const char *text, size_t n)
{
    for (size_t at = 1; at < n; at++) {
        const char *brace = memchr(text + at, '{', n - at);
        if (!brace)
            break;
        at = (size_t)(brace - text);
        if (record_starts(brace, n - at))
            return at;
    }
    return n;
}

static bool blank(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != '\n')
            return false;
    return true;
}

struct piece { /* one line of the text */
    const char *start;
    size_t n;  /* its end mark included */
    bool open; /* without an end mark: the end of the text, or cut off */
};

/* A line that was torn by a kill may have the next record's header glued to it: the piece ends there. A text of headers alone has no end of a line,
 * so that is looked for no further than a few times the piece. */
static struct piece next_line(const char *text, size_t n)
{
    for (size_t seen = 1 << 12;; seen *= 4) {
        seen = seen < n ? seen : n;
        const char *end = memchr(text, '\n', seen);
        const size_t line = end ? (size_t)(end - text) : seen, next = record_next(text, line);
        if (next < line)
            return (struct piece){text, next, true};
        if (end || seen == n)
            return (struct piece){text, line + (end != NULL), !end};
    }
}

/* A damaged line may be left out once all that the rows need is there. */
static bool may_be_left_out(const struct reader *rd, const struct line_type *type)
{
    return rd->r->n_subjects > 0 && rd->subjects_with_columns == rd->r->n_subjects && !(type && type->head);
}

static enum tare_status parse_line(struct reader *rd, const struct piece *p, struct json_value **line)
{
    *line = NULL;
    if (p->n > RECORD_LINE_MAX)
        return err_set(&rd->err, TARE_TOO_LARGE, "longer than %d bytes", (int)RECORD_LINE_MAX);
    enum tare_status status = json_parse(line, p->start, p->n, &rd->err);
    return !status && !json_is_object(*line) ? reader_wrong(rd, "not a JSON object") : status;
}

/* OK: the line was read or left out. */
static enum tare_status read_line(struct reader *rd, const struct piece *p)
{
    struct json_value *line = NULL;
    enum tare_status status;
    const bool plain = reader_plain_row(rd, p->start, p->n, &status);
    if (!plain)
        status = parse_line(rd, p, &line);
    bool parsed = plain || !status;
    const struct line_type *type = line ? line_type_of(line) : NULL;
    rd->line = line;
    rd->text = p->start;
    if (type)
        status = type->read(rd);
    else if (parsed && !plain)
        rd->out->unknown++;
    json_free(line);
    arena_finish(&rd->arena);
    rd->line = NULL;
    if (status == TARE_FORMAT && !parsed && p->open) {
        rd->out->cut = true;
        return TARE_OK;
    }
    if ((status != TARE_FORMAT && status != TARE_TOO_LARGE) || !may_be_left_out(rd, type))
        return status;
    if (!rd->out->damaged++)
        reader_note(rd, "line %lld was left out: %s", (long long)rd->out->lines + 1, rd->err.text);
    return TARE_OK;
}

static enum tare_status check_first(struct reader *rd, const struct piece *p)
{
    if (record_starts(p->start, p->n))
        return TARE_OK;
    if (p->n < sizeof header_start - 1 && !memcmp(p->start, header_start, p->n))
        return err_set(&rd->err, TARE_TRUNCATED, "ends within its first line: nothing was measured");
    return reader_wrong(rd, "not a tare record: it does not begin with a header");
}

static enum tare_status take_line(struct reader *rd, const struct piece *p)
{
    if (blank(p->start, p->n))
        return TARE_OK;
    enum tare_status status = rd->has_header ? TARE_OK : check_first(rd, p);
    if (!status)
        status = read_line(rd, p);
    if (status && status != TARE_NO_MEMORY) {
        char where[40];
        buf_print(where, sizeof where, "line %lld", (long long)rd->out->lines + 1);
        err_prefix(&rd->err, where);
    }
    return status;
}

/* All lines of one record, up to its trailer or to the next header, also where its own is cut off. */
static enum tare_status read_lines(struct reader *rd, const char *text, size_t n)
{
    size_t at = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (at < n && !rd->has_trailer) {
        struct piece p = next_line(text + at, n - at);
        if ((rd->has_header || rd->out->cut) && record_starts(p.start, p.n))
            break;
        enum tare_status status = take_line(rd, &p);
        if (status)
            return status;
        rd->bytes += (int64_t)p.n;
        rd->lines++;
        rd->out->lines++;
        at += p.n;
    }
    for (struct piece p; at < n && (p = next_line(text + at, n - at), blank(p.start, p.n)); at += p.n)
        rd->out->lines++;
    rd->out->consumed = at;
    return TARE_OK;
}

/* Keeps of the n sorted numbers those that the rows have too, and those from `end` on; returns how many. */
static int common(int32_t *numbers, int n, const struct rows *rows, int end)
{
    int kept = 0;
    for (int i = 0, k = 0; i < n; i++) {
        while (k < rows->n && rows->round[k] < numbers[i])
            k++;
        if (numbers[i] >= end || (k < rows->n && rows->round[k] == numbers[i]))
            numbers[kept++] = numbers[i];
    }
    return kept;
}

/* Behind a counted noun. */
static const char *was_or_were(int64_t n)
{
    return n == 1 ? " was" : "s were";
}

/* Rows of the n rounds, and those after round `last`, stay; returns how many go. */
static int keep_rounds(struct series *s, const int32_t *rounds, int n, int last)
{
    struct rows *rows = &s->main;
    int kept = 0, before = rows->n;
    for (int i = 0, k = 0; i < rows->n; i++) {
        while (k < n && rounds[k] < rows->round[i])
            k++;
        const bool stays = rows->round[i] > last || (k < n && rounds[k] == rows->round[i]);
        if (stays && kept < i)
            rows_move(rows, kept, rows, i, s->n_columns);
        kept += stays;
    }
    rows->n = kept;
    return before - kept;
}

static int last_round(const struct rows *rows)
{
    return rows->n ? rows->round[rows->n - 1] : -1;
}

/* Of the commands that share rounds with `first`. A line that is lost would shift all later rows of its command against the others'. Who left is
 * missing in no round after that. */
static enum tare_status keep_complete_rounds(struct reader *rd, int first, int *gone)
{
    struct record *r = rd->r;
    int last = INT32_MAX, n = 0, end = r->rule.against_itself && first + 2 < r->n_subjects ? first + 2 : r->n_subjects;
    const struct rows *longest = &r->series[first].main;
    for (int i = first; i < end; i++) {
        const struct rows *rows = &r->series[i].main;
        if (!record_shares_rounds(r, first, i))
            continue;
        if (!subject_left(r, i) && last_round(rows) < last)
            last = last_round(rows);
        longest = last_round(rows) > last_round(longest) ? rows : longest;
    }
    if (last < 0)
        return TARE_OK;
    int32_t *rounds = arena_array(&rd->arena, (size_t)longest->n, sizeof *rounds);
    if (!rounds)
        return err_no_memory(&rd->err);
    for (; n < longest->n && longest->round[n] <= last; n++)
        rounds[n] = longest->round[n];
    for (int i = first; i < end; i++)
        if (record_shares_rounds(r, first, i))
            n = common(rounds, n, &r->series[i].main, subject_left(r, i) ? r->series[i].look.rounds : INT32_MAX);
    for (int i = first; i < end; i++)
        if (record_shares_rounds(r, first, i))
            *gone += keep_rounds(&r->series[i], rounds, n, last);
    arena_finish(&rd->arena);
    return TARE_OK;
}

static enum tare_status keep_complete_rounds_of_all(struct reader *rd)
{
    const struct record *r = rd->r;
    int gone = 0;
    bool seen = false;
    enum tare_status status = TARE_OK;
    for (int i = 0; r->rule.interleaved && i < r->n_subjects && !status; i++) {
        bool command = subject_measured(&r->subjects[i]) && !r->subjects[i].failure,
             begins = r->rule.against_itself ? i % 2 == 0 : !seen;
        if (command && begins)
            status = keep_complete_rounds(rd, i, &gone);
        seen |= command;
    }
    if (gone)
        reader_note(rd, "%d run%s left out, because another run of the same round is missing from the file", gone,
                    was_or_were(gone));
    return status;
}

static bool finish_rule(struct record *r)
{
    const struct metric *m = metric_builtin_find(r->rule.metric);
    return record_metric(r, r->rule.metric) || (m && record_add_metric(r, m) >= 0);
}

static void last_end(const struct series *s, const struct rows *rows, double *seconds)
{
    if (!rows->n)
        return;
    int last = rows->n - 1, wall = series_column(s, "wall");
    double duration = wall >= 0 ? rows->value[wall][last] : 0;
    *seconds = fmax(*seconds, ((double)rows->start_ns[last] + (isnan(duration) ? 0 : duration)) / 1e9);
}

/* What the trailer would have said, as far as the rows know. */
static void without_trailer(struct record *r)
{
    int most = 0, least = INT32_MAX;
    r->partial = true;
    for (int i = 0; i < r->n_subjects; i++) {
        const int n = r->series[i].main.n;
        last_end(&r->series[i], &r->series[i].main, &r->seconds);
        last_end(&r->series[i], &r->series[i].warmup, &r->seconds);
        last_end(&r->series[i], &r->series[i].replaced, &r->seconds);
        if (!subject_measured(&r->subjects[i]) || r->subjects[i].failure)
            continue;
        most = n > most ? n : most;
        if (!record_kind(r)->targets && !subject_left(r, i)) /* leaks: who is decided leaves the rounds */
            least = n < least ? n : least;
    }
    r->rounds = least < INT32_MAX ? least : most;
}

static void notes_at_end(struct reader *rd)
{
    const struct record_reading *out = rd->out;
    if (out->damaged > 1)
        reader_note(rd, "%lld damaged lines were left out in all", (long long)out->damaged);
    if (out->unknown)
        reader_note(rd, "%lld line%s skipped, of a kind that this tare does not know", (long long)out->unknown,
                    was_or_were(out->unknown));
    if (out->cut)
        reader_note(rd, "the last line is cut off and was left out");
    if (!rd->has_trailer)
        reader_note(rd, "the session was killed or is not over: it has no trailer; %lld finished run%s read",
                    (long long)(rd->rows + rd->warmup_rows), was_or_were(rd->rows + rd->warmup_rows));
}

/* Partners and compared arcs may stand behind the lines that name them. */
static void check_arcs(struct record *r)
{
    int n_points = r->traced ? r->traced->n_points : 0, n_results = r->traced ? r->traced->n_results : 0;
    for (int i = 0; i < n_points; i++)
        if (r->traced->points[i].partner >= n_points)
            r->traced->points[i].partner = -1;
    for (int i = 0; i < r->n_comparisons; i++) {
        struct comparison *c = &r->comparisons[i];
        if (c->arc > n_results || c->reference_arc > n_results)
            c->arc = c->reference_arc = 0;
    }
}

static enum tare_status finish_reading(struct reader *rd)
{
    struct record *r = rd->r;
    if (!rd->has_header || !r->n_subjects || rd->subjects_with_columns < r->n_subjects)
        return err_set(&rd->err, TARE_TRUNCATED, rd->out->lines ? "ends before its first run: nothing was measured" : "is empty");
    if (!finish_rule(r))
        return reader_wrong(rd, "the metric that decides is not described");
    if (r->rule.reference >= r->n_subjects) {
        reader_note(rd, "the reference is not among the commands: the first one is taken");
        r->rule.reference = 0;
    }
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && r->subjects[i].reference >= r->n_subjects)
            return reader_wrong(rd, "a benchmark is compared with one that is not there");
    check_arcs(r);
    if (keep_complete_rounds_of_all(rd))
        return TARE_NO_MEMORY;
    if (!rd->has_trailer)
        without_trailer(r);
    notes_at_end(rd);
    rd->out->changed = rd->out->damaged || rd->contradicts;
    r->unverified = !rd->has_trailer   ? "the record has no trailer"
                    : rd->out->changed ? "the record was changed after it was written"
                    : !rd->agrees      ? "the hash in the record's trailer is of an unknown kind"
                                       : NULL;
    return rd->out->notes.status ? err_no_memory(&rd->err) : TARE_OK;
}

enum tare_status record_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err)
{
    struct reader rd = {.r = r, .out = reading};
    *reading = (struct record_reading){.notes = BUF_INIT(1 << 16)};
    record_init(r);
    enum tare_status status = read_lines(&rd, text, n);
    if (!status)
        status = finish_reading(&rd);
    if (!status)
        return TARE_OK;
    record_finish(r);
    if (err)
        *err = rd.err;
    return status;
}

void record_reading_finish(struct record_reading *reading)
{
    buf_finish(&reading->notes);
    arena_finish(&reading->arena);
}
