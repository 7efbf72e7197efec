/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Doubles as decimal digits, exactly, without the C library's formatter and so without its locale. Digits are generated with big integers as in Steele
 * and White, "How to print floating-point numbers accurately" (1990): slow (about a microsecond) and never wrong. */

enum { DECIMAL_DIGITS_MAX = 800 };

/* value = 0.DIGITS * 10^exponent, value finite and >= 0; 0 gives n = 1, digit 0, exponent 1. */
struct decimal {
    int n, exponent;
    char digits[DECIMAL_DIGITS_MAX]; /* 0..9, not characters */
};

/* Unsigned integers of up to 1280 bits: 2^1077 and 10^324 * 2^53 both fit. */

enum { LIMBS = 72 };

struct big {
    int n; /* limbs in use, the top one not 0 */
    uint32_t limb[LIMBS];
};

static struct big big_from(uint64_t x)
{
    struct big b = {.limb = {(uint32_t)x, (uint32_t)(x >> 32)}};
    b.n = x >> 32 ? 2 : x ? 1 : 0;
    return b;
}

static void big_times(struct big *b, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(b->n < LIMBS);
        b->limb[b->n++] = (uint32_t)carry;
    }
}

static void big_times_power_of_10(struct big *b, int power)
{
    for (; power >= 9; power -= 9)
        big_times(b, 1000000000u);
    for (; power > 0; power--)
        big_times(b, 10);
}

static void big_shift_left(struct big *b, int bits)
{
    if (!b->n)
        return;
    int whole = bits / 32, rest = bits % 32;
    assert(b->n + whole < LIMBS);
    memmove(b->limb + whole, b->limb, (size_t)b->n * sizeof b->limb[0]);
    memset(b->limb, 0, (size_t)whole * sizeof b->limb[0]);
    b->n += whole;
    if (rest)
        big_times(b, UINT32_C(1) << rest);
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void big_add(struct big *a, const struct big *b)
{
    uint64_t carry = 0;
    int n = a->n > b->n ? a->n : b->n;
    for (int i = 0; i < n; i++) {
        carry += (uint64_t)(i < a->n ? a->limb[i] : 0) + (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->n = n;
    if (carry) {
        assert(n < LIMBS);
        a->limb[a->n++] = (uint32_t)carry;
    }
}

static void big_subtract(struct big *a, const struct big *b) /* a >= b */
{
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n && !a->limb[a->n - 1])
        a->n--;
}

static int big_divide_digit(struct big *a, const struct big *b) /* quotient 0..9; a becomes the remainder */
{
    int quotient = 0;
    while (big_compare(a, b) >= 0) {
        big_subtract(a, b);
        quotient++;
    }
    return quotient;
}

static int compare_sum(const struct big *a, const struct big *b, const struct big *c) /* a + b against c */
{
    struct big sum = *a;
    big_add(&sum, b);
    return big_compare(&sum, c);
}

/* Value = r / s, with half gaps to the neighbours below and above. */

struct fraction {
    struct big r, s, below, above;
    bool even;   /* the ends of the interval read back to the value */
    int top_bit; /* 2^top_bit <= value < 2^(top_bit + 1) */
    int exponent;
};

/* value = m * 2^e > 0. By its bits: numbers are written in programs that need no library of mathematics for anything else. */
static uint64_t mantissa_of(double value, int *e)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    *e = (exponent ? exponent : 1) - 1075;
    return exponent ? m | UINT64_C(1) << 52 : m;
}

static void fraction_from(struct fraction *f, double value)
{
    int e;
    uint64_t m = mantissa_of(value, &e);
    for (f->top_bit = e; m >> (f->top_bit - e) > 1;)
        f->top_bit++;
    bool power_of_two = m == UINT64_C(1) << 52 && e > -1074; /* the gap below is half the gap above */
    f->even = m % 2 == 0;
    f->r = big_from(m);
    f->s = f->below = big_from(1);
    big_shift_left(&f->r, 1 + power_of_two + (e > 0 ? e : 0));
    big_shift_left(&f->s, 1 + power_of_two + (e < 0 ? -e : 0));
    big_shift_left(&f->below, e > 0 ? e : 0);
    f->above = f->below;
    big_shift_left(&f->above, power_of_two);
}

/* log10 of 2^top_bit, rounded up: log10 of the value, or one less. */
static int least_exponent(int top_bit)
{
    double log = top_bit * 0.30102999566398120 - 1e-10;
    int k = (int)log;
    return k < log ? k + 1 : k;
}

/* Scales so that r/s < 1 stands for 0.ddd * 10^exponent; with the upper gap when shortest digits are wanted. */
static void fraction_scale(struct fraction *f, bool with_gap)
{
    int k = least_exponent(f->top_bit);
    if (k >= 0) {
        big_times_power_of_10(&f->s, k);
    } else {
        big_times_power_of_10(&f->r, -k);
        big_times_power_of_10(&f->below, -k);
        big_times_power_of_10(&f->above, -k);
    }
    int over = with_gap ? compare_sum(&f->r, &f->above, &f->s) : big_compare(&f->r, &f->s);
    if (over > 0 || (over == 0 && (!with_gap || f->even))) {
        big_times(&f->s, 10);
        k++;
    }
    f->exponent = k;
}

static void zero(struct decimal *d)
{
    *d = (struct decimal){.n = 1, .exponent = 1};
}

/* Adds one unit in the last place, which may carry through all digits. */
static void round_up(struct decimal *d)
{
    int i = d->n - 1;
    while (i >= 0 && d->digits[i] == 9)
        d->digits[i--] = 0;
    if (i >= 0) {
        d->digits[i]++;
        return;
    }
    memmove(d->digits + 1, d->digits, (size_t)d->n);
    d->digits[0] = 1;
    d->n++;
    d->exponent++;
}

/* Fewest digits that read back to the same double. */
static void decimal_shortest(struct decimal *d, double value)
{
    if (value == 0) {
        zero(d);
        return;
    }
    struct fraction f;
    fraction_from(&f, value);
    fraction_scale(&f, true);
    d->n = 0;
    d->exponent = f.exponent;
    for (;;) {
        big_times(&f.r, 10);
        big_times(&f.below, 10);
        big_times(&f.above, 10);
        int digit = big_divide_digit(&f.r, &f.s);
        int low = big_compare(&f.r, &f.below), high = compare_sum(&f.r, &f.above, &f.s);
        bool low_ok = low < 0 || (low == 0 && f.even), high_ok = high > 0 || (high == 0 && f.even);
        d->digits[d->n++] = (char)digit;
        if (!low_ok && !high_ok)
            continue;
        big_times(&f.r, 2);
        if (!low_ok || (high_ok && big_compare(&f.r, &f.s) >= 0))
            round_up(d);
        return;
    }
}

/* Rounded half to even after `decimals` places, 0..300. */
static void decimal_fixed(struct decimal *d, double value, int decimals)
{
    if (value == 0) {
        zero(d);
        return;
    }
    struct fraction f;
    fraction_from(&f, value);
    fraction_scale(&f, false);
    d->exponent = f.exponent;
    int wanted = f.exponent + decimals; /* digits before the cut; may be 0 or less */
    if (wanted < 0) {
        zero(d);
        return;
    }
    assert(wanted <= DECIMAL_DIGITS_MAX - 2);
    for (d->n = 0; d->n < wanted; d->n++) {
        big_times(&f.r, 10);
        d->digits[d->n] = (char)big_divide_digit(&f.r, &f.s);
    }
    big_times(&f.r, 2);
    int half = big_compare(&f.r, &f.s);
    bool odd = d->n > 0 && d->digits[d->n - 1] % 2;
    if (half > 0 || (half == 0 && odd))
        round_up(d);
    if (d->n == 0)
        zero(d);
}

/* To at most so many, half up, no zeros at the end; < 1: nothing. */
static void decimal_cut(struct decimal *d, int digits)
{
    if (digits < 1 || d->n <= digits)
        return;
    bool up = d->digits[digits] >= 5;
    d->n = digits;
    if (up)
        round_up(d);
    while (d->n > 1 && d->digits[d->n - 1] == 0)
        d->n--;
}

struct buf buf_over(char *array, size_t size)
{
    if (size)
        array[0] = 0;
    return (struct buf){.data = array, .size = size, .cap = size, .fixed = true};
}

void buf_finish(struct buf *b)
{
    if (!b->fixed)
        free(b->data);
    *b = (struct buf){.cap = b->cap};
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->status = TARE_OK;
    if (b->data && b->size)
        b->data[0] = 0;
}

/* Makes room for n more bytes and the closing zero; returns how many of the n fit. */
static size_t room_for(struct buf *b, size_t n)
{
    if (b->status)
        return 0;
    if (b->size > b->len && n < b->size - b->len)
        return n;
    if (b->fixed || n >= b->cap || b->len >= b->cap - n) {
        b->status = TARE_TOO_LARGE;
        return b->fixed && b->size > b->len ? b->size - b->len - 1 : 0;
    }
    size_t size = b->size ? b->size : 256;
    while (size <= b->len + n)
        size = size > b->cap / 2 ? b->cap : size * 2;
    char *data = realloc(b->data, size);
    if (!data) {
        b->status = TARE_NO_MEMORY;
        return 0;
    }
    b->data = data;
    b->size = size;
    return n;
}

void buf_add(struct buf *b, const void *bytes, size_t n)
{
    n = room_for(b, n);
    if (!b->data || !b->size)
        return;
    if (n)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = 0;
}

void buf_str(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_repeat(struct buf *b, char c, int times)
{
    while (times-- > 0)
        buf_char(b, c);
}

const char *buf_plural(long long n)
{
    return n == 1 ? "" : "s";
}

const char *buf_text(const struct buf *b)
{
    return b->data ? b->data : "";
}

enum { NUMBER_MAX = 1200 }; /* 309 digits, a point, 300 places, an exponent */

struct number {
    char text[NUMBER_MAX];
    int n;
};

static void put_char(struct number *t, char c)
{
    t->text[t->n++] = c;
}

static void put_unsigned(struct number *t, uintmax_t x, unsigned base)
{
    char reversed[70];
    int n = 0;
    do
        reversed[n++] = "0123456789abcdef"[x % base];
    while (x /= base);
    while (n)
        put_char(t, reversed[--n]);
}

/* Digits of d as plain notation with `places` after the point; -1 = as many as there are. */
static void put_plain(struct number *t, const struct decimal *d, int places)
{
    int last = places >= 0 ? d->exponent + places : d->n > d->exponent ? d->n : d->exponent;
    if (d->exponent <= 0)
        put_char(t, '0');
    for (int i = d->exponent <= 0 ? d->exponent : 0; i < last; i++) {
        if (i == d->exponent)
            put_char(t, '.');
        put_char(t, (char)('0' + (i >= 0 && i < d->n ? d->digits[i] : 0)));
    }
}

static void put_scientific(struct number *t, const struct decimal *d)
{
    put_char(t, (char)('0' + d->digits[0]));
    if (d->n > 1)
        put_char(t, '.');
    for (int i = 1; i < d->n; i++)
        put_char(t, (char)('0' + d->digits[i]));
    put_char(t, 'e');
    int e = d->exponent - 1;
    put_char(t, e < 0 ? '-' : '+');
    if (abs(e) < 10)
        put_char(t, '0');
    put_unsigned(t, (uintmax_t)abs(e), 10);
}

/* places < 0: shortest that reads back to the same double, or of that the first `digits` (> 0). */
static void put_double(struct number *t, double x, int places, int digits)
{
    if (isnan(x) || isinf(x)) {
        for (const char *s = isnan(x) ? "nan" : x < 0 ? "-inf" : "inf"; *s; s++)
            put_char(t, *s);
        return;
    }
    struct decimal d;
    if (places < 0) {
        decimal_shortest(&d, fabs(x));
        decimal_cut(&d, digits);
    } else {
        decimal_fixed(&d, fabs(x), places < 300 ? places : 300);
    }
    bool is_zero = d.n == 1 && d.digits[0] == 0;
    if (signbit(x) && !(is_zero && places >= 0)) /* no "-0.00" for people */
        put_char(t, '-');
    if (places >= 0)
        put_plain(t, &d, places < 300 ? places : 300);
    else if (d.exponent > 17 || d.exponent < -4)
        put_scientific(t, &d);
    else
        put_plain(t, &d, -1);
}

struct spec {
    bool left, zero, plus;
    int width, precision; /* -1: not given */
    enum { INT, LONG, LLONG, SIZE, MAX } length;
};

static void padded(struct buf *b, const struct spec *s, const char *text, size_t n)
{
    size_t shown = 0; /* columns: UTF-8 continuation bytes take none */
    for (size_t i = 0; i < n; i++)
        shown += ((unsigned char)text[i] & 0xc0) != 0x80;
    int fill = s->width > (int)shown ? s->width - (int)shown : 0;
    if (s->zero && !s->left && n && (text[0] == '-' || text[0] == '+')) {
        buf_char(b, text[0]);
        text++, n--;
    }
    if (!s->left)
        buf_repeat(b, s->zero ? '0' : ' ', fill);
    buf_add(b, text, n);
    if (s->left)
        buf_repeat(b, ' ', fill);
}

struct arguments { /* a va_list that can be handed on by pointer */
    va_list ap;
};

static int read_count(const char **p, struct arguments *a)
{
    if (**p == '*') {
        ++*p;
        return va_arg(a->ap, int);
    }
    int n = 0;
    while (**p >= '0' && **p <= '9')
        n = n * 10 + (*(*p)++ - '0');
    return n;
}

static struct spec read_spec(const char **p, struct arguments *a)
{
    struct spec s = {.precision = -1};
    for (; **p == '-' || **p == '0' || **p == '+'; ++*p)
        *(**p == '-' ? &s.left : **p == '0' ? &s.zero : &s.plus) = true;
    s.width = read_count(p, a);
    if (**p == '.') {
        ++*p;
        s.precision = read_count(p, a);
    }
    for (;; ++*p) {
        if (**p == 'l')
            s.length = s.length == LONG ? LLONG : LONG;
        else if (**p == 'z' || **p == 't')
            s.length = SIZE;
        else if (**p == 'j')
            s.length = MAX;
        else
            return s;
    }
}

static intmax_t signed_argument(const struct spec *s, struct arguments *a)
{
    switch (s->length) {
    case LONG:
        return va_arg(a->ap, long);
    case LLONG:
        return va_arg(a->ap, long long);
    case SIZE:
        return va_arg(a->ap, ptrdiff_t);
    case MAX:
        return va_arg(a->ap, intmax_t);
    case INT:
        break;
    }
    return va_arg(a->ap, int);
}

static uintmax_t unsigned_argument(const struct spec *s, struct arguments *a)
{
    switch (s->length) {
    case LONG:
        return va_arg(a->ap, unsigned long);
    case LLONG:
        return va_arg(a->ap, unsigned long long);
    case SIZE:
        return va_arg(a->ap, size_t);
    case MAX:
        return va_arg(a->ap, uintmax_t);
    case INT:
        break;
    }
    return va_arg(a->ap, unsigned);
}

static void put_plus(struct number *t)
{
    if (t->text[0] == '-')
        return;
    memmove(t->text + 1, t->text, (size_t)t->n++);
    t->text[0] = '+';
}

static bool inside_character(const char *text)
{
    return (*text & 0xc0) == 0x80;
}

static void put_string(struct buf *b, const struct spec *s, const char *text)
{
    if (!text)
        text = "(null)";
    size_t n = s->precision >= 0 ? strnlen(text, (size_t)s->precision) : strlen(text);
    if (b->longest && n > b->longest) {
        static const char dots[] = "...";
        size_t head = b->longest / 2, tail = n - (b->longest - head - strlen(dots));
        while (head && inside_character(text + head))
            head--;
        while (tail < n && inside_character(text + tail))
            tail++;
        buf_add(b, text, head);
        buf_str(b, dots);
        buf_add(b, text + tail, n - tail);
    } else
        padded(b, s, text, n);
}

static void convert(struct buf *b, char kind, const struct spec *s, struct arguments *a)
{
    struct number t;
    t.n = 0; /* the rest is a kilobyte that need not be cleared */
    switch (kind) {
    case 's':
        put_string(b, s, va_arg(a->ap, const char *));
        return;
    case 'c':
        put_char(&t, (char)va_arg(a->ap, int));
        break;
    case 'd': {
        intmax_t x = signed_argument(s, a);
        if (x < 0)
            put_char(&t, '-');
        put_unsigned(&t, x < 0 ? -(uintmax_t)x : (uintmax_t)x, 10);
        break;
    }
    case 'u':
    case 'x':
        put_unsigned(&t, unsigned_argument(s, a), kind == 'x' ? 16 : 10);
        break;
    case 'f':
        put_double(&t, va_arg(a->ap, double), s->precision >= 0 ? s->precision : 6, 0);
        break;
    case 'g':
        put_double(&t, va_arg(a->ap, double), -1, s->precision);
        break;
    default: /* a percent sign, or a mistake that then stands in the text */
        put_char(&t, kind);
    }
    if (s->plus && (kind == 'd' || kind == 'f' || kind == 'g'))
        put_plus(&t);
    padded(b, s, t.text, (size_t)t.n);
}

void buf_vformat(struct buf *b, const char *format, va_list ap)
{
    struct arguments a;
    va_copy(a.ap, ap);
    const char *p = format;
    while (*p) {
        size_t plain = strcspn(p, "%");
        buf_add(b, p, plain);
        p += plain;
        if (!*p || !*++p)
            break;
        struct spec s = read_spec(&p, &a);
        if (!*p)
            break;
        convert(b, *p++, &s, &a);
    }
    va_end(a.ap);
}

void buf_format(struct buf *b, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    buf_vformat(b, format, ap);
    va_end(ap);
}

void buf_print(char *array, size_t size, const char *format, ...)
{
    struct buf b = buf_over(array, size);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
}

enum { NAME_MAX_IN_ERROR = 200, NAME_LEAST_IN_ERROR = 40 };

struct buf err_room(struct tare_err *err)
{
    struct buf b = buf_over(err->text, sizeof err->text);
    b.longest = NAME_MAX_IN_ERROR;
    return b;
}

enum tare_status err_set(struct tare_err *err, enum tare_status status, const char *format, ...)
{
    if (!err)
        return status;
    struct buf b = err_room(err);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    return status;
}

enum tare_status err_no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "out of memory");
}

void err_prefix(struct tare_err *err, const char *where)
{
    if (!err)
        return;
    struct tare_err was = *err;
    struct buf b = err_room(err);
    size_t left = sizeof err->text - sizeof ": " - strlen(was.text);
    if (left < b.longest)
        b.longest = left < NAME_LEAST_IN_ERROR || left > sizeof err->text ? NAME_LEAST_IN_ERROR : left;
    buf_format(&b, "%s: ", where);
    buf_str(&b, was.text); /* uncut: a name in it has been */
}
