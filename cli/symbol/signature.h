/* SPDX-License-Identifier: MIT
 *
 * signature.h - which function of a shared library is called with what, in one line of text.
 *
 *     libc.so.6:memcmp(in:32,in:32,len)
 *     libcrypto.so.3:CRYPTO_memcmp(in:32,in:32,32)->int
 *     ./libmine.so:encrypt(out:16,in:16,public:16)->void
 *
 * LIBRARY:SYMBOL(ARGUMENT,...)[->RESULT]. The library as the loader takes it. Arguments, at most SIGNATURE_ARGS:
 *     in:N            pointer to N bytes of the input, which are secret
 *     public:N        pointer to N bytes of the input that are not
 *     out:N           pointer to N bytes that the function may write, zero before the first call
 *     len             the N of the nearest pointer to the left
 *     u8 u16 u32 u64  a number by value, from the input, secret
 *     0, 16, 0xff     this number; null: a pointer to nothing
 * Results: int (the default), u32, i64, u64, pointer, void. What a pointer points at is not looked at.
 * All are passed as whole numbers and pointers are, in registers: no floating-point numbers, no structs by value, no variable arguments.
 * In the input the secret parts come first, in their order, then the public ones.
 *
 * Pure: no memory, no system. Ownership: names point into the caller's text.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

enum { SIGNATURE_ARGS = 6, SIGNATURE_BYTES_MAX = 1 << 24 };

enum signature_kind { ARG_IN, ARG_PUBLIC, ARG_OUT, ARG_NUMBER, ARG_VALUE };

struct signature_arg {
    enum signature_kind kind;
    size_t at, bytes; /* IN, PUBLIC, VALUE: of the input; OUT: of all that is written */
    uint64_t number;  /* NUMBER, len and null included */
};

struct signature {
    const char *library, *symbol; /* not closed by a zero */
    size_t library_size, symbol_size;
    int n;
    struct signature_arg args[SIGNATURE_ARGS];
    size_t secret_bytes, input_bytes, out_bytes;
    uint64_t result_mask; /* the bits of the result that mean something; 0: void */
    bool halves;          /* the input is two parts of one length: comparing classes fit */
};

/* INVALID: err says what is wrong and where. */
enum tare_status signature_read(const char *text, struct signature *out, struct tare_err *err);

#endif
