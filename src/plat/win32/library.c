/* SPDX-License-Identifier: MIT
 *
 * A library that others install: it is taken from the folder of this program, else from the first folder of PATH that has it and is named in full, so
 * never from the current folder. What it needs in turn comes from beside it or from the system.
 */
#include "win32.h"
#include <stdlib.h>
#include <string.h>

/* "C:\..." or "\\server\...": the same wherever we are. */
static bool is_full(const char *folder)
{
    return plat_is_slash(folder[0]) ? plat_is_slash(folder[1]) : folder[0] && folder[1] == ':' && plat_is_slash(folder[2]);
}

/* Without a dialog about what is missing. */
static HMODULE load(const wchar_t *path, DWORD *error)
{
    DWORD mode = 0;
    SetThreadErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX, &mode);
    HMODULE module = LoadLibraryExW(path, NULL, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
    *error = GetLastError();
    SetThreadErrorMode(mode, NULL);
    return module;
}

/* NULL: it is not there, or does not load, and then `err` says why. */
static HMODULE load_from(const char *folder, const char *file, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 17);
    buf_format(&path, "%s\\%s", folder, file);
    wchar_t *wide = path.status ? NULL : wide_full(path.data);
    HMODULE module = NULL;
    DWORD error;
    if (wide && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES && !(module = load(wide, &error)))
        win32_fail(err, error,
                   error == ERROR_MOD_NOT_FOUND ? "cannot load %s, or a DLL that it needs and that is not beside it"
                                                : "cannot load %s",
                   path.data);
    free(wide);
    buf_finish(&path);
    return module;
}

/* Where several do not load the last is named. */
static HMODULE find(const char *file, struct tare_err *err)
{
    struct buf folder = BUF_INIT(1 << 16);
    err_set(err, TARE_UNSUPPORTED, "%s is neither beside tare.exe nor in a folder of PATH: add the folder that has it to PATH",
            file);
    HMODULE module = win32_own_folder(&folder) ? load_from(folder.data, file, err) : NULL;
    const char *at = plat_getenv("PATH");
    while (!module && win32_next_folder(&at, &folder))
        if (!folder.status && is_full(folder.data))
            module = load_from(folder.data, file, err);
    buf_finish(&folder);
    return module;
}

/* "libpq.so.5" is libpq.dll. */
enum tare_status plat_library_load(const char *name, const struct plat_library_function *functions, int n, struct tare_err *err)
{
    char file[64];
    buf_print(file, sizeof file, "%.*s.dll", (int)strcspn(name, "."), name);
    HMODULE module = find(file, err);
    if (!module)
        return TARE_UNSUPPORTED;
    for (int i = 0; i < n; i++) {
        const FARPROC call = GetProcAddress(module, functions[i].name);
        if (!call)
            return err_set(err, TARE_UNSUPPORTED, "%s has no %s", file, functions[i].name);
        memcpy(functions[i].place, &call, sizeof call);
    }
    return TARE_OK;
}
