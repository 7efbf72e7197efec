/* SPDX-License-Identifier: MIT
 *
 * make-words: writes a list of made-up passwords, with a known one at a chosen depth.
 *
 *     $ make-words --depth 5% 1000000 words.txt
 *
 * Same arguments, same bytes, on every machine: all randomness is integer arithmetic on one 64-bit state (SplitMix64: Steele, Lea,
 * Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Lists of one seed and size differ in one line, the answer's.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 100000000, WORD_MAX = 64 };

static const char help[] =
    "Usage: make-words [OPTION...] LINES FILE\n"
    "\n"
    "Writes LINES made-up passwords (1 to 100000000) to FILE, one a line, the answer among them. Lengths are as in\n"
    "lists of real passwords: most have 6 to 10 bytes, few 5 or up to 16.\n"
    "\n"
    "  -a, --answer WORD   the answer (default: open-sesame)\n"
    "  -d, --depth DEPTH   where it stands: 0% the first line, 100% the last, or absent (default: 5%)\n"
    "  -s, --seed NUM      another seed, another list (default: 1)\n"
    "      --crlf          end lines with CR LF\n"
    "  -h, --help          print this help\n"
    "\n"
    "Exit codes: 0 written, 2 wrong usage or failure.\n";

struct options {
    const char *answer;
    int depth; /* %, -1 = absent */
    uint64_t seed;
    const char *line_end;
};

static int trouble(const char *text, const char *about)
{
    fprintf(stderr, "make-words: %s%s; -h prints the usage\n", text, about);
    return 2;
}

/* ---- made-up passwords ---- */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* 0 ... n - 1 from the upper bits; for n this small its bias is far below what a list could show. */
static unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)((next(state) >> 32) * n >> 32);
}

/* Shares of the lengths 5 to 16 in per mille, in the shape of leaked lists: mean 8.6, half of all words 8 or shorter. */
static unsigned draw_length(uint64_t *state)
{
    static const unsigned share[] = {20, 140, 175, 210, 155, 140, 60, 40, 25, 17, 11, 7};
    unsigned n = sizeof share / sizeof *share, ticket = below(state, 1000), i = 0;
    while (i < n - 1 && ticket >= share[i])
        ticket -= share[i++];
    return 5 + i;
}

/* Syllables, and digits at the end of every second word. */
static size_t make_word(uint64_t *state, char word[WORD_MAX])
{
    static const char consonants[] = "bcdfghjklmnprstvwz", vowels[] = "aeiouy";
    size_t length = draw_length(state), digits = below(state, 2) ? 1 + below(state, 4) : 0;
    for (size_t i = 0; i < length - digits; i++)
        word[i] = i % 2 ? vowels[below(state, sizeof vowels - 1)] : consonants[below(state, sizeof consonants - 1)];
    for (size_t i = length - digits; i < length; i++)
        word[i] = (char)('0' + below(state, 10));
    word[length] = '\0';
    return length;
}

static bool write_list(FILE *out, int64_t lines, const struct options *o)
{
    int64_t answer_line = o->depth < 0 ? -1 : (lines - 1) * o->depth / 100;
    uint64_t state = o->seed;
    for (int64_t i = 0; i < lines; i++) {
        char word[WORD_MAX];
        do
            make_word(&state, word);
        while (strcmp(word, o->answer) == 0); /* it stands where it was asked for, and nowhere else */
        if (fputs(i == answer_line ? o->answer : word, out) < 0 || fputs(o->line_end, out) < 0)
            return false;
    }
    return true;
}

static int write_file(const char *path, int64_t lines, const struct options *o)
{
    FILE *out = fopen(path, "wb");
    bool good = out && write_list(out, lines, o);
    int error = errno;
    if (out && fclose(out) != 0 && good) {
        good = false;
        error = errno;
    }
    if (!good)
        fprintf(stderr, "make-words: writing %s: %s\n", path, strerror(error));
    return good ? 0 : 2;
}

/* ---- the command line ---- */

static bool number_of(uint64_t *n, const char *text, const char *after)
{
    char *end;
    errno = 0;
    *n = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !errno && (!*end || strcmp(end, after) == 0);
}

static bool depth_of(int *depth, const char *text)
{
    uint64_t percent;
    if (strcmp(text, "absent") == 0)
        *depth = -1;
    else if (number_of(&percent, text, "%") && percent <= 100)
        *depth = (int)percent;
    else
        return false;
    return true;
}

/* -1 to go on, else the exit code. */
static int read_options(struct options *o, int argc, char **argv)
{
    enum { CRLF = 256 };
    static const struct option known[] = {
        {"answer", required_argument, NULL, 'a'}, {"depth", required_argument, NULL, 'd'}, {"seed", required_argument, NULL, 's'},
        {"crlf", no_argument, NULL, CRLF},        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    for (int letter; (letter = getopt_long(argc, argv, "a:d:s:h", known, NULL)) != -1;) {
        switch (letter) {
        case 'a':
            o->answer = optarg;
            if (strpbrk(optarg, "\r\n"))
                return trouble("the answer is one line", "");
            break;
        case 'd':
            if (!depth_of(&o->depth, optarg))
                return trouble("--depth takes 0% to 100% or absent, not ", optarg);
            break;
        case 's':
            if (!number_of(&o->seed, optarg, ""))
                return trouble("--seed takes a whole number, not ", optarg);
            break;
        case CRLF:
            o->line_end = "\r\n";
            break;
        case 'h':
            return fputs(help, stdout) < 0 || fflush(stdout) ? 2 : 0;
        default:
            return 2; /* getopt has said why */
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct options o = {.answer = "open-sesame", .depth = 5, .seed = 1, .line_end = "\n"};
    int code = read_options(&o, argc, argv);
    if (code >= 0)
        return code;
    uint64_t lines;
    if (argc - optind != 2)
        return trouble("a number of lines and a file are needed", "");
    if (!number_of(&lines, argv[optind], "") || lines < 1 || lines > LINES_MAX)
        return trouble("LINES is 1 to 100000000, not ", argv[optind]);
    return write_file(argv[optind + 1], (int64_t)lines, &o);
}
