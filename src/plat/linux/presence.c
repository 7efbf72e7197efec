/* SPDX-License-Identifier: MIT
 *
 * Sessions see each other through names in the abstract namespace of unix sockets, which need no file and vanish with their process.
 *
 * There are a few places, tare.measuring.0 and so on. A session listens at the first that is free and calls at all others: who answers is
 * measuring now, and the kernel tells its process id. A caller says in one byte whether it is a session inside the one it calls. What
 * was called at our own place while we measured waits there until we look, even when the caller has ended: so each of
 * two sessions learns of the other, whichever came first. What waits there is limited, so a long session looks between its runs.
 */
#include "linux.h"
#include "plat.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PLACES = 8, CALLERS_MAX = 64, ANCESTORS_MAX = 64 };
static const char OTHER = 'o', INSIDE = 'i';

struct plat_presence {
    int fd, place; /* -1: all places were taken */
    int ancestors[ANCESTORS_MAX], n_ancestors;
    bool knows_ancestors;
    int seen[CALLERS_MAX], n_seen;
};

static socklen_t address_of(int place, struct sockaddr_un *a)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    struct buf name = buf_over(a->sun_path + 1, sizeof a->sun_path - 1); /* a zero first: no file */
    buf_format(&name, "tare.measuring.%d", place);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name.len);
}

static int socket_new(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Listens at the first free place. False with errno: not allowed here at all. */
static bool take_place(struct plat_presence *p)
{
    for (int i = 0; i < PLACES; i++) {
        struct sockaddr_un a;
        socklen_t n = address_of(i, &a);
        if (!bind(p->fd, (struct sockaddr *)&a, n)) {
            p->place = i;
            return !listen(p->fd, CALLERS_MAX);
        }
        if (errno != EADDRINUSE)
            return false;
    }
    return true;
}

enum tare_status plat_presence_create(struct plat_presence **out, struct tare_err *err)
{
    *out = NULL;
    struct plat_presence *p = calloc(1, sizeof *p);
    if (!p)
        return err_no_memory(err);
    p->place = -1;
    p->fd = socket_new();
    if (p->fd < 0 || !take_place(p)) {
        plat_presence_destroy(p);
        return err_set(err, TARE_UNSUPPORTED, "unix sockets are not allowed here");
    }
    *out = p;
    return TARE_OK;
}

static void find_ancestors(struct plat_presence *p)
{
    p->knows_ancestors = true; /* and ourselves: a session may run others in its own process */
    for (int id = (int)getpid(); id > 0 && p->n_ancestors < ANCESTORS_MAX; id = process_parent(id))
        p->ancestors[p->n_ancestors++] = id;
}

static bool is_ancestor(struct plat_presence *p, int id)
{
    if (!p->knows_ancestors)
        find_ancestors(p);
    for (int i = 0; i < p->n_ancestors; i++)
        if (p->ancestors[i] == id)
            return true;
    return false;
}

static int peer_of(int fd)
{
    struct ucred peer = {0};
    socklen_t n = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) ? 0 : (int)peer.pid;
}

static void note(struct plat_presence *p, int id)
{
    for (int i = 0; i < p->n_seen; i++)
        if (p->seen[i] == id)
            return;
    if (p->n_seen < CALLERS_MAX)
        p->seen[p->n_seen++] = id;
}

/* A queue that is full (EAGAIN) has somebody behind it, who stays nameless: only a connection tells a process id. */
static void call_at(struct plat_presence *p, int fd, int place)
{
    struct sockaddr_un a;
    socklen_t n = address_of(place, &a);
    if (connect(fd, (struct sockaddr *)&a, n)) {
        if (errno == EAGAIN)
            note(p, -1);
        return;
    }
    int id = peer_of(fd);
    bool inside = is_ancestor(p, id);
    if (send(fd, inside ? &INSIDE : &OTHER, 1, MSG_NOSIGNAL) == 1 && !inside)
        note(p, id);
}

static void call_at_all(struct plat_presence *p)
{
    int fd = -1;
    for (int i = 0; i < PLACES; i++) {
        if (i == p->place)
            continue;
        if (fd < 0)
            fd = socket_new();
        if (fd < 0)
            return;
        call_at(p, fd, i);
        struct sockaddr_un peer;
        socklen_t n = sizeof peer;
        if (!getpeername(fd, (struct sockaddr *)&peer, &n)) { /* used up */
            close(fd);
            fd = -1;
        }
    }
    if (fd >= 0)
        close(fd);
}

void plat_presence_listen(struct plat_presence *p)
{
    for (int fd; p->place >= 0 && (fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
        char word = 0;
        if (recv(fd, &word, 1, 0) == 1 && word == OTHER)
            note(p, peer_of(fd));
        close(fd);
    }
}

int plat_presence_others(struct plat_presence *p, int *pids, int room)
{
    call_at_all(p);
    plat_presence_listen(p);
    for (int i = 0; i < p->n_seen && i < room; i++)
        pids[i] = p->seen[i];
    return p->n_seen;
}

void plat_presence_destroy(struct plat_presence *p)
{
    if (p && p->fd >= 0)
        close(p->fd);
    free(p);
}
