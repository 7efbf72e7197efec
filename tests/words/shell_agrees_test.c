/* SPDX-License-Identifier: MIT
 * The promise behind "no shell unless needed": a text that needs none gives a real shell the same words as it gives us. */
#include "rng.h"
#include "shell_syntax.h"
#include "words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXTS = 400, PIECES_MAX = 9, SHOWN_MAX = 4096 };

static bool everything(void *context, const char *name)
{
    (void)context;
    return *name != 0;
}

/* What `shell -c text` prints; "failed" when it does not end well. */
static void run_shell(const char *shell, const char *text, char *out)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], 1);
        close(2);
        execl(shell, shell, "-c", text, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n < SHOWN_MAX - 1 && (got = read(ends[0], out + n, SHOWN_MAX - 1 - n)) > 0;)
        n += (size_t)got;
    out[n] = 0;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (status)
        strcpy(out, "failed");
}

static void random_text(struct rng *r, struct buf *b)
{
    static const char *const pieces[] = {"a", "b=c", " ", "\t",  "'",     "\"",      "\\",  "\\\n", "$",
                                         "é", "{}",  "{", "*",   "~",     "#",       "!",   "-x",   "[",
                                         "]", "%",   "^", "x y", "'q r'", "\"s t\"", "\\'", "|",    "`"};
    const int n = 1 + (int)rng_below(r, PIECES_MAX);
    for (int i = 0; i < n; i++)
        buf_str(b, pieces[rng_below(r, sizeof pieces / sizeof *pieces)]);
}

/* Whether the text was one to compare. */
static bool compare(const char *shell, const char *text)
{
    struct arena a = {0};
    struct buf ours = BUF_INIT(SHOWN_MAX);
    const char *const *argv;
    int n;
    const bool open_end = text[strlen(text) - 1] == '\\'; /* a backslash before nothing: POSIX leaves it open */
    const bool plain =
        !open_end && !shell_syntax_find(text, SHELL_NEEDS_ALL, everything, NULL).kind && !words_split(&a, text, &argv, &n, NULL);
    if (plain) {
        for (int i = 1; i < n; i++)
            buf_format(&ours, "<%s>", argv[i]);
        char theirs[SHOWN_MAX];
        run_shell(shell, text, theirs);
        if (strcmp(buf_text(&ours), theirs))
            fail_msg("%s reads %s as %s, we as %s", shell, text, theirs, buf_text(&ours));
    }
    buf_finish(&ours);
    arena_finish(&a);
    return plain;
}

static void compare_many(const char *shell)
{
    struct rng r = rng_seeded(20);
    int compared = 0;
    for (int i = 0; i < 100 * TEXTS && compared < TEXTS; i++) {
        struct buf text = BUF_INIT(SHOWN_MAX);
        buf_str(&text, SHOW_WORDS " ");
        random_text(&r, &text);
        compared += compare(shell, buf_text(&text));
        buf_finish(&text);
    }
    assert_int_equal(compared, TEXTS);
}

static void texts_that_need_no_shell_are_the_same_words_to_sh(void **state)
{
    (void)state;
    compare_many("/bin/sh");
}

static void and_to_bash(void **state)
{
    (void)state;
    if (access("/bin/bash", X_OK))
        skip();
    compare_many("/bin/bash");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_need_no_shell_are_the_same_words_to_sh),
        cmocka_unit_test(and_to_bash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
