/* SPDX-License-Identifier: MIT
 *
 * queue-driver: a queue to play with.
 *
 *     $ queue-driver
 *     queue> insert tail pear
 *     queue> insert tail fig 1000
 *     queue> time size
 *     1001
 *     44 ticks, 0.021 us
 *
 * On a terminal, with libedit: editing, history by the arrow keys, Tab completes words. Otherwise lines come from standard input as they
 * are, one a command, and nothing is printed but answers. Exit code 0, or 1 when a command was wrong. */
#include "queue.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <unistd.h>
#ifdef HAVE_LIBEDIT
#include <histedit.h>
#endif

enum { WORDS = 5, LINE_BYTES = 4096, TEXT_BYTES = 256, REPEAT_MAX = 10000000 };

struct driver {
    struct queue *q;
    int wrong; /* commands that were not understood, or not possible */
    bool over;
};

struct driver_command {
    const char *name, *next; /* next: words that may follow, for Tab */
    const char *help;
    bool (*run)(struct driver *d, char **words, int n);
};

static const struct driver_command *find_command(const char *name);

static bool complain(const char *what, const char *word)
{
    fprintf(stderr, "%s%s%s\n", what, word ? ": " : "", word ? word : "");
    return false;
}

/* ---- commands ---- */

/* How often: the word, or 1 where there is none. -1: no such number. */
static long repetitions(char **words, int n, int at)
{
    if (at >= n)
        return 1;
    char *end;
    long value = strtol(words[at], &end, 10);
    return *end || value < 1 || value > REPEAT_MAX ? -1 : value;
}

static bool do_insert(struct driver *d, char **words, int n)
{
    bool head = n > 1 && !strcmp(words[1], "head"), walk = n > 1 && !strcmp(words[1], "walk");
    if (n < 3 || (!head && !walk && strcmp(words[1], "tail") != 0))
        return complain("insert head|tail|walk TEXT [TIMES]", NULL);
    long times = repetitions(words, n, 3);
    if (times < 0)
        return complain("not a number of times", words[3]);
    for (; times > 0; times--)
        if (!(head ? queue_insert_head : walk ? queue_insert_tail_walk : queue_insert_tail)(d->q, words[2]))
            return complain("no memory", NULL);
    return true;
}

static bool do_remove(struct driver *d, char **words, int n)
{
    char text[TEXT_BYTES];
    bool tail = n > 1 && !strcmp(words[1], "tail");
    if (n > 1 && !tail && strcmp(words[1], "head") != 0)
        return complain("remove [head|tail] [TIMES]", NULL);
    long times = repetitions(words, n, 2);
    if (times < 0)
        return complain("not a number of times", words[2]);
    for (; times > 0; times--) {
        if (!(tail ? queue_remove_tail : queue_remove_head)(d->q, text, sizeof text))
            return complain("the queue is empty", NULL);
        if (times == 1)
            puts(text);
    }
    return true;
}

static bool do_size(struct driver *d, char **words, int n)
{
    printf("%zu\n", n > 1 && !strcmp(words[1], "walk") ? queue_size_walk(d->q) : queue_size(d->q));
    return true;
}

static bool do_sort(struct driver *d, char **words, int n)
{
    (void)words, (void)n;
    queue_sort(d->q);
    return true;
}

static bool do_reverse(struct driver *d, char **words, int n)
{
    (void)words, (void)n;
    queue_reverse(d->q);
    return true;
}

static bool do_shuffle(struct driver *d, char **words, int n)
{
    queue_shuffle(d->q, n > 1 ? strtoull(words[1], NULL, 10) : 1);
    return true;
}

static bool do_show(struct driver *d, char **words, int n)
{
    enum { MOST = 20 };
    int shown = 0;
    (void)words, (void)n;
    for (const struct queue_element *e = queue_next(d->q, NULL); e; e = queue_next(d->q, e)) {
        if (shown++ == MOST) {
            printf("... %zu in all\n", queue_size(d->q));
            return true;
        }
        puts(queue_text(e));
    }
    return true;
}

static bool do_new(struct driver *d, char **words, int n)
{
    struct queue *q = queue_new();
    (void)words, (void)n;
    if (!q)
        return complain("no memory", NULL);
    queue_free(d->q);
    d->q = q;
    return true;
}

/* The command once, between two readings of the clock: one sample, and no measurement (tare leak --growth makes one). */
static bool do_time(struct driver *d, char **words, int n)
{
    const struct driver_command *c = n > 1 ? find_command(words[1]) : NULL;
    struct tare_bracket t;
    char text[TARE_BRACKET_TEXT];
    if (!c || c->run == do_time)
        return complain("time COMMAND...", NULL);
    TARE_START(t);
    bool fine = c->run(d, words + 1, n - 1);
    TARE_STOP(t);
    tare_bracket_text(&t, text, sizeof text);
    puts(text);
    return fine;
}

static bool do_quit(struct driver *d, char **words, int n)
{
    (void)words, (void)n;
    d->over = true;
    return true;
}

static bool do_help(struct driver *d, char **words, int n);

static const struct driver_command commands[] = {
    {"help", "", "help                              this list", do_help},
    {"insert", "head tail walk", "insert head|tail|walk TEXT [TIMES] at one end; walk: at the tail, without the pointer to it",
     do_insert},
    {"remove", "head tail", "remove [head|tail] [TIMES]        takes them out and shows the last of them", do_remove},
    {"size", "walk", "size [walk]                       how many there are; walk: by counting", do_size},
    {"sort", "", "sort                              by the letters", do_sort},
    {"reverse", "", "reverse                           the other way round", do_reverse},
    {"shuffle", "", "shuffle [SEED]                    in another order", do_shuffle},
    {"show", "", "show                              the first of them", do_show},
    {"new", "", "new                               empties the queue", do_new},
    {"time", "insert remove size sort reverse shuffle show new",
     "time COMMAND...                   the command, and how long it took", do_time},
    {"quit", "", "quit                              or the end of the input", do_quit},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static bool do_help(struct driver *d, char **words, int n)
{
    (void)d, (void)words, (void)n;
    for (int i = 0; i < COMMANDS; i++)
        puts(commands[i].help);
    return true;
}

static const struct driver_command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

/* ---- a line ---- */

static void obey(struct driver *d, char *line)
{
    char *words[WORDS + 1], *rest = line;
    int n = 0;
    for (char *word; n < WORDS && (word = strtok_r(n ? NULL : line, " \t\r\n", &rest));)
        words[n++] = word;
    words[n] = NULL;
    if (!n || *words[0] == '#')
        return;
    const struct driver_command *c = find_command(words[0]);
    if (c ? !c->run(d, words, n) : !complain("no such command (help lists them)", words[0]))
        d->wrong++;
    fflush(stdout);
}

static void read_plain(struct driver *d)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; !d->over && (n = getline(&line, &room, stdin)) > 0;) {
        if (strlen(line) == (size_t)n) {
            obey(d, line);
        } else {
            complain("a zero byte in the line", NULL);
            d->wrong++;
        }
    }
    free(line);
}

#ifdef HAVE_LIBEDIT
static char *prompt(EditLine *e)
{
    static char text[] = "queue> ";
    (void)e;
    return text;
}

/* Of the words that begin so: how many, the first, and how far all of them agree. */
static int candidates(const char *words, const char *begin, size_t typed, char room[TEXT_BYTES], size_t *common)
{
    int n = 0;
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        if (length >= typed && !strncmp(at, begin, typed)) {
            if (!n) {
                memcpy(room, at, length);
                room[length] = 0;
                *common = length;
            }
            size_t same = 0;
            while (same < *common && same < length && room[same] == at[same])
                same++;
            *common = same;
            n++;
        }
        at += length;
        at += *at == ' ';
    }
    return n;
}

static const char *all_commands(void)
{
    static char names[TEXT_BYTES];
    for (int i = 0; i < COMMANDS && (i || !*names); i++) {
        strcat(names, i ? " " : "");
        strcat(names, commands[i].name);
    }
    return names;
}

/* What may stand at the end of these words: a command, or what follows the last of them. */
static const char *what_fits(char *words)
{
    char *rest, *last = NULL;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        last = word;
    const struct driver_command *c = last ? find_command(last) : NULL;
    return !last ? all_commands() : c ? c->next : "";
}

/* Tab: the word before the cursor, by the words that may stand there. */
static unsigned char complete(EditLine *e, int key)
{
    const LineInfo *line = el_line(e);
    char before[TEXT_BYTES], found[TEXT_BYTES];
    size_t n = (size_t)(line->cursor - line->buffer), common = 0;
    (void)key;
    if (n >= sizeof before)
        return CC_ERROR;
    memcpy(before, line->buffer, n);
    before[n] = 0;
    size_t start = n;
    while (start && before[start - 1] != ' ')
        start--;
    char words[TEXT_BYTES];
    memcpy(words, before, start);
    words[start] = 0;
    int fits = candidates(what_fits(words), before + start, n - start, found, &common);
    if (!fits || common == n - start)
        return fits == 1 ? (el_insertstr(e, " ") ? CC_ERROR : CC_REFRESH) : CC_ERROR;
    found[common] = 0;
    if (el_insertstr(e, found + (n - start)) || (fits == 1 && el_insertstr(e, " ")))
        return CC_ERROR;
    return CC_REFRESH;
}

static void read_edited(struct driver *d)
{
    EditLine *e = el_init("queue-driver", stdin, stdout, stderr);
    History *h = history_init();
    HistEvent event;
    int n;
    history(h, &event, H_SETSIZE, 200);
    history(h, &event, H_SETUNIQUE, 1);
    el_set(e, EL_PROMPT, prompt);
    el_set(e, EL_EDITOR, "emacs");
    el_set(e, EL_HIST, history, h);
    el_set(e, EL_ADDFN, "queue-complete", "completes a word", complete);
    el_set(e, EL_BIND, "^I", "queue-complete", NULL);
    el_set(e, EL_SIGNAL, 1);
    el_source(e, NULL);
    for (const char *read; !d->over && (read = el_gets(e, &n)) && n > 0;) {
        char line[LINE_BYTES];
        if (n >= LINE_BYTES)
            continue;
        memcpy(line, read, (size_t)n + 1);
        if (strspn(line, " \t\r\n") < strlen(line))
            history(h, &event, H_ENTER, read);
        obey(d, line);
    }
    history_end(h);
    el_end(e);
}
#endif

int main(void)
{
    struct driver d = {.q = queue_new()};
    if (!d.q)
        return complain("no memory", NULL) ? 0 : 1;
#ifdef HAVE_LIBEDIT
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        read_edited(&d);
    else
#endif
        read_plain(&d);
    queue_free(d.q);
    return d.wrong ? 1 : 0;
}
