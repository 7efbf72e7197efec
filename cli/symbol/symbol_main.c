/* SPDX-License-Identifier: MIT
 *
 * tare-symbol: a function of a shared library as a leak target, without a program around it. `tare leak --symbol` starts it.
 *
 *     TARE_WIRE=... tare-symbol 'libc.so.6:memcmp(in:32,in:32,len)' [CLASS CLASS...]
 *
 * The target's name is SYMBOL. Classes are the ready ones of tare/leak.h; by default equal and random where the input is two parts of one length, else
 * zero and random. Without a runner it says what it would be: it lists the target.
 * Exit 2: the signature is wrong, or the library has no such symbol; 5: the library cannot be loaded; one line on standard error. The target's file
 * is the one that has the symbol.
 */
#include "signature.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/leak.h>

enum { USAGE = 2, NOT_LOADED = 5, NAME_MAX_BYTES = 256 };

typedef uint64_t function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* What a call is made of; there before the first. */
struct call {
    function *run;
    struct signature signature;
    unsigned char *out;
    uint64_t numbers[SIGNATURE_ARGS];
};

static uint64_t value_at(const unsigned char *in, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, in, bytes); /* little endian, as both processors are */
    return value;
}

/* Branches by the signature alone, never by the input. */
static uint64_t call(void *state, const unsigned char *in)
{
    struct call *c = state;
    uint64_t v[SIGNATURE_ARGS];
    for (int i = 0; i < SIGNATURE_ARGS; i++) {
        const struct signature_arg *a = &c->signature.args[i];
        bool pointer = a->kind == ARG_IN || a->kind == ARG_PUBLIC;
        v[i] = pointer                ? (uint64_t)(uintptr_t)(in + a->at)
               : a->kind == ARG_VALUE ? value_at(in + a->at, a->bytes)
                                      : c->numbers[i];
    }
    return c->run(v[0], v[1], v[2], v[3], v[4], v[5]) & c->signature.result_mask;
}

static int refuse_symbol(const char *what, const char *why)
{
    fprintf(stderr, "tare-symbol: %s%s%s\n", what, why[0] ? ": " : "", why);
    return USAGE;
}

static const char *ended_text(char *out, const char *text, size_t size)
{
    if (size >= NAME_MAX_BYTES)
        return NULL;
    memcpy(out, text, size);
    out[size] = 0;
    return out;
}

/* *file: where it was found, which may be another library that this one needs. */
static int find_function(struct call *c, const char *library, const char *symbol, const char **file)
{
    void *handle = dlopen(library, RTLD_NOW);
    if (!handle) {
        refuse_symbol("no such library", dlerror());
        return NOT_LOADED;
    }
    void *address = dlsym(handle, symbol);
    const char *why = address ? NULL : dlerror(); /* none, where there is one at address 0 */
    if (!address)
        return refuse_symbol("no such symbol", why ? why : "its address is 0");
    Dl_info info;
    *file = dladdr(address, &info) && info.dli_fname ? info.dli_fname : library;
    memcpy(&c->run, &address, sizeof address); /* ISO C knows no cast from one to the other */
    return 0;
}

static int prepare_call(struct call *c)
{
    c->out = c->signature.out_bytes ? calloc(c->signature.out_bytes, 1) : NULL;
    if (c->signature.out_bytes && !c->out)
        return refuse_symbol("no memory for what the function writes", "");
    for (int i = 0; i < SIGNATURE_ARGS; i++) {
        const struct signature_arg *a = &c->signature.args[i];
        c->numbers[i] = a->kind == ARG_OUT ? (uint64_t)(uintptr_t)(c->out + a->at) : a->number;
    }
    for (int i = c->signature.n; i < SIGNATURE_ARGS; i++)
        c->signature.args[i].kind = ARG_NUMBER;
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const halves[] = {"equal", "random"}, *const whole[] = {"zero", "random"};
    static struct call c;
    struct tare_err err = {{0}};
    char library[NAME_MAX_BYTES], symbol[NAME_MAX_BYTES];
    if (argc < 2)
        return refuse_symbol("expected LIBRARY:SYMBOL(ARGUMENT,...)[->RESULT] [CLASS...]", "");
    if (signature_read(argv[1], &c.signature, &err))
        return refuse_symbol(err.text, "");
    const struct signature *s = &c.signature;
    if (!ended_text(library, s->library, s->library_size) || !ended_text(symbol, s->symbol, s->symbol_size))
        return refuse_symbol("a name is longer than 255 bytes", "");
    const char *file = library;
    int code = find_function(&c, library, symbol, &file);
    code = code ? code : prepare_call(&c);
    struct tare_leak leak = TARE_INIT(struct tare_leak, .name = symbol, .run = call, .file = file, .bytes = s->input_bytes,
                                      .secret_bytes = s->secret_bytes, .context = &c);
    leak.classes = (struct tare_names){s->halves ? halves : whole, 2};
    if (argc > 2)
        leak.classes = (struct tare_names){(const char *const *)(argv + 2), argc - 2};
    if (!code && tare_leak_add(&leak))
        code = refuse_symbol("no memory for the target", "");
    return code ? code : tare_bench_main(1, argv, tare_write_stdout, NULL);
}
