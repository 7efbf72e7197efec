/* SPDX-License-Identifier: MIT
 *
 * Files of a history: any bytes end in results or in a reason. What was read is written and read again: nothing may be noted then, and written once more it is
 * the same text.
 */
#include "history_file.h"
#include "require.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read, copied: visits end before it is written. */
struct copy {
    struct arena arena;
    struct history_entry entry;
    struct history_result *results;
    int n, room;
    struct history_event event;
    bool has_event;
    const char *text; /* that is read */
    size_t size;
};

static const char *kept(struct copy *c, const char *text)
{
    return arena_strdup(&c->arena, text);
}

static enum tare_status take_session(void *context, const struct history_session *s, struct tare_err *err)
{
    struct copy *c = context;
    struct history_session *k = &c->entry.session;
    (void)err;
    *k = *s;
    const char **const texts[] = {&k->project, &k->revision, &k->tool,   &k->class, &k->machine,
                                  &k->folder,  &k->build,    &k->anchor, &k->note};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = kept(c, *texts[i]);
    k->words = arena_words(&c->arena, s->words);
    return TARE_OK;
}

static void take_values(struct copy *c, struct history_result *r)
{
    struct tare_err err = {""};
    double *values;
    const char *line = c->text + r->point.place;
    require(r->point.place >= 0 && (size_t)r->point.place < c->size, "a place outside of the file", "");
    if (history_line_values(line, strcspn(line, "\n"), &values, &r->n_values, &r->step, &err)) {
        require(*err.text && !values && !r->n_values, "values refused without a reason", "");
        return;
    }
    double *copy = arena_array(&c->arena, (size_t)r->n_values + 1, sizeof *copy);
    if (copy && r->n_values)
        memcpy(copy, values, (size_t)r->n_values * sizeof *copy);
    r->values = copy;
    free(values);
}

static enum tare_status take_result(void *context, const struct history_result *r, struct tare_err *err)
{
    struct copy *c = context;
    struct history_result *grown = array_grown(c->results, c->n, &c->room, sizeof *grown);
    struct metric *m = arena_alloc(&c->arena, sizeof *m);
    (void)err;
    if (!grown || !m)
        return TARE_NO_MEMORY;
    c->results = grown;
    struct history_result *k = &grown[c->n++];
    *m = *r->metric;
    const char **const texts[] = {&m->id, &m->title, &m->unit, &m->definition};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = kept(c, *texts[i]);
    *k = (struct history_result){.benchmark = kept(c, r->benchmark),
                                 .arguments = kept(c, r->arguments),
                                 .version = kept(c, r->version),
                                 .metric = m,
                                 .point = r->point,
                                 .step = r->step};
    take_values(c, k);
    return TARE_OK;
}

static enum tare_status take_event(void *context, const struct history_event *e, struct tare_err *err)
{
    struct copy *c = context;
    struct history_event *k = &c->event;
    (void)err;
    *k = *e;
    const char **const texts[] = {&k->series, &k->revision, &k->before, &k->reference, &k->last,   &k->patch,
                                  &k->who,    &k->note,     &k->from,   &k->to,        &k->verdict};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = kept(c, *texts[i]);
    c->has_event = true;
    return TARE_OK;
}

static enum tare_status read_copy(struct copy *c, const char *text, size_t n, struct buf *notes, struct tare_err *err)
{
    const struct history_visit visit = {take_session, take_result, take_event, c};
    *c = (struct copy){.text = text, .size = n};
    enum tare_status status = history_text_read(text, n, &visit, notes, err);
    c->entry.results = c->results;
    c->entry.n = c->n;
    return status;
}

static void finish(struct copy *c)
{
    arena_finish(&c->arena);
    free(c->results);
}

/* False: what a file may hold and tare does not write, as texts that are too long, or words that are no UTF-8. */
static bool write_copy(const struct copy *c, struct buf *out)
{
    struct tare_err err = {""};
    enum tare_status status = c->has_event ? history_event_text(&c->event, out, &err) : history_entry_text(&c->entry, out, &err);
    require(!status || status == TARE_INVALID, "cannot be written", err.text);
    return !status;
}

static void check_again(const struct copy *c)
{
    struct buf first = BUF_INIT(1 << 28), second = BUF_INIT(1 << 28), notes = BUF_INIT(1 << 16);
    struct copy again = {0};
    struct tare_err err = {""};
    if (write_copy(c, &first)) {
        require(!read_copy(&again, first.data, first.len, &notes, &err), "cannot be read again", err.text);
        require(!notes.len, "is not clean", buf_text(&notes));
        require(again.n == c->n && again.has_event == c->has_event, "lost a result", buf_text(&first));
        require(write_copy(&again, &second), "is not written again", buf_text(&first));
        require(first.len == second.len && !memcmp(first.data, second.data, first.len), "changes", buf_text(&second));
    }
    finish(&again);
    buf_finish(&first);
    buf_finish(&second);
    buf_finish(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text = BUF_INIT(1 << 28), notes = BUF_INIT(1 << 16);
    struct copy c;
    struct tare_err err = {""};
    buf_add(&text, data, size); /* closed by a zero byte, as a file that was read */
    enum tare_status status = read_copy(&c, buf_text(&text), text.len, &notes, &err);
    require(!status || *err.text, "refused without a reason", "");
    require(!status || !c.n, "refused, and results visited", err.text);
    if (!status)
        check_again(&c);
    finish(&c);
    buf_finish(&text);
    buf_finish(&notes);
    return 0;
}
