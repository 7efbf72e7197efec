/* SPDX-License-Identifier: MIT
 *
 *     {"type":"plan","schema":1,"id":"3f2a91c0b7d4","seed":7,"nodes":3,"blocks":1,"argv":["run","./old","./new"]}
 *     {"type":"unit","plan":"3f2a91c0b7d4","unit":1,"node":2,"block":1,"seed":"11091344671253066420"}
 */
#include "fleet_plan.h"
#include "json_read.h"
#include "json_write.h"
#include "rng.h"
#include "sha2.h"
#include <string.h>

enum { SCHEMA = 1 };

static void put_head(const struct fleet_plan *p, struct buf *out)
{
    struct json_write j = json_into(out, 0);
    json_object(&j, NULL);
    json_string(&j, "type", "plan");
    json_integer(&j, "schema", SCHEMA);
    json_string(&j, "id", p->id);
    json_unsigned(&j, "seed", p->seed);
    json_integer(&j, "nodes", p->nodes);
    json_integer(&j, "blocks", p->blocks);
    json_array(&j, "argv");
    for (int i = 0; i < p->argc; i++)
        json_string(&j, NULL, p->argv[i]);
    json_end(&j);
    json_end(&j);
    buf_char(out, '\n');
}

void fleet_plan_name(struct fleet_plan *p)
{
    struct buf b = BUF_INIT(1 << 24);
    p->id[0] = '\0';
    put_head(p, &b);
    sha256_digits(buf_text(&b), b.len, p->id, sizeof p->id);
    buf_finish(&b);
}

void fleet_plan_units(const struct fleet_plan *p, struct fleet_unit *out)
{
    struct rng r = rng_seeded(p->seed);
    int nodes[FLEET_NODES_MOST], n = 0;
    for (int i = 0; i < p->nodes; i++)
        nodes[i] = i + 1;
    for (int block = 1; block <= p->blocks; block++) {
        rng_shuffle(&r, nodes, p->nodes);
        for (int i = 0; i < p->nodes; i++, n++)
            out[n] = (struct fleet_unit){.number = n + 1, .node = nodes[i], .block = block, .seed = rng_next(&r)};
    }
}

static void put_unit(const struct fleet_plan *p, const struct fleet_unit *u, struct buf *out)
{
    struct json_write j = json_into(out, 0);
    json_object(&j, NULL);
    json_string(&j, "type", "unit");
    json_string(&j, "plan", p->id);
    json_integer(&j, "unit", u->number);
    json_integer(&j, "node", u->node);
    json_integer(&j, "block", u->block);
    json_unsigned(&j, "seed", u->seed);
    json_end(&j);
    buf_char(out, '\n');
}

void fleet_plan_put(const struct fleet_plan *p, struct buf *out)
{
    struct arena a = {0};
    struct fleet_unit *units = arena_array(&a, (size_t)p->nodes * (size_t)p->blocks, sizeof *units);
    put_head(p, out);
    if (units)
        fleet_plan_units(p, units);
    else
        out->status = TARE_NO_MEMORY;
    for (int i = 0; units && i < p->nodes * p->blocks; i++)
        put_unit(p, &units[i], out);
    arena_finish(&a);
}

static bool read_number(const struct json_value *v, const char *key, int64_t least, int64_t most, int *out)
{
    int64_t n;
    const bool good = json_integer_of(json_member(v, key), least, most, &n);
    *out = good ? (int)n : 0;
    return good;
}

static enum tare_status read_argv(struct fleet_plan *p, const struct json_value *list, struct arena *a, struct tare_err *err)
{
    const int n = json_count(list);
    const char **argv = arena_array(a, (size_t)n + 1, sizeof *argv);
    const char *text;
    if (!argv)
        return err_no_memory(err);
    for (const struct json_value *v = json_first(list); v; v = json_next(v)) {
        if (!json_text_of(v, &text))
            return err_set(err, TARE_FORMAT, "is no plan of tare fleet");
        if (!(argv[p->argc++] = arena_strdup(a, text)))
            return err_no_memory(err);
    }
    p->argv = argv;
    return TARE_OK;
}

static enum tare_status read_head(struct fleet_plan *p, const char *text, size_t n, struct arena *a, struct tare_err *err)
{
    struct json_value *v = NULL;
    const char *type;
    int schema = 0;
    enum tare_status status = json_parse(&v, text, n, err);
    if (status && status != TARE_FORMAT)
        return status;
    if (status || !json_text_of(json_member(v, "type"), &type) || strcmp(type, "plan") != 0 ||
        !read_number(v, "schema", 1, 1000000, &schema)) {
        json_free(v);
        return err_set(err, TARE_FORMAT, "is no plan of tare fleet");
    }
    const bool good = read_number(v, "nodes", FLEET_NODES_LEAST, FLEET_NODES_MOST, &p->nodes) &&
                      read_number(v, "blocks", 1, FLEET_BLOCKS_MOST, &p->blocks) &&
                      json_unsigned_of(json_member(v, "seed"), &p->seed) && json_is_array(json_member(v, "argv"));
    status = schema > SCHEMA ? err_set(err, TARE_UNSUPPORTED, "was written by a later version of tare")
             : !good         ? err_set(err, TARE_FORMAT, "is no plan of tare fleet")
                             : read_argv(p, json_member(v, "argv"), a, err);
    json_free(v);
    return status;
}

enum tare_status fleet_plan_read(struct fleet_plan *out, const char *text, size_t n, struct arena *a, struct tare_err *err)
{
    const char *end = n ? memchr(text, '\n', n) : NULL;
    struct buf again = BUF_INIT(1 << 26);
    *out = (struct fleet_plan){0};
    enum tare_status status = read_head(out, text, end ? (size_t)(end - text) : n, a, err);
    if (status)
        return status;
    fleet_plan_name(out);
    fleet_plan_put(out, &again);
    if (again.status)
        status = err_no_memory(err);
    else if (again.len != n || memcmp(again.data, text, n) != 0)
        status = err_set(err, TARE_FORMAT, "was changed or cut after it was written");
    buf_finish(&again);
    return status;
}
