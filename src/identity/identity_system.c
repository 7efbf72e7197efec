/* SPDX-License-Identifier: MIT */
#include "identity_reader.h"
#include <string.h>

static struct identity_text given(struct reader *r, const char *text)
{
    return text && *text ? text_known(r, text, strlen(text)) : text_unknown("the system does not tell");
}

/* os-release(5): NAME=value, the value bare or in quotes, within double quotes with backslashes before " $ ` and \. */
static struct identity_text unquoted(struct reader *r, const char *value, size_t n)
{
    char quote = n >= 2 && (*value == '"' || *value == '\'') && value[n - 1] == *value ? *value : 0;
    if (!quote)
        return text_known(r, value, n);
    struct buf b = BUF_INIT(4096);
    for (size_t i = 1; i < n - 1; i++) {
        if (quote == '"' && value[i] == '\\' && i + 1 < n - 1)
            i++;
        buf_char(&b, value[i]);
    }
    return text_of_buf(r, &b);
}

static struct identity_text distribution(struct reader *r)
{
    static const char *const files[] = {"/etc/os-release", "/usr/lib/os-release"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *text = reader_file(r, files[i]), *value;
        size_t n;
        if (text && (find_value(text, "PRETTY_NAME", &value, &n) || find_value(text, "NAME", &value, &n)))
            return unquoted(r, value, n);
    }
    return text_unknown("no /etc/os-release names it");
}

static struct identity_number memory(struct reader *r)
{
    const char *text = reader_file_start(r, "/proc/meminfo", 4096), *value;
    size_t n;
    int64_t kib;
    if (!text || !find_value(text, "MemTotal", &value, &n))
        return number_unknown("not in /proc/meminfo");
    const char *end = value + n;
    bool whole = read_whole_number(&value, &kib) && *value == ' ';
    value += strspn(value, " ");
    if (!whole || end - value != 2 || memcmp(value, "kB", 2) || kib > INT64_MAX / 1024)
        return number_unknown("not in /proc/meminfo");
    return number_known(kib * 1024);
}

void identity_system(struct reader *r, struct identity *id)
{
    id->os = given(r, r->source->os);
    id->kernel = given(r, r->source->kernel);
    id->build = given(r, r->source->build);
    id->architecture = given(r, r->source->architecture);
    id->distribution = distribution(r);
    id->maker = reader_line(r, "/sys/class/dmi/id/sys_vendor");
    id->product = reader_line(r, "/sys/class/dmi/id/product_name");
    id->memory_bytes = memory(r);
}
