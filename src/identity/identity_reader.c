/* SPDX-License-Identifier: MIT */
#include "identity_reader.h"
#include "whole.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_ROOM = 1 << 16 };

struct identity_text text_unknown(const char *why)
{
    return (struct identity_text){.unknown = why};
}

struct identity_text text_constant(const char *text)
{
    return (struct identity_text){.text = text};
}

struct identity_text text_known(struct reader *r, const char *text, size_t n)
{
    char *copy = arena_copy(r->arena, text, n);
    r->no_memory |= !copy;
    return copy ? text_constant(copy) : text_unknown("out of memory");
}

struct identity_text text_of_buf(struct reader *r, struct buf *b)
{
    r->no_memory |= b->status == TARE_NO_MEMORY;
    struct identity_text text = text_known(r, buf_text(b), b->len);
    buf_finish(b);
    return text;
}

struct identity_number number_unknown(const char *why)
{
    return (struct identity_number){.unknown = why};
}

struct identity_number number_known(int64_t value)
{
    return (struct identity_number){.value = value};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool read_integer(const char **p, int64_t *out)
{
    bool hexadecimal = (*p)[0] == '0' && ((*p)[1] | 0x20) == 'x';
    const char *digits = *p + (hexadecimal ? 2 : 0);
    if (!whole_take(&digits, digits + strlen(digits), hexadecimal ? 16 : 10, out))
        return false;
    *p = digits;
    return true;
}

bool find_value(const char *text, const char *key, const char **value, size_t *n)
{
    size_t key_len = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, key, key_len))
            continue;
        const char *p = line + key_len;
        while (is_blank(*p))
            p++;
        if (*p != ':' && *p != '=')
            continue;
        for (p++; is_blank(*p); p++)
            ;
        *value = p;
        *n = strcspn(p, "\n");
        while (*n > 0 && is_blank(p[*n - 1]))
            --*n;
        return *n > 0;
    }
    return false;
}

bool find_number(const char *text, const char *key, int64_t *out)
{
    const char *value;
    size_t n;
    if (!find_value(text, key, &value, &n))
        return false;
    const char *end = value;
    return read_integer(&end, out) && end == value + n;
}

const char *reader_file_start(struct reader *r, const char *path, size_t most)
{
    if (!r->file.data) {
        char *room = malloc(FILE_ROOM); /* of which little is ever touched, so not from the arena, which clears it */
        r->no_memory |= !room;
        if (!room)
            return NULL;
        r->file = buf_over(room, FILE_ROOM);
    }
    buf_clear(&r->file);
    r->file.size = r->file.cap = most < FILE_ROOM ? most : FILE_ROOM;
    enum tare_status status = r->source->read ? r->source->read(r->source->context, path, &r->file) : TARE_NOT_FOUND;
    return (!status || status == TARE_TOO_LARGE) && r->file.len > 0 ? r->file.data : NULL;
}

void reader_close(struct reader *r)
{
    free(r->file.data);
    r->file = (struct buf){0};
}

const char *reader_file(struct reader *r, const char *path)
{
    return reader_file_start(r, path, FILE_ROOM);
}

struct identity_text reader_line(struct reader *r, const char *path)
{
    const char *text = reader_file_start(r, path, 4096);
    if (!text)
        return text_unknown("the system does not say");
    while (is_blank(*text))
        text++;
    size_t n = strcspn(text, "\n");
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    return text_known(r, text, n);
}

bool reader_number(struct reader *r, const char *path, int64_t *out)
{
    const char *p = reader_file_start(r, path, 256);
    return p && read_integer(&p, out) && !p[strspn(p, " \t\r\n")];
}

bool reader_list(struct reader *r, const char *path, struct cpu_list *out)
{
    const char *text = reader_file(r, path);
    return text && cpu_list_parse(out, text) == TARE_OK;
}

void reader_cpuid(struct reader *r, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    memset(out, 0, 4 * sizeof *out);
    uint32_t max = leaf >= 0x80000000 ? r->max_extended_leaf : r->max_leaf;
    bool hypervisor = leaf >= 0x40000000 && leaf < 0x80000000; /* their range is checked by who asks */
    if (r->source->cpuid && (hypervisor || leaf <= max) && !r->source->cpuid(r->source->context, leaf, subleaf, out))
        memset(out, 0, 4 * sizeof *out);
}
