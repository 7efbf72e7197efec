/* SPDX-License-Identifier: MIT
 *
 * A machine whose files and cpuid are any bytes: every field is known or says why not, the classes hold each online CPU once,
 * there are no more cores than CPUs, and lists read back as they are written. Input: pieces closed by a byte 1; each file is
 * the piece that its path's hash falls on, and the registers of cpuid are bytes of the first piece.
 */
#include "identity.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIECES_MAX = 64 };

struct world {
    const char *piece[PIECES_MAX];
    size_t length[PIECES_MAX];
    int n;
};

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261;
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 16777619;
    return h;
}

static enum tare_status read_piece(void *context, const char *path, struct buf *out)
{
    const struct world *w = context;
    if (w->n == 0)
        return TARE_NOT_FOUND;
    uint32_t i = hash(path) % (uint32_t)w->n;
    buf_add(out, w->piece[i], w->length[i]);
    return out->status;
}

static bool cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    const struct world *w = context;
    memset(out, 0, 4 * sizeof *out);
    size_t at = (leaf * 16 + subleaf * 64) % (w->n && w->length[0] ? w->length[0] : 1);
    for (size_t i = 0; i < 16 && w->n && at + i < w->length[0]; i++)
        out[i / 4] |= (uint32_t)(uint8_t)w->piece[0][at + i] << 8 * (i % 4);
    return true;
}

static void check_text(struct identity_text t)
{
    if (!t.text == !t.unknown)
        fail("a text is both known and unknown, or neither");
}

static void check_number(struct identity_number n)
{
    if (n.unknown && n.value)
        fail("an unknown number has a value");
}

static void check_list(const char *text)
{
    struct cpu_list list, again;
    struct buf b = BUF_INIT(1 << 20);
    if (cpu_list_parse(&list, text) && cpu_list_count(&list))
        fail("a list that is not read is not empty");
    cpu_list_write(&b, &list);
    if (cpu_list_parse(&again, buf_text(&b)) || memcmp(&list, &again, sizeof list))
        fail("a list reads back as another");
    buf_finish(&b);
}

static void check_classes(const struct identity *id)
{
    struct cpu_list all = {{0}}, online;
    int n = 0;
    for (int i = 0; i < id->n_classes; i++) {
        const struct identity_class *c = &id->classes[i];
        check_text(c->name);
        n += cpu_list_count(&c->cpus);
        for (int cpu = cpu_list_next(&c->cpus, 0); cpu >= 0; cpu = cpu_list_next(&c->cpus, cpu + 1))
            cpu_list_add(&all, cpu);
        if (c->n_cpus != cpu_list_count(&c->cpus) || c->n_cpus == 0)
            fail("a class is counted wrongly");
    }
    if (id->cpus_online.unknown)
        return;
    if (cpu_list_parse(&online, id->online.text) || memcmp(&all, &online, sizeof all) || n != id->cpus_online.value)
        fail("the classes are not the online CPUs");
    if (!id->cores.unknown && (id->cores.value < 1 || id->cores.value > n))
        fail("more cores than CPUs, or none");
}

static void check(const struct identity *id)
{
    const struct identity_text texts[] = {id->os,         id->distribution, id->maker,     id->product,   id->hypervisor.name,
                                          id->vendor,     id->brand,        id->microcode, id->name.name, id->name.core,
                                          id->name.guess, id->online};
    const struct identity_number numbers[] = {id->memory_bytes, id->family,        id->model,        id->stepping, id->signature,
                                              id->nominal_hz,   id->cpus_possible, id->cpus_offline, id->packages, id->cores};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_number(numbers[i]);
    if (!id->name.reasoning || !*id->name.reasoning || !id->hypervisor.reasoning ||
        !identity_confidence_text(id->name.confidence))
        fail("no reason is given");
    if (!id->n_caches == !id->caches_unknown)
        fail("caches are both known and unknown, or neither");
    for (int i = 0; i < id->n_caches; i++)
        if (id->caches[i].bytes <= 0 || id->caches[i].of_class < 0 || (id->n_classes && id->caches[i].of_class >= id->n_classes))
            fail("a cache of no size or class");
    check_classes(id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct world w = {{0}, {0}, 0};
    char *text = arena_copy(&a, (const char *)data, size), *end = text + size;
    for (char *p = text; p < end && w.n < PIECES_MAX;) {
        char *stop = memchr(p, 1, (size_t)(end - p));
        stop = stop ? stop : end;
        *stop = 0;
        w.piece[w.n] = p;
        w.length[w.n++] = (size_t)(stop - p);
        p = stop + 1;
    }
    for (int i = 0; i < w.n; i++)
        check_list(w.piece[i]);
    for (int with = 0; with < 2; with++) {
        const struct identity_source source = {
            .context = &w, .cpuid = with ? cpuid : NULL, .read = read_piece, .os = "Linux", .architecture = "any"};
        struct identity id;
        if (identity_read(&id, &a, &source))
            fail("no memory");
        check(&id);
    }
    arena_finish(&a);
    return 0;
}
