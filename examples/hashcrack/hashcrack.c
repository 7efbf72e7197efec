/* SPDX-License-Identifier: MIT
 *
 * hashcrack: recovers a password from its SHA-256 by trying the words of a list.
 *
 *     $ hashcrack --method stream 4e9f...c1 words.txt
 *     open-sesame
 *
 * Exit codes as those of grep: 0 found, 1 not in the list, 2 wrong usage or failure.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "search.h"

enum { EXIT_FOUND = 0, EXIT_ABSENT = 1, EXIT_TROUBLE = 2 };

struct method {
    const char *name;
    enum search_end (*search)(struct search *s);
    bool threaded;
};

static const struct method methods[] = {
    {"array", search_array, false},
    {"stream", search_stream, false},
    {"threads", search_threads, true},
    {"threads-stop", search_threads_stop, true},
};
enum { METHODS = sizeof methods / sizeof *methods };

static const char help[] = "Usage: hashcrack [OPTION...] SHA256 FILE\n"
                           "\n"
                           "Prints the line of FILE whose SHA-256 is the one given (64 hexadecimal digits).\n"
                           "Lines end with LF or CR LF, which are no part of the word.\n"
                           "\n"
                           "  -m, --method NAME   how to search (default: stream)\n"
                           "                        array         read all lines into an array, then look through it\n"
                           "                        stream        read a line, look at it, forget it\n"
                           "                        threads       parts of the file in threads, all of them to the end\n"
                           "                        threads-stop  the same, until one thread has found it\n"
                           "  -t, --threads NUM   threads of these two, 1 to 256 (default: one for each CPU)\n"
                           "  -v, --verbose       say on standard error how many words were looked at\n"
                           "  -h, --help          print this help\n"
                           "\n"
                           "Exit codes: 0 found, 1 not in the list, 2 wrong usage or failure.\n";

struct options {
    const struct method *method;
    int threads; /* 0 = not given */
    bool verbose;
};

static int trouble(const char *text, const char *about)
{
    fprintf(stderr, "hashcrack: %s%s; -h prints the usage\n", text, about);
    return EXIT_TROUBLE;
}

static const struct method *method_named(const char *name)
{
    for (int i = 0; i < METHODS; i++)
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

static int count_of(const char *text) /* -1 if it is no number of threads */
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && !errno && n >= 1 && n <= SEARCH_THREADS_MAX ? (int)n : -1;
}

static int cpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > SEARCH_THREADS_MAX ? SEARCH_THREADS_MAX : (int)n;
}

/* -1 to go on, else the exit code. */
static int read_options(struct options *o, int argc, char **argv)
{
    static const struct option known[] = {
        {"method", required_argument, NULL, 'm'},
        {"threads", required_argument, NULL, 't'},
        {"verbose", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    for (int letter; (letter = getopt_long(argc, argv, "m:t:vh", known, NULL)) != -1;) {
        switch (letter) {
        case 'm':
            if (!(o->method = method_named(optarg)))
                return trouble("there is no method ", optarg);
            break;
        case 't':
            if ((o->threads = count_of(optarg)) < 0)
                return trouble("--threads takes 1 to 256, not ", optarg);
            break;
        case 'v':
            o->verbose = true;
            break;
        case 'h':
            return fputs(help, stdout) < 0 || fflush(stdout) ? EXIT_TROUBLE : 0;
        default:
            return EXIT_TROUBLE; /* getopt has said why */
        }
    }
    if (o->threads && !o->method->threaded)
        return trouble("--threads has no meaning with --method ", o->method->name);
    return -1;
}

static int print_word(const struct search *s)
{
    if (fwrite(s->word, 1, s->length, stdout) == s->length && putchar('\n') != EOF && fflush(stdout) == 0)
        return EXIT_FOUND;
    fprintf(stderr, "hashcrack: writing the answer: %s\n", strerror(errno));
    return EXIT_TROUBLE;
}

static int report(const struct search *s, enum search_end end, bool verbose)
{
    if (end == SEARCH_FAILED) {
        fprintf(stderr, "hashcrack: %s: %s%s%s\n", s->path, s->what, s->error ? ": " : "", s->error ? strerror(s->error) : "");
        return EXIT_TROUBLE;
    }
    if (verbose)
        fprintf(stderr, "hashcrack: looked at %lld words\n", (long long)s->lines);
    if (end == SEARCH_FOUND)
        return print_word(s);
    fprintf(stderr, "hashcrack: %s: %s\n", s->path, s->lines ? "no word has this hash" : "the file is empty");
    return EXIT_ABSENT;
}

int main(int argc, char **argv)
{
    struct options o = {.method = method_named("stream")};
    int code = read_options(&o, argc, argv);
    if (code >= 0)
        return code;
    if (argc - optind != 2)
        return trouble("a hash and a file are needed", "");
    struct search s = {.path = argv[optind + 1], .threads = o.threads ? o.threads : cpus()};
    if (!sha256_parse(s.want, argv[optind]))
        return trouble("no SHA-256, which has 64 hexadecimal digits: ", argv[optind]);
    enum search_end end = o.method->search(&s);
    code = report(&s, end, o.verbose);
    search_finish(&s);
    return code;
}
