/* SPDX-License-Identifier: MIT
 * What is not in a trace, in sentences. */
#include "trace_file.h"

static void line(struct buf *out, uint64_t n, const char *one, const char *many)
{
    if (n)
        buf_format(out, "%llu %s\n", (unsigned long long)n, n == 1 ? one : many);
}

void trace_loss_text(const struct trace_loss *l, struct buf *out)
{
    line(out, l->files, "process left a file that cannot be read, so nothing of it is here",
         "processes left files that cannot be read, so nothing of them is here");
    line(out, l->unfiled, "forked process could make no file, so nothing of it is here",
         "forked processes could make no files, so nothing of them is here");
    line(out, l->words, "entry was not kept: the buffer was full", "entries were not kept: the buffer was full");
    line(out, l->segments, "segment is missing: it was written over or never stored",
         "segments are missing: they were written over or never stored");
    line(out, l->truncated_units, "block of 16 KiB is damaged and was passed over",
         "blocks of 16 KiB are damaged and were passed over");
    line(out, l->truncated_points, "description of a point is damaged", "descriptions of points are damaged");
    line(out, l->unknown_points, "traversal is of an unknown point", "traversals are of unknown points");
    line(out, l->unwritten, "word was begun and not written: the process ended in it, or a signal did not come back",
         "words were begun and not written: the process ended in them, or signals did not come back");
    line(out, l->alive, "process was still running when its file was read: what it passes from then on is not here",
         "processes were still running when their files were read: what they pass from then on is not here");
    line(out, l->silent,
         "process that had passed no point was still running when the run was over: what it passes from then on is not here",
         "processes that had passed no point were still running when the run was over: what they pass from then on is not here");
    if (l->cut)
        buf_str(out, "the file is shorter than it says\n");
    if (l->truncated_head)
        buf_str(out, "the head of the file is damaged: what it says of the clock may be wrong\n");
}

bool trace_loss_of_hits(const struct trace_loss *l)
{
    return l->files || l->unfiled || l->words || l->segments || l->truncated_units || l->truncated_points || l->unknown_points ||
           l->cut || l->truncated_head || l->alive || l->silent;
}

void trace_loss_add(struct trace_loss *into, const struct trace_loss *from)
{
    into->files += from->files;
    into->unfiled += from->unfiled;
    into->words += from->words;
    into->segments += from->segments;
    into->truncated_units += from->truncated_units;
    into->unused_units += from->unused_units;
    into->truncated_points += from->truncated_points;
    into->unknown_points += from->unknown_points;
    into->unwritten += from->unwritten;
    into->alive += from->alive;
    into->silent += from->silent;
    into->cut |= from->cut;
    into->truncated_head |= from->truncated_head;
    into->full |= from->full;
    into->running |= from->running;
}
