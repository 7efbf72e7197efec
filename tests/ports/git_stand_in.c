/* SPDX-License-Identifier: MIT
 *
 * Stands in for git on Windows, which Wine does not have: a repository with the commits "old" and "new", of which each has one file, source.exe. That is old.exe
 * or new.exe beside the repository's folder; "old" is the tip of "main", "new" that of the branch. It knows what tare asks it and nothing else.
 */
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
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
    const size_t n = strcspn(name, "^");
    static const struct {
        const char *name, *hash;
    } known[] = {{"old", old}, {"main", old}, {old, old}, {"new", new}, {"HEAD", new}, {new, new}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == n && !strncmp(known[i].name, name, n))
            return known[i].hash;
    return NULL;
}

static int rev_parse(char **word)
{
    if (!strcmp(*word, "--is-inside-work-tree"))
        return says_folder("true\nfalse\n%s/.git\n");
    if (!strcmp(*word, "--show-toplevel"))
        return says_folder("%s\n");
    if (!strcmp(*word, "--is-shallow-repository"))
        return says("false");
    if (!strcmp(*word, "--show-prefix"))
        return says("");
    if (!strcmp(*word, "--short=7"))
        return printf("%.7s\n", word[1]) < 0;
    while (word[1]) /* --verify --end-of-options */
        word++;
    const char *hash = hash_of(*word);
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

static bool has(char **word, const char *wanted)
{
    while (*word && strcmp(*word, wanted) != 0)
        word++;
    return *word;
}

static int list(char **word)
{
    if (has(word, "--max-parents=0"))
        return says(hash_of("old"));
    if (has(word, "--max-count=1"))
        return has(word, ":(top,literal)results") ? says(hash_of("new")) : 0;
    return says(hash_of("old")); /* all that changes other files */
}

static int history(char **word)
{
    static const char rest[] = "%s%c1764000000%cX%c%s\n";
    if (has(word, "-1"))
        return says("1764000000");
    if (has(word, "--skip=0"))
        printf(rest, hash_of("new"), 0, 0, 0, "slower"), printf(rest, hash_of("old"), 0, 0, 0, "begin");
    return 0;
}

int main(int n, char **word)
{
    _setmode(1, _O_BINARY); /* as git writes */
    _setmode(2, _O_BINARY);
    const char *what = n > ASKED_AT ? word[ASKED_AT] : "";
    if (!strcmp(what, "rev-parse") && n > ASKED_AT + 1)
        return rev_parse(word + ASKED_AT + 1);
    if (!strcmp(what, "worktree") && n > ASKED_AT + 1)
        return worktree(word + ASKED_AT + 1);
    if (!strcmp(what, "rev-list"))
        return list(word);
    if (!strcmp(what, "log"))
        return history(word);
    if (!strcmp(what, "merge-base"))
        return says(hash_of("old"));
    if (!strcmp(what, "diff")) /* --name-only --no-renames -z */
        return !strcmp(word[ASKED_AT + 3], "-z") && strcmp(word[ASKED_AT + 4], word[ASKED_AT + 5]) ? says("source.exe") : 0;
    return !strcmp(what, "status") ? 0 : refuses("it does not know that");
}
