/* SPDX-License-Identifier: MIT */
#include "fake_parts.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum { CHUNK = 4096 }; /* what the emptiest pipe takes without blocking */

static void drain(int fd)
{
    char scrap[1 << 16];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (fd >= 0 && poll(&p, 1, 0) == 1 && p.revents & POLLIN && read(fd, scrap, sizeof scrap) > 0)
        ;
}

void fake_stream_write(const struct plat_child_spec *spec, int fd, const char *bytes, size_t n)
{
    if (fd < 0 || !n)
        return;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a closed pipe would end the child, not us */
    while (n) {
        drain(spec->drain_fd);
        ssize_t done = write(fd, bytes, n < CHUNK ? n : CHUNK);
        if (done < 0 && errno != EINTR)
            break;
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        }
    }
    drain(spec->drain_fd);
    if (spec->scratch_bytes && fd > 2)
        plat_scratch_trim(fd, spec->scratch_bytes);
    signal(SIGPIPE, before);
}

void fake_stream_zeros(const struct plat_child_spec *spec, int fd, int64_t n)
{
    static const char zeros[1 << 16];
    for (; n > 0; n -= (int64_t)sizeof zeros)
        fake_stream_write(spec, fd, zeros, n < (int64_t)sizeof zeros ? (size_t)n : sizeof zeros);
}

int64_t fake_stream_read(int fd)
{
    char scrap[1 << 16];
    int64_t sum = 0;
    for (ssize_t n; fd >= 0;) {
        n = read(fd, scrap, sizeof scrap);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        sum += n;
    }
    return sum;
}
