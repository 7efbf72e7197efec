/* SPDX-License-Identifier: MIT
 *
 * Runs a fuzz target once over the empty input and over every file of one folder, without libFuzzer:
 *
 *     replay_decimal fuzz/corpus/decimal
 *
 * Exit 0: all came through. A crash, a failed assert or a sanitizer ends it as usual, after the file's name was printed.
 * An empty or missing folder is a failure, because a test that looks at nothing must not pass.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The caller frees. An exact-size block, so that the address sanitizer sees a read past its end. */
static uint8_t *read_uint(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    uint8_t *data = NULL;
    if (fseek(f, 0, SEEK_END) == 0) {
        long end = ftell(f);
        rewind(f);
        data = end >= 0 ? malloc(end > 0 ? (size_t)end : 1) : NULL;
        if (data && fread(data, 1, (size_t)end, f) != (size_t)end) {
            free(data);
            data = NULL;
        }
        *size = end > 0 ? (size_t)end : 0;
    }
    fclose(f);
    return data;
}

static int replay_file(const char *folder, const char *name)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        fprintf(stderr, "%s/%s: path too long\n", folder, name);
        return 1;
    }
    size_t size = 0;
    uint8_t *data = read_uint(path, &size);
    if (!data) {
        perror(path);
        return 1;
    }
    printf("%s: %zu bytes\n", name, size);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    struct dirent **names;
    int n = argc == 2 ? scandir(argv[1], &names, NULL, alphasort) : -1;
    if (n < 0) {
        fprintf(stderr, "usage: %s FOLDER (an existing one)\n", argv[0]);
        return 2;
    }
    uint8_t nothing;
    LLVMFuzzerTestOneInput(&nothing, 0);
    int failed = 0, seen = 0;
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') {
            failed += replay_file(argv[1], names[i]->d_name);
            seen++;
        }
        free(names[i]);
    }
    free(names);
    if (seen == 0)
        fprintf(stderr, "%s holds no input\n", argv[1]);
    return failed > 0 || seen == 0;
}
