/* SPDX-License-Identifier: MIT */
#include "machine_tree.h"
#include "plat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_ROOM = 1024, CONTENT_ROOM = 1 << 16 };

static void make_folders(const char *path)
{
    char part[PATH_ROOM];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0755);
    }
}

static void put(const char *path, const char *content, size_t n)
{
    make_folders(path);
    unlink(path); /* a file that is emptied and filled again is flushed to disk by some file systems */
    FILE *f = fopen(path, "w");
    if (!f || fwrite(content, 1, n, f) != n || fclose(f))
        fail_msg("cannot write %s", path);
}

void tree_put(const char *folder, const char *path, const char *content)
{
    char full[PATH_ROOM];
    snprintf(full, sizeof full, "%s%s", folder, path);
    put(full, content, strlen(content));
}

char *tree_get(const char *folder, const char *path)
{
    struct buf b = BUF_INIT(1 << 24);
    char full[PATH_ROOM];
    snprintf(full, sizeof full, "%s%s", folder, path);
    char *text = plat_file_read(full, &b, NULL) ? NULL : strdup(buf_text(&b));
    buf_finish(&b);
    return text;
}

/* "{n}", "{n%4}", "{n%4+4}" */
static int evaluate(const char *p, int n)
{
    int modulus, more;
    if (sscanf(p, "{n%%%d+%d}", &modulus, &more) == 2)
        return n % modulus + more;
    if (sscanf(p, "{n%%%d}", &modulus) == 1)
        return n % modulus;
    if (sscanf(p, "{n+%d}", &more) == 1)
        return n + more;
    return n;
}

static size_t unfold(char *out, const char *content, int n)
{
    size_t length = 0;
    bool newline = true;
    for (const char *p = content; *p; p++) {
        if (!strncmp(p, "{n", 2)) {
            length += (size_t)sprintf(out + length, "%d", evaluate(p, n));
            p = strchr(p, '}');
        } else if (p[0] == '\\' && p[1] == 'e') {
            newline = false;
            p++;
        } else if (p[0] == '\\' && (p[1] == 'n' || p[1] == 't')) {
            out[length++] = p[1] == 'n' ? '\n' : '\t';
            p++;
        } else {
            out[length++] = *p;
        }
    }
    if (newline)
        out[length++] = '\n';
    return length;
}

static void put_line(const char *folder, const char *path, const char *content, int n)
{
    static char text[CONTENT_ROOM];
    char full[PATH_ROOM];
    bool closed = *path == '!';
    path += closed;
    size_t length = strlen(path);
    snprintf(full, sizeof full, "%s%s", folder, path);
    if (path[length - 1] == '/') {
        make_folders(full);
    } else if (path[length - 1] == '@') {
        full[strlen(full) - 1] = 0;
        make_folders(full);
        if (symlink(content, full))
            fail_msg("cannot link %s", full);
    } else {
        put(full, text, unfold(text, content, n));
        if (closed && chmod(full, 0444))
            fail_msg("cannot close %s", full);
    }
}

static void put_lines(const char *folder, char *path, const char *content)
{
    char one[PATH_ROOM];
    int first, last;
    char *open = strchr(path, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!close || sscanf(open, "{%d-%d}", &first, &last) != 2) {
        put_line(folder, path, content, 0);
        return;
    }
    for (int n = first; n <= last; n++) {
        snprintf(one, sizeof one, "%.*s%d%s", (int)(open - path), path, n, close + 1);
        put_line(folder, one, content, n);
    }
}

static void lay_out(const char *folder, const char *manifest);

static void line_of(const char *folder, const char *manifest, char *line)
{
    char other[PATH_ROOM];
    const char *slash = strrchr(manifest, '/');
    if (*line == '#' || !*line)
        return;
    if (*line == '<') {
        snprintf(other, sizeof other, "%.*s/%s.tree", (int)(slash - manifest), manifest, line + 1);
        lay_out(folder, other);
    } else if (*line == '-') {
        snprintf(other, sizeof other, "%s%s", folder, line + 1);
        plat_directory_remove(other, NULL);
    } else {
        char *tab = strchr(line, '\t');
        if (tab)
            *tab = 0;
        put_lines(folder, line, tab ? tab + 1 : "");
    }
}

static void lay_out(const char *folder, const char *manifest)
{
    struct buf b = BUF_INIT(1 << 24);
    struct tare_err err = {{0}};
    if (plat_file_read(manifest, &b, &err))
        fail_msg("%s", err.text);
    char *text = strdup(buf_text(&b)), *rest = text;
    buf_finish(&b);
    for (char *line; (line = strsep(&rest, "\n"));)
        line_of(folder, manifest, line);
    free(text);
}

char *tree_make(const char *manifest)
{
    struct buf folder = BUF_INIT(PATH_ROOM);
    struct tare_err err = {{0}};
    if (plat_directory_private(&folder, "tare-tree-", &err))
        fail_msg("%s", err.text);
    char *path = strdup(buf_text(&folder));
    buf_finish(&folder);
    if (manifest)
        lay_out(path, manifest);
    return path;
}

void tree_remove(char *folder)
{
    plat_directory_remove(folder, NULL);
    free(folder);
}
