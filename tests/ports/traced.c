/* SPDX-License-Identifier: MIT
 * A program of somebody else's with control points, `traced HOW N`, with -DPLUGIN a DLL of its own, with -DCROWDED one that has taken the first slots for pointers
 * of threads before. The test counts the hits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/point.h>
#include <windows.h>

static volatile unsigned sum;

static void walk(int n)
{
    for (int i = 0; i < n; i++) {
        TARE_POINT_NAMED("begin");
        sum += 1;
        TARE_POINT_NAMED("end");
    }
}

#ifdef PLUGIN

__declspec(dllexport) void plugin(int n)
{
    walk(n);
}

/* Hit in each thread that ends, after the calls for its memory, and as the process ends. */
BOOL WINAPI DllMain(HINSTANCE self, DWORD why, void *reserved)
{
    (void)self;
    (void)reserved;
    if (why == DLL_THREAD_DETACH || why == DLL_PROCESS_DETACH)
        TARE_POINT_NAMED("detach");
    return TRUE;
}

#else

#ifdef CROWDED
__attribute__((constructor(101))) static void crowd(void)
{
    enum { IN_LINE = 64 };
    while (TlsAlloc() < IN_LINE)
        ;
}
#endif

/* Not hit, and known all the same. */
static void never(void)
{
    TARE_POINT_NAMED("never");
}

static DWORD WINAPI thread(void *n)
{
    walk(*(const int *)n);
    return 0;
}

static void threads(int n)
{
    enum { THREADS = 4 };
    HANDLE all[THREADS];
    for (int i = 0; i < THREADS; i++)
        all[i] = CreateThread(NULL, 0, thread, &n, 0, NULL);
    WaitForMultipleObjects(THREADS, all, TRUE, INFINITE);
    for (int i = 0; i < THREADS; i++)
        CloseHandle(all[i]);
}

/* More threads than a process has slots for, one after the other. */
static void many(int n)
{
    enum { THREADS = 300 };
    for (int i = 0; i < THREADS; i++) {
        HANDLE h = CreateThread(NULL, 0, thread, &n, 0, NULL);
        WaitForSingleObject(h, INFINITE);
        CloseHandle(h);
    }
}

static DWORD WINAPI for_ever(void *n)
{
    while (n)
        walk(*(const int *)n);
    return 0;
}

/* The system ends the other threads wherever they are. */
static void leave(int n)
{
    for (int i = 0; i < 3; i++)
        CloseHandle(CreateThread(NULL, 0, for_ever, &n, 0, NULL));
    Sleep(20);
    ExitProcess(0);
}

static void plug(int n)
{
    for (int i = 0; i < 3; i++) {
        HMODULE h = LoadLibraryA("plugin.dll");
        void (*plugin)(int) = h ? (void (*)(int))(void (*)(void))GetProcAddress(h, "plugin") : NULL;
        if (!plugin)
            exit(8);
        plugin(n);
        FreeLibrary(h);
    }
}

/* This program again. */
static void child(const char *program, const char *how, int n)
{
    char words[MAX_PATH + 64];
    STARTUPINFOA s = {.cb = sizeof s};
    PROCESS_INFORMATION p;
    snprintf(words, sizeof words, "\"%s\" %s %d", program, how, n);
    if (!CreateProcessA(NULL, words, NULL, NULL, FALSE, 0, NULL, NULL, &s, &p))
        exit(9);
    WaitForSingleObject(p.hProcess, INFINITE);
    CloseHandle(p.hThread);
    CloseHandle(p.hProcess);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "walk";
    const int n = argc > 2 ? atoi(argv[2]) : 100;
    if (!strcmp(how, "threads"))
        threads(n);
    else if (!strcmp(how, "many"))
        many(n);
    else if (!strcmp(how, "plugin"))
        plug(n);
    else
        walk(n);
    if (!strcmp(how, "children"))
        for (int i = 0; i < 3; i++)
            child(argv[0], "killed", n);
    if (!strcmp(how, "leave"))
        leave(n);
    if (!strcmp(how, "sleep"))
        Sleep(60000);
    if (!strcmp(how, "killed"))
        TerminateProcess(GetCurrentProcess(), 0);
    if (n < 0)
        never();
    return 0;
}

#endif
