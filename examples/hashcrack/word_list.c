/* SPDX-License-Identifier: MIT */
#include "word_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool word_list_open(struct word_list *l, const char *path)
{
    *l = (struct word_list){.end = INT64_MAX};
    l->file = fopen(path, "rb");
    if (!l->file)
        l->error = errno;
    return l->file;
}

void word_list_close(struct word_list *l)
{
    free(l->line);
    if (l->file)
        fclose(l->file);
}

int64_t word_list_size(struct word_list *l)
{
    struct stat facts;
    if (fstat(fileno(l->file), &facts) == 0 && S_ISREG(facts.st_mode))
        return facts.st_size;
    l->error = ESPIPE;
    return -1;
}

/* The byte before a part tells whether a line begins with the part. The search for that beginning ends where the part
 * does, so that a line over many parts is not read anew to its end for each of them. */
static bool skip_started_line(struct word_list *l)
{
    int byte;
    do {
        byte = getc_unlocked(l->file);
        if (byte == EOF)
            return false;
        l->at++;
    } while (byte != '\n' && l->at < l->end);
    if (byte != '\n')
        l->at = l->end;
    return true;
}

bool word_list_part(struct word_list *l, int64_t begin, int64_t end)
{
    l->at = begin > 0 ? begin - 1 : 0;
    l->end = end;
    if (fseeko(l->file, (off_t)l->at, SEEK_SET) != 0 || (begin > 0 && !skip_started_line(l) && ferror(l->file))) {
        l->error = errno;
        return false;
    }
    return true;
}

bool word_list_next(struct word_list *l)
{
    if (l->error || l->at >= l->end)
        return false;
    errno = 0;
    ssize_t got = getline(&l->line, &l->room, l->file);
    if (got < 0) {
        l->error = feof(l->file) && !ferror(l->file) ? 0 : errno ? errno : EIO;
        return false;
    }
    l->at += got;
    size_t length = (size_t)got;
    if (l->line[length - 1] == '\n') {
        length--;
        if (length && l->line[length - 1] == '\r')
            length--;
    }
    l->word = l->line;
    l->length = length;
    return true;
}
