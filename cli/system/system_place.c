/* SPDX-License-Identifier: MIT */
#include "system_place.h"
#include "nearest.h"
#include "plat.h"
#include <string.h>

enum { PATH_BYTES = 1 << 16 };

static enum tare_status open_root(struct system_root *out, const char *sysroot, struct arena *a, struct tare_err *err)
{
    *out = (struct system_root){.path = ""};
    if (!sysroot)
        return TARE_OK;
    struct buf path = BUF_INIT(PATH_BYTES);
    struct plat_file_state state;
    enum tare_status status = plat_directory_path(sysroot, &path, err);
    if (status) {
        err_prefix(err, "--sysroot");
        status = TARE_INVALID;
    } else if (!plat_file_state(buf_text(&path), &state, NULL) && state.regular) {
        status = err_set(err, TARE_INVALID, "--sysroot: %s is not a folder; give one with copies of sys and proc", sysroot);
    } else if (!strcmp(buf_text(&path), "/")) {
        status = err_set(err, TARE_INVALID, "--sysroot: / is this machine itself, not a copy; omit the option");
    } else if (!(out->path = arena_strdup(a, buf_text(&path)))) {
        status = err_no_memory(err);
    }
    buf_finish(&path);
    return status;
}

enum tare_status system_place_open(struct system_place *out, const char *sysroot, const char *cpus, struct arena *a,
                                   struct tare_err *err)
{
    *out = (struct system_place){.wishes = {.frequency = FREQUENCY_BASE}};
    enum tare_status status = cpus ? cpu_list_parse(&out->wishes.cpus, cpus) : TARE_OK;
    if (status || (cpus && !cpu_list_count(&out->wishes.cpus)))
        return err_set(err, TARE_INVALID, "--cpus: '%.60s' is not a list of CPUs; write it like 1, or 2-5,7", cpus);
    return open_root(&out->root, sysroot, a, err);
}

static enum tare_status unknown_knob(const char *id, const char *option, struct tare_err *err)
{
    struct nearest near = {.word = id};
    for (int i = 0; knob_at(i); i++)
        nearest_try(&near, knob_at(i)->id);
    if (near.best)
        return err_set(err, TARE_INVALID, "%s: there is no setting '%.60s'; did you mean %s?", option, id, near.best);
    return err_set(err, TARE_INVALID, "%s: there is no setting '%.60s'; tare system show -v lists them", option, id);
}

static int count_ids(const struct option_list *words)
{
    int n = 0;
    for (int i = 0; i < words->n; i++) {
        n++;
        for (const char *p = words->items[i]; *p; p++)
            n += *p == ',';
    }
    return n;
}

enum tare_status system_knob_ids(const struct option_list *words, const char *option, const char *const **out, struct arena *a,
                                 struct tare_err *err)
{
    *out = NULL;
    if (!words->n)
        return TARE_OK;
    const char **ids = arena_array(a, (size_t)count_ids(words) + 1, sizeof *ids);
    int n = 0;
    for (int i = 0; i < words->n && ids; i++)
        for (const char *p = words->items[i];; p++) {
            size_t len = strcspn(p, ",");
            char *id = arena_copy(a, p, len);
            if (!id)
                return err_no_memory(err);
            if (!knob_find(id))
                return unknown_knob(id, option, err);
            ids[n++] = id;
            p += len;
            if (!*p)
                break;
        }
    if (!ids)
        return err_no_memory(err);
    *out = ids;
    return TARE_OK;
}
