/* SPDX-License-Identifier: MIT
 * Offsets of ELF-64: the System V ABI, chapter 4. */
#include "same_program.h"
#include <stdint.h>
#include <string.h>

enum { HEADER = 64, SECTION = 64, SEGMENT = 56, UNUSED = 0, NOBITS = 8, ALLOCATED = 2 };

static uint64_t number_at(const struct program_image *p, size_t at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | (unsigned char)p->bytes[at + (size_t)i];
    return value;
}

/* Little-endian, 64 bits. */
static bool is_elf(const struct program_image *p)
{
    return p->n >= HEADER && !memcmp(p->bytes, "\177ELF\2\1", 6);
}

/* Windows' programs begin with one of DOS. */
bool is_program(const struct program_image *p)
{
    return is_elf(p) || (p->n >= HEADER && !memcmp(p->bytes, "MZ", 2));
}

/* The last character of the folder's name is at `i`, and only there the two differ. */
static bool in_folder(const struct program_image *p, size_t begin, size_t i)
{
    const size_t n = strlen(p->folder);
    for (size_t end = i; end < i + n; end++)
        if (end + 1 >= begin + n && end < p->n && !memcmp(p->bytes + end + 1 - n, p->folder, n))
            return true;
    return false;
}

struct part {
    size_t at, n;
};

static bool same_bytes(const struct program_image *a, struct part x, const struct program_image *b, struct part y)
{
    if (x.n != y.n)
        return false;
    for (size_t i = 0; i < x.n; i++)
        if (a->bytes[x.at + i] != b->bytes[y.at + i] && !(in_folder(a, x.at, x.at + i) && in_folder(b, y.at, y.at + i)))
            return false;
    return true;
}

struct section {
    const char *name;
    uint64_t type, flags, address, size;
    struct part content;
};

struct sections {
    const struct program_image *p;
    size_t at;
    int n;
    struct part names, segments;
};

static bool within_file(const struct program_image *p, uint64_t at, uint64_t n)
{
    return at <= p->n && n <= p->n - at;
}

static bool read_section(const struct sections *s, int index, struct section *out)
{
    const struct program_image *p = s->p;
    const size_t at = s->at + (size_t)index * SECTION;
    const uint64_t name = number_at(p, at, 4);
    *out = (struct section){.name = "",
                            .type = number_at(p, at + 4, 4),
                            .flags = number_at(p, at + 8, 8),
                            .address = number_at(p, at + 16, 8),
                            .size = number_at(p, at + 32, 8)};
    out->content = (struct part){(size_t)number_at(p, at + 24, 8), out->type == NOBITS ? 0 : (size_t)out->size};
    if (name < s->names.n && memchr(p->bytes + s->names.at + name, 0, s->names.n - name))
        out->name = p->bytes + s->names.at + name;
    return within_file(p, out->content.at, out->content.n) || out->type == NOBITS;
}

static bool read_sections(const struct program_image *p, struct sections *s)
{
    *s = (struct sections){.p = p};
    if (!is_elf(p))
        return false;
    const uint64_t at = number_at(p, 40, 8), size = number_at(p, 58, 2), n = number_at(p, 60, 2), names = number_at(p, 62, 2),
                   segments = number_at(p, 32, 8), n_segments = number_at(p, 56, 2);
    if (size != SECTION || !n || names >= n || !within_file(p, at, n * SECTION) ||
        !within_file(p, segments, n_segments * SEGMENT))
        return false;
    s->at = (size_t)at;
    s->n = (int)n;
    s->segments = (struct part){(size_t)segments, (size_t)n_segments * SEGMENT};
    struct section of_names;
    const bool good = read_section(s, (int)names, &of_names);
    s->names = of_names.content;
    return good && of_names.type != NOBITS;
}

static bool begins_with_any(const char *text, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (!strncmp(text, *beginnings, strlen(*beginnings)))
            return true;
    return false;
}

/* Names of the build, debug information and symbols do not. A program may read any other section from its file, loaded or not: archives of scripts are
 * kept so. */
static bool section_counts(const struct section *s)
{
    static const char *const named[] = {".note.gnu.build-id", ".note.go.buildid", NULL};
    static const char *const described[] = {".debug_", ".zdebug_",  ".gnu_debug", ".gdb_index", ".stab", ".symtab",
                                            ".strtab", ".shstrtab", ".comment",   ".note.",     NULL};
    return s->type != UNUSED && !begins_with_any(s->name, s->flags & ALLOCATED ? named : described);
}

/* The next one that counts from *i on; *i is behind it. 1: there is one, 0: none, -1: it cannot be read. */
static int next_section(const struct sections *s, int *i, struct section *out)
{
    while (*i < s->n) {
        if (!read_section(s, (*i)++, out))
            return -1;
        if (section_counts(out))
            return 1;
    }
    return 0;
}

static bool same_section(const struct program_image *a, const struct section *x, const struct program_image *b,
                         const struct section *y)
{
    return !strcmp(x->name, y->name) && x->type == y->type && x->flags == y->flags && x->address == y->address &&
           x->size == y->size && same_bytes(a, x->content, b, y->content);
}

/* What was appended to the program, which it may read too. */
static struct part behind_all(const struct sections *s)
{
    size_t end = s->at + (size_t)s->n * SECTION;
    struct section one;
    for (int i = 0; i < s->n; i++)
        if (read_section(s, i, &one) && one.type != NOBITS && one.content.at + one.content.n > end)
            end = one.content.at + one.content.n;
    return (struct part){end, s->p->n - end};
}

static bool same_sections(const struct program_image *a, const struct program_image *b)
{
    enum { ENTRY = 24, ENTRY_BYTES = 8, TYPE = 16, TYPE_BYTES = 4 };
    struct sections s, t;
    struct section x, y;
    int i = 0, k = 0, compared = 0;
    if (!read_sections(a, &s) || !read_sections(b, &t) || memcmp(a->bytes + ENTRY, b->bytes + ENTRY, ENTRY_BYTES) != 0 ||
        memcmp(a->bytes + TYPE, b->bytes + TYPE, TYPE_BYTES) != 0 || !same_bytes(a, s.segments, b, t.segments) ||
        !same_bytes(a, behind_all(&s), b, behind_all(&t)))
        return false;
    for (;;) {
        const int one = next_section(&s, &i, &x), other = next_section(&t, &k, &y);
        if (one != 1 || other != 1)
            return !one && !other && compared > 0;
        if (!same_section(a, &x, b, &y))
            return false;
        compared++;
    }
}

bool same_program(const struct program_image *a, const struct program_image *b)
{
    return same_bytes(a, (struct part){0, a->n}, b, (struct part){0, b->n}) || same_sections(a, b);
}

static bool ends_in_any(const char *name, const char *const *endings)
{
    const size_t n = strlen(name);
    for (; *endings; endings++)
        if (n > strlen(*endings) && !strcmp(name + n - strlen(*endings), *endings))
            return true;
    return false;
}

bool named_as_library(const char *name)
{
    for (const char *so = name; (so = strstr(so, ".so")); so++)
        if (!so[3] || so[3] == '.')
            return true;
    static const char *const endings[] = {".dll", ".DLL", NULL};
    return ends_in_any(name, endings);
}

static bool is_any(const char *name, size_t n, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == n && !memcmp(name, *names, n))
            return true;
    return false;
}

bool read_by_nobody(const char *path)
{
    static const char *const endings[] = {".md", ".rst", ".adoc", NULL};
    static const char *const names[] = {"LICENSE", "README", "CHANGELOG", "NEWS", "AUTHORS", ".gitignore", NULL};
    static const char *const folders[] = {"docs/", "doc/", ".github/", ".tare/", NULL};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const bool text = ends_in_any(name, endings);
    return is_any(name, strlen(name), names) || begins_with_any(path, folders) ||
           (text && (!slash || is_any(name, (size_t)(strrchr(name, '.') - name), names)));
}

bool program_names(const struct program_image *p, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t n = strlen(name);
    for (const char *at = p->bytes, *end = p->bytes + p->n; (at = memchr(at, *name, (size_t)(end - at))); at++)
        if ((size_t)(end - at) >= n && !memcmp(at, name, n))
            return true;
    return false;
}
