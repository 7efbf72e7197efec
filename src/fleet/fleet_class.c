/* SPDX-License-Identifier: MIT */
#include "fleet_class.h"
#include "json_read.h"
#include "json_write.h"
#include <math.h>
#include <string.h>

enum { SCHEMA = 1 };

static const char not_one[] = "is no class of tare fleet qualify";

static void put_host(const struct fleet_host *h, struct buf *out)
{
    struct json_write j = json_into(out, 0);
    json_object(&j, NULL);
    json_string(&j, "type", "host");
    json_string(&j, "host", h->host);
    json_string(&j, "out", h->out);
    json_number(&j, "reference", h->reference);
    json_number(&j, "noise", h->noise);
    json_integer(&j, "sessions", h->sessions);
    json_integer(&j, "wrong", h->wrong);
    json_end(&j);
    buf_char(out, '\n');
}

void fleet_class_put(const struct fleet_class *c, struct buf *out)
{
    struct json_write j = json_into(out, 0);
    json_object(&j, NULL);
    json_string(&j, "type", "class");
    json_integer(&j, "schema", SCHEMA);
    json_string(&j, "plan", c->plan);
    json_string(&j, "metric", c->metric);
    json_number(&j, "bound", c->bound);
    json_number(&j, "center", c->center);
    json_integer(&j, "hosts", c->n);
    json_end(&j);
    buf_char(out, '\n');
    for (int i = 0; i < c->n; i++)
        put_host(&c->hosts[i], out);
}

static bool is_type(const struct json_value *v, const char *type)
{
    const char *text;
    return json_text_of(json_member(v, "type"), &text) && !strcmp(text, type);
}

/* In UTF-8, the arena's; *out stays NULL of null. */
static enum tare_status take_text(const struct json_value *v, const char *key, bool needed, const char **out, struct arena *a)
{
    const struct json_value *member = json_member(v, key);
    const char *text;
    if (!needed && json_is_null(member))
        return TARE_OK;
    if (!json_text_of(member, &text) || !*text || !utf8_valid(text))
        return TARE_FORMAT;
    return (*out = arena_strdup(a, text)) ? TARE_OK : TARE_NO_MEMORY;
}

static bool take_number(const struct json_value *v, const char *key, double *out)
{
    *out = NAN;
    return json_is_null(json_member(v, key)) || json_number_of(json_member(v, key), out);
}

static bool take_count(const struct json_value *v, const char *key, int64_t most, int *out)
{
    int64_t n;
    const bool good = json_integer_of(json_member(v, key), 0, most, &n);
    *out = good ? (int)n : 0;
    return good;
}

static enum tare_status take_head(struct fleet_class *c, const struct json_value *v, struct arena *a)
{
    if (!take_number(v, "bound", &c->bound) || !take_number(v, "center", &c->center) ||
        !take_count(v, "hosts", FLEET_NODES_MOST, &c->n))
        return TARE_FORMAT;
    enum tare_status status = take_text(v, "plan", true, &c->plan, a);
    return status ? status : take_text(v, "metric", true, &c->metric, a);
}

static enum tare_status take_host(struct fleet_host *h, const struct json_value *v, struct arena *a)
{
    *h = (struct fleet_host){0};
    if (!is_type(v, "host") || !take_number(v, "reference", &h->reference) || !take_number(v, "noise", &h->noise) ||
        !take_count(v, "sessions", 1000000, &h->sessions) || !take_count(v, "wrong", h->sessions, &h->wrong))
        return TARE_FORMAT;
    enum tare_status status = take_text(v, "host", true, &h->host, a);
    return status ? status : take_text(v, "out", false, &h->out, a);
}

static enum tare_status read_head(struct fleet_class *c, const char *text, size_t n, struct arena *a, struct tare_err *err)
{
    struct json_value *v = NULL;
    int64_t schema = 0;
    enum tare_status status = json_parse(&v, text, n, err);
    if (status && status != TARE_FORMAT)
        return status;
    if (status || !is_type(v, "class") || !json_integer_of(json_member(v, "schema"), 1, 1000000, &schema))
        status = err_set(err, TARE_FORMAT, "%s", not_one);
    else if (schema > SCHEMA)
        status = err_set(err, TARE_UNSUPPORTED, "was written by a later version of tare");
    else if ((status = take_head(c, v, a)))
        status = status == TARE_FORMAT ? err_set(err, status, "%s", not_one) : err_no_memory(err);
    json_free(v);
    return status;
}

/* n: of the text, 0 where it has ended. */
static size_t line_of(const char *text, size_t n)
{
    const char *end = n ? memchr(text, '\n', n) : NULL;
    return end ? (size_t)(end - text) + 1 : 0;
}

static enum tare_status read_hosts(struct fleet_class *c, const char *text, size_t n, struct arena *a, struct tare_err *err)
{
    const int hosts = c->n;
    c->hosts = arena_array(a, (size_t)hosts + 1, sizeof *c->hosts);
    if (!c->hosts)
        return err_no_memory(err);
    for (c->n = 0; c->n < hosts; c->n++) {
        struct json_value *v = NULL;
        const size_t line = line_of(text, n);
        struct fleet_host *h = &c->hosts[c->n];
        enum tare_status status = line ? json_parse(&v, text, line, err) : TARE_FORMAT;
        if (!status)
            status = take_host(h, v, a);
        json_free(v);
        if (status == TARE_NO_MEMORY)
            return err_no_memory(err);
        if (status || fleet_class_find(c, h->host))
            return err_set(err, TARE_FORMAT, "line %d is no host, or is there twice", c->n + 2);
        text += line;
        n -= line;
    }
    return n ? err_set(err, TARE_FORMAT, "has more hosts than its first line says") : TARE_OK;
}

enum tare_status fleet_class_read(struct fleet_class *out, const char *text, size_t n, struct arena *a, struct tare_err *err)
{
    const size_t head = line_of(text, n);
    *out = (struct fleet_class){0};
    enum tare_status status = head ? read_head(out, text, head, a, err) : err_set(err, TARE_FORMAT, "%s", not_one);
    if (!status)
        status = read_hosts(out, text + head, n - head, a, err);
    if (status)
        out->n = 0;
    return status;
}

const struct fleet_host *fleet_class_find(const struct fleet_class *c, const char *host)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->hosts[i].host, host))
            return &c->hosts[i];
    return NULL;
}

const char *fleet_class_out(const struct fleet_class *c, const char *host)
{
    const struct fleet_host *h = fleet_class_find(c, host);
    return h ? h->out : NULL;
}
