/* SPDX-License-Identifier: MIT
 *
 * The search of cmd.exe, without what only cmd.exe can run: a name with a slash or a backslash is a path; any other is tried in the current folder, unless
 * NoDefaultCurrentDirectoryInExePath is set, then in each folder of PATH. A name without an extension gets those of PATHEXT that CreateProcess
 * runs. A batch file is remembered and the search goes on; it is refused if nothing better comes, as cmd.exe would run and read its arguments by other
 * rules than every other program. The answer is a full path.
 */
#include "win32.h"
#include <stdlib.h>
#include <string.h>

struct search {
    const char *name, *extensions, *cwd;
    struct buf refused; /* the first batch file or folder */
    const char *why;
};

static const char *value_of(const char *const *envp, const char *name)
{
    const size_t n = strlen(name);
    for (; *envp; envp++)
        if (!_strnicmp(*envp, name, n) && (*envp)[n] == '=')
            return *envp + n + 1;
    return NULL;
}

/* The system drops dots and blanks at the end of a name before it looks at what is left. */
static bool is_batch(const char *path)
{
    const char *name = plat_base_name(path);
    size_t n = strlen(name);
    while (n && (name[n - 1] == '.' || name[n - 1] == ' '))
        n--;
    return n >= 4 && (!_strnicmp(name + n - 4, ".bat", 4) || !_strnicmp(name + n - 4, ".cmd", 4));
}

static DWORD attributes_of(const char *path)
{
    wchar_t *wide = wide_path(path);
    const DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    free(wide);
    return attributes;
}

static void refuse(struct search *s, const char *path, const char *why)
{
    if (s->why)
        return;
    s->why = why;
    buf_str(&s->refused, path);
}

/* Whether CreateProcess may be given it. */
static bool usable(struct search *s, const char *path)
{
    const DWORD attributes = attributes_of(path);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return false;
    if (attributes & FILE_ATTRIBUTE_DIRECTORY)
        return refuse(s, path, "it is a folder"), false;
    if (is_batch(path))
        return refuse(s, path, "a batch file needs cmd.exe, which is then measured with it: add --shell=default"), false;
    return true;
}

static bool full_path(const char *path, struct buf *out)
{
    wchar_t *full = wide_full(path);
    if (full)
        utf8_add(out, full);
    free(full);
    return full != NULL;
}

/* Of PATHEXT those that are programs or batch files; what else is there only cmd.exe opens. */
static bool runs(const char *extension, size_t n)
{
    static const char *const all[] = {".com", ".exe", ".bat", ".cmd"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (n == strlen(all[i]) && !_strnicmp(extension, all[i], n))
            return true;
    return false;
}

static bool with_extensions(struct search *s, struct buf *path)
{
    const size_t bare = path->len;
    for (const char *at = s->extensions, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ";");
        if (!runs(at, (size_t)(end - at)))
            continue;
        buf_add(path, at, (size_t)(end - at));
        if (usable(s, buf_text(path)))
            return true;
        path->len = bare;
        if (path->data)
            path->data[bare] = 0;
    }
    return false;
}

/* `folder` NULL: the name says where. What is found is left in `out`. */
static bool try_folder(struct search *s, const char *folder, size_t n, struct buf *out)
{
    struct buf path = BUF_INIT(1 << 17);
    const char *extension = strrchr(plat_base_name(s->name), '.');
    const char *place = folder ? folder : s->name;
    const bool absolute = plat_path_is_absolute(place);
    if (s->cwd && !absolute)
        buf_format(&path, "%s\\", s->cwd);
    if (folder && n)
        buf_format(&path, "%.*s\\", (int)n, folder);
    buf_str(&path, s->name);
    bool found = extension && usable(s, buf_text(&path));
    found = found || with_extensions(s, &path);
    found = found || (!folder && !extension && usable(s, buf_text(&path)));
    found = found && full_path(buf_text(&path), out);
    buf_finish(&path);
    return found;
}

bool win32_next_folder(const char **at, struct buf *folder)
{
    buf_clear(folder);
    while (*at && **at && !folder->len) {
        const bool quoted = **at == '"'; /* a folder with a semicolon in its name */
        const char *from = *at + quoted, *end = from + strcspn(from, quoted ? "\"" : ";");
        buf_add(folder, from, (size_t)(end - from));
        end += quoted && *end == '"';
        *at = *end ? end + 1 : end;
    }
    return folder->len > 0;
}

static bool look(struct search *s, const char *const *envp, struct buf *out)
{
    if (strpbrk(s->name, "/\\:"))
        return try_folder(s, NULL, 0, out);
    if (!value_of(envp, "NoDefaultCurrentDirectoryInExePath") && try_folder(s, "", 0, out))
        return true;
    const char *at = value_of(envp, "PATH");
    struct buf folder = BUF_INIT(1 << 16);
    bool found = false;
    while (!found && win32_next_folder(&at, &folder))
        found = try_folder(s, buf_text(&folder), folder.len, out);
    buf_finish(&folder);
    return found;
}

enum tare_status plat_find_program(const char *name, const char *const *envp, const char *cwd, struct buf *out,
                                   struct tare_err *err)
{
    if (!*name)
        return err_set(err, TARE_NOT_FOUND, "the name of the program is empty");
    const char *extensions = value_of(envp, "PATHEXT");
    struct search s = {.name = name, .extensions = extensions ? extensions : ".COM;.EXE;.BAT;.CMD", .cwd = cwd};
    s.refused = BUF_INIT(1 << 17);
    enum tare_status status = TARE_OK;
    if (!look(&s, envp, out)) {
        if (s.why)
            status = err_set(err, TARE_PERMISSION, "cannot execute %s: %s", buf_text(&s.refused), s.why);
        else if (strpbrk(name, "/\\:"))
            status = err_set(err, TARE_NOT_FOUND, "cannot execute %s: there is no such file", name);
        else
            status = err_set(err, TARE_NOT_FOUND, "cannot find the program %s in the current folder or on PATH", name);
    }
    buf_finish(&s.refused);
    if (!status && out->status)
        status = err_set(err, out->status, "cannot name the program %s: %s", name, tare_status_text(out->status));
    return status;
}
