/* SPDX-License-Identifier: MIT
 *
 * Stands in for git on Windows, which Wine does not have: a repository with the commits "old" and "new", of which each has one file, source.exe. That is old.exe
 * or new.exe beside the repository's folder. It knows what tare asks it and nothing else.
 */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

enum { ASKED_AT = 5 };

static int says(const char *text)
{
    printf("%s\n", text);
    return 0;
}

static int says_folder(const char *format)
{
    char folder[MAX_PATH];
    GetCurrentDirectoryA(sizeof folder, folder);
    for (char *c = folder; *c; c++)
        if (*c == '\\')
            *c = '/';
    printf(format, folder);
    return 0;
}

static int refuses(const char *text)
{
    fprintf(stderr, "fatal: %s\n", text);
    return 128;
}

static const char *hash_of(const char *name)
{
    static const char old[] = "1111111111111111111111111111111111111111", new[] = "2222222222222222222222222222222222222222";
    return !strcmp(name, "old") || *name == '1' ? old : !strcmp(name, "new") || *name == '2' ? new : NULL;
}

static int rev_parse(char **word)
{
    if (!strcmp(*word, "--is-inside-work-tree"))
        return says_folder("true\nfalse\n%s/.git\n");
    if (!strcmp(*word, "--show-toplevel"))
        return says_folder("%s\n");
    if (!strcmp(*word, "--show-prefix"))
        return says("");
    if (!strcmp(*word, "--short=7"))
        return printf("%.7s\n", word[1]) < 0;
    const char *hash = hash_of(word[2]); /* --verify --end-of-options */
    return hash ? says(hash) : refuses("Needed a single revision");
}

static int worktree(char **word)
{
    char file[MAX_PATH];
    if (strcmp(*word, "add") != 0)
        return 0;
    snprintf(file, sizeof file, "%s/source.exe", word[3]); /* --quiet --detach */
    if (!CreateDirectoryA(word[3], NULL) || !CopyFileA(*word[4] == '1' ? "..\\old.exe" : "..\\new.exe", file, TRUE))
        return refuses("it cannot be checked out");
    return 0;
}

int main(int n, char **word)
{
    _setmode(1, _O_BINARY); /* as git writes */
    const char *what = n > ASKED_AT ? word[ASKED_AT] : "";
    if (!strcmp(what, "rev-parse") && n > ASKED_AT + 1)
        return rev_parse(word + ASKED_AT + 1);
    if (!strcmp(what, "worktree") && n > ASKED_AT + 1)
        return worktree(word + ASKED_AT + 1);
    return !strcmp(what, "status") ? 0 : refuses("it does not know that");
}
