/* SPDX-License-Identifier: MIT
 *
 * record_read.h where the JSON library is not available: records are written, not read.
 */
#include "foreign.h"
#include "json_read.h"
#include "stored_read.h"

enum tare_status record_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err)
{
    (void)text, (void)n;
    *r = (struct record){.arena = {0}};
    *reading = (struct record_reading){.notes = BUF_INIT(1)};
    return err_set(err, TARE_UNSUPPORTED, "this tare was built without cJSON and cannot read records");
}

bool record_starts(const char *line, size_t n)
{
    (void)line, (void)n;
    return false;
}

size_t record_next(const char *text, size_t n)
{
    (void)text;
    return n;
}

enum tare_status stored_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err)
{
    return record_read(r, text, n, reading, err);
}

bool stored_unrecognised(const char *text, size_t n)
{
    (void)text, (void)n;
    return true;
}

void record_reading_finish(struct record_reading *reading)
{
    buf_finish(&reading->notes);
}

bool foreign_possible(const char *column, double value)
{
    (void)column, (void)value;
    return false; /* nothing is imported */
}

/* What the ledger of leaks and a history read with: nothing is ever parsed, so there is no value to look at. */

enum tare_status json_parse(struct json_value **out, const char *text, size_t n, struct tare_err *err)
{
    (void)text, (void)n;
    *out = NULL;
    return err_set(err, TARE_UNSUPPORTED, "this tare was built without cJSON and cannot read JSON");
}

void json_free(struct json_value *v)
{
    (void)v;
}

bool json_is_object(const struct json_value *v)
{
    (void)v;
    return false;
}

const struct json_value *json_member(const struct json_value *object, const char *key)
{
    (void)object, (void)key;
    return NULL;
}

bool json_number_of(const struct json_value *v, double *out)
{
    (void)v, (void)out;
    return false;
}

bool json_text_of(const struct json_value *v, const char **out)
{
    (void)v, (void)out;
    return false;
}

bool json_unsigned_of(const struct json_value *v, uint64_t *out)
{
    (void)v, (void)out;
    return false;
}

bool json_integer_of(const struct json_value *v, int64_t low, int64_t high, int64_t *out)
{
    (void)v, (void)low, (void)high, (void)out;
    return false;
}

bool json_bool_of(const struct json_value *v, bool *out)
{
    (void)v, (void)out;
    return false;
}

bool json_flag(const struct json_value *object, const char *key)
{
    (void)object, (void)key;
    return false;
}

bool json_is_null(const struct json_value *v)
{
    (void)v;
    return false;
}

bool json_is_array(const struct json_value *v)
{
    (void)v;
    return false;
}

const struct json_value *json_first(const struct json_value *container)
{
    (void)container;
    return NULL;
}

const struct json_value *json_next(const struct json_value *item)
{
    (void)item;
    return NULL;
}

int json_count(const struct json_value *container)
{
    (void)container;
    return 0;
}

const char *json_key(const struct json_value *member)
{
    (void)member;
    return NULL;
}
