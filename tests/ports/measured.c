/* SPDX-License-Identifier: MIT
 *
 * A program of Windows to be measured, without tare in it: "measured spin COUNT", "words WORD...", "exit CODE", "fault", "folder", "copy" (its input), "parent
 * FILE" (starts "late FILE" and waits for it), "late FILE" (makes the file after 3 seconds), "value NAME" (on a
 * host of a fleet; waits while there is a file held.HOST, and then makes late.HOST).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static int spin(const char *count)
{
    unsigned long long x = 3;
    for (long long i = atoll(count); i > 0; i--)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x == 1;
}

/* The end of each is shown, as it may be blank. */
static int words(wchar_t **argv)
{
    for (; *argv; argv++) {
        char text[1024];
        WideCharToMultiByte(CP_UTF8, 0, *argv, -1, text, sizeof text, NULL, NULL);
        printf("<%s>\n", text);
    }
    return 0;
}

static int folder(void)
{
    wchar_t path[1024];
    const DWORD n = GetCurrentDirectoryW(1024, path);
    printf("%s\n", n && wcsrchr(path, '\\') ? "in a folder" : "nowhere");
    return 0;
}

static int copy(void)
{
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
    return 0;
}

static int late(const char *file)
{
    Sleep(3000);
    FILE *f = fopen(file, "w");
    return f ? fclose(f) : 1;
}

static int parent(const char *self, const char *file)
{
    char line[1024];
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    snprintf(line, sizeof line, "\"%s\" late \"%s\"", self, file);
    if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &start, &child))
        return 1;
    WaitForSingleObject(child.hProcess, INFINITE);
    return 0;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static void hold(const char *host)
{
    char held[64], file[64];
    snprintf(held, sizeof held, "held.%s", host);
    if (GetFileAttributesA(held) == INVALID_FILE_ATTRIBUTES)
        return;
    snprintf(file, sizeof file, "began.%s", host);
    FILE *f = fopen(file, "w");
    if (f)
        fputs("began", f), fclose(f);
    while (GetFileAttributesA(held) != INVALID_FILE_ATTRIBUTES)
        Sleep(100);
    snprintf(file, sizeof file, "late.%s", host);
    if ((f = fopen(file, "w")))
        fclose(f);
}

/* About a million, of "new" 5 % more; drawn from what the plan's seed decides. What opens the database it must not see. */
static int value(const char *name)
{
    char text[64];
    unsigned long long hash = 14695981039346656037u;
    hold(variable("TARE_FLEET_HOST"));
    snprintf(text, sizeof text, "%d %s %s", (int)strlen(variable("HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET")),
             variable("HYPERFINE_ITERATION"), name);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    printf("value %d\n", (strcmp(name, "new") ? 1000000 : 1050000) + (int)(hash >> 40) % 8000);
    return *variable("PGPASSWORD") != '\0';
}

static int fault(void)
{
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
    return 0;
}

int wmain(int argc, wchar_t **argv)
{
    char what[16] = "", operand[512] = "", self[512];
    GetModuleFileNameA(NULL, self, sizeof self);
    if (argc > 1)
        snprintf(what, sizeof what, "%ls", argv[1]);
    if (argc > 2)
        snprintf(operand, sizeof operand, "%ls", argv[2]);
    SetErrorMode(SEM_NOGPFAULTERRORBOX);
    return !strcmp(what, "spin")     ? spin(operand)
           : !strcmp(what, "words")  ? words(argv + 2)
           : !strcmp(what, "exit")   ? atoi(operand)
           : !strcmp(what, "fault")  ? fault()
           : !strcmp(what, "folder") ? folder()
           : !strcmp(what, "copy")   ? copy()
           : !strcmp(what, "late")   ? late(operand)
           : !strcmp(what, "value")  ? value(operand)
           : !strcmp(what, "parent") ? parent(self, operand)
                                     : 99;
}
