/* SPDX-License-Identifier: MIT
 *
 * Parts of the file, searched by threads. A thread takes the next part when it is done with one, so all are busy until the end
 * wherever the answer lies. The naive search lacks one thing: nobody tells the threads that the answer has been found.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "search.h"
#include "word_list.h"

/* Large against a seek and small against a file, so that the threads end together. */
enum { PART_BYTES = 256 * 1024 };

struct team {
    struct search *search;
    bool stop_early;
    int64_t size;
    atomic_int_fast64_t next_part;
    atomic_bool done;     /* found or failed */
    pthread_mutex_t lock; /* of the result: `search`'s fields and `end` */
    enum search_end end;
};

static void team_end(struct team *t, bool stop)
{
    if (stop)
        atomic_store_explicit(&t->done, true, memory_order_relaxed);
}

static void found(struct team *t, const struct word_list *list)
{
    pthread_mutex_lock(&t->lock);
    if (t->end == SEARCH_ABSENT)
        t->end = search_found(t->search, list->word, list->length);
    team_end(t, t->stop_early || t->end == SEARCH_FAILED);
    pthread_mutex_unlock(&t->lock);
}

static void failed(struct team *t, const char *what, int error)
{
    pthread_mutex_lock(&t->lock);
    if (t->end == SEARCH_ABSENT)
        t->end = search_failed(t->search, what, error);
    team_end(t, true);
    pthread_mutex_unlock(&t->lock);
}

/* False when this thread should take no further part. */
static bool search_part(struct team *t, struct word_list *list, struct sha256 *sha, int64_t *lines)
{
    while (word_list_next(list)) {
        if (atomic_load_explicit(&t->done, memory_order_relaxed))
            return false;
        ++*lines;
        int hit = sha256_is(sha, list->word, list->length, t->search->want);
        if (hit < 0)
            return failed(t, "computing SHA-256", 0), false;
        if (hit)
            found(t, list);
    }
    if (list->error)
        failed(t, "reading", list->error);
    return !list->error;
}

static void search_parts(struct team *t, struct word_list *list, struct sha256 *sha)
{
    int64_t lines = 0;
    bool more = true;
    while (more) {
        int64_t begin = atomic_fetch_add(&t->next_part, 1) * PART_BYTES;
        if (begin >= t->size)
            break;
        if (!word_list_part(list, begin, begin + PART_BYTES))
            failed(t, "reading", list->error);
        more = search_part(t, list, sha, &lines);
    }
    pthread_mutex_lock(&t->lock);
    t->search->lines += lines;
    pthread_mutex_unlock(&t->lock);
}

static void *work(void *team)
{
    struct team *t = team;
    struct word_list list;
    struct sha256 sha = {0};
    if (!word_list_open(&list, t->search->path))
        failed(t, "opening", list.error);
    else if (!sha256_init(&sha))
        failed(t, "starting OpenSSL's SHA-256", 0);
    else
        search_parts(t, &list, &sha);
    sha256_finish(&sha);
    word_list_close(&list);
    return NULL;
}

/* All threads but the calling one, which works too. Those that could be started are waited for in any case. */
static void run_team(struct team *t)
{
    pthread_t threads[SEARCH_THREADS_MAX];
    int n = 0;
    for (; n < t->search->threads - 1; n++) {
        int error = pthread_create(&threads[n], NULL, work, t);
        if (error) {
            failed(t, "starting a thread", error);
            break;
        }
    }
    work(t);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static enum search_end search_by_team(struct search *s, bool stop_early)
{
    struct word_list list;
    struct team team = {.search = s, .stop_early = stop_early, .lock = PTHREAD_MUTEX_INITIALIZER, .end = SEARCH_ABSENT};
    if (!word_list_open(&list, s->path))
        team.end = search_failed(s, "opening", list.error);
    else if ((team.size = word_list_size(&list)) < 0)
        team.end = search_failed(s, "dividing it among threads: no regular file; take --method stream", 0);
    word_list_close(&list);
    if (team.end == SEARCH_ABSENT)
        run_team(&team);
    return team.end;
}

enum search_end search_threads(struct search *s)
{
    return search_by_team(s, false);
}

enum search_end search_threads_stop(struct search *s)
{
    return search_by_team(s, true);
}
