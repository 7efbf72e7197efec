/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include <dlfcn.h>
#include <string.h>

enum tare_status plat_library_load(const char *name, const struct plat_library_function *functions, int n, struct tare_err *err)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_set(err, TARE_UNSUPPORTED, "%s", dlerror());
    for (int i = 0; i < n; i++) {
        void *symbol = dlsym(library, functions[i].name);
        if (!symbol)
            return err_set(err, TARE_UNSUPPORTED, "%s has no %s", name, functions[i].name);
        memcpy(functions[i].place, &symbol, sizeof symbol); /* POSIX: it is the function's address */
    }
    return TARE_OK;
}
