/* SPDX-License-Identifier: MIT
 *
 * A task that waits while another of the same run has its CPU is not disturbed by anyone, and no account tells for whom it waited. But while it waits
 * for its own kind one of them has a CPU: so what it waited beyond the CPU time of all others was for strangers. That is least_ns; a script
 * that starts one long program loses nothing by it, a parallel make nearly all.
 *
 * The kernel makes the record before the task's parent can learn of its end: once the run is over all records are in the socket. But the task has
 * its memory to give back after that, and may wait for a CPU meanwhile. Then it was switched away from once more than its record has, and what
 * wait4 counts is more than the records have together: least_ns stays true, how much there was at most is not known.
 */
#include "exit_records.h"
#include "arena.h"
#include "plat.h"
#include "task_text.h"
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 8192, ROOM_BYTES = 16 << 20 }; /* some ten thousand records */
enum { REFUSED = -2 };

union message {
    struct nlmsghdr header;
    char bytes[MESSAGE_BYTES];
};

/* The attribute of that type in a run of them; NULL: none, or it is cut. */
static const struct nlattr *attribute(const char *at, size_t bytes, int type, size_t *content)
{
    while (bytes >= NLA_HDRLEN) {
        const struct nlattr *a = (const void *)at;
        if (a->nla_len < NLA_HDRLEN || a->nla_len > bytes)
            return NULL;
        *content = a->nla_len - (size_t)NLA_HDRLEN;
        if ((a->nla_type & NLA_TYPE_MASK) == type)
            return a;
        size_t step = NLA_ALIGN(a->nla_len);
        if (step > bytes)
            return NULL;
        at += step;
        bytes -= step;
    }
    return NULL;
}

static const void *content_of(const struct nlattr *a)
{
    return (const char *)a + NLA_HDRLEN;
}

static const char *behind_headers(const struct nlmsghdr *h, size_t *bytes)
{
    if (h->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
        return NULL;
    *bytes = h->nlmsg_len - (NLMSG_HDRLEN + GENL_HDRLEN);
    return (const char *)h + NLMSG_HDRLEN + GENL_HDRLEN;
}

/* The headers and one attribute that is a text or a number. */
static bool ask(int fd, int type, int command, int attribute_type, const char *text)
{
    union message m = {.header = {.nlmsg_type = (uint16_t)type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK}};
    struct genlmsghdr genl = {.cmd = (uint8_t)command, .version = 1};
    size_t length = NLA_HDRLEN + strlen(text) + 1;
    struct nlattr a = {.nla_len = (uint16_t)length, .nla_type = (uint16_t)attribute_type};
    m.header.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + GENL_HDRLEN + NLA_ALIGN(length));
    if (m.header.nlmsg_len > sizeof m)
        return false;
    memcpy(m.bytes + NLMSG_HDRLEN, &genl, sizeof genl);
    memcpy(m.bytes + NLMSG_HDRLEN + GENL_HDRLEN, &a, sizeof a);
    memcpy(m.bytes + NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN, text, strlen(text) + 1);
    return send(fd, &m, m.header.nlmsg_len, 0) == (ssize_t)m.header.nlmsg_len;
}

/* Up to the acknowledgement, which the kernel writes before `ask` returns. *id: of the family that was asked for. */
static bool is_granted(int fd, int *id)
{
    union message m;
    for (;;) {
        ssize_t n = recv(fd, &m, sizeof m, MSG_DONTWAIT);
        if (n < (ssize_t)NLMSG_HDRLEN || m.header.nlmsg_len > (size_t)n)
            return false;
        if (m.header.nlmsg_type == NLMSG_ERROR)
            return ((struct nlmsgerr *)(void *)(m.bytes + NLMSG_HDRLEN))->error == 0;
        size_t bytes = 0, content = 0;
        const char *at = id && m.header.nlmsg_type == GENL_ID_CTRL ? behind_headers(&m.header, &bytes) : NULL;
        const struct nlattr *a = at ? attribute(at, bytes, CTRL_ATTR_FAMILY_ID, &content) : NULL;
        uint16_t family = 0;
        if (a && content >= sizeof family) {
            memcpy(&family, content_of(a), sizeof family);
            *id = family;
        }
    }
}

bool exit_records_add(struct exit_records *e, const void *message, size_t bytes)
{
    const struct nlmsghdr *h = message;
    size_t outer = 0, inner = 0, content = 0;
    if (bytes < NLMSG_HDRLEN || h->nlmsg_len > bytes || h->nlmsg_type != e->family)
        return false;
    const char *at = behind_headers(h, &outer);
    const struct nlattr *task = at ? attribute(at, outer, TASKSTATS_TYPE_AGGR_PID, &inner) : NULL;
    const struct nlattr *stats = task ? attribute(content_of(task), inner, TASKSTATS_TYPE_STATS, &content) : NULL;
    struct taskstats s;
    if (!stats || content < offsetof(struct taskstats, ac_ppid) + sizeof s.ac_ppid)
        return false;
    memset(&s, 0, sizeof s);
    memcpy(&s, content_of(stats), content < sizeof s ? content : sizeof s); /* newer kernels add fields at the end */
    if (!array_room(&e->records, e->n, &e->room, sizeof *e->records))
        return false;
    e->records[e->n++] = (struct exit_record){.task = (int)s.ac_pid,
                                              .parent = (int)s.ac_ppid,
                                              .run_ns = (double)s.cpu_run_virtual_total,
                                              .delay_ns = (double)s.cpu_delay_total,
                                              .forced = (int64_t)s.nivcsw};
    return true;
}

static bool ask_for_all_cpus(const struct exit_records *e, int attribute_type)
{
    struct buf cpus = BUF_INIT(4096);
    bool asked = !plat_file_read("/sys/devices/system/cpu/possible", &cpus, NULL) && cpus.len;
    if (asked) {
        cpus.data[strcspn(cpus.data, "\n")] = 0;
        asked = ask(e->fd, e->family, TASKSTATS_CMD_GET, attribute_type, cpus.data);
    }
    buf_finish(&cpus);
    return asked;
}

/* Bound to the kernel, so that nobody else can send records. */
static bool open_socket(struct exit_records *e)
{
    const int room = ROOM_BYTES;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    e->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
    return e->fd >= 0 && !connect(e->fd, (struct sockaddr *)&kernel, sizeof kernel) &&
           !setsockopt(e->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) &&
           ask(e->fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME) &&
           is_granted(e->fd, &e->family) && e->family;
}

static bool refused(struct exit_records *e)
{
    plat_close(e->fd);
    e->fd = REFUSED;
    return false;
}

bool exit_records_begin(struct exit_records *e)
{
    if (e->fd == REFUSED || (e->fd < 0 && !open_socket(e)))
        return refused(e);
    e->n = 0;
    e->lost = false;
    if (!ask_for_all_cpus(e, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK) || !is_granted(e->fd, NULL))
        return refused(e);
    return true;
}

void exit_records_end(struct exit_records *e)
{
    union message m;
    e->lost = !ask_for_all_cpus(e, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK);
    for (;;) {
        ssize_t n = recv(e->fd, &m, sizeof m, MSG_DONTWAIT | MSG_TRUNC);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0 && errno != EINTR && errno != ENOBUFS) {
            e->lost = true;
            return;
        }
        if (n < 0)
            e->lost |= errno == ENOBUFS;
        else if (m.header.nlmsg_type == e->family)
            e->lost |= n > (ssize_t)sizeof m || !exit_records_add(e, &m, (size_t)n);
    }
}

void exit_records_finish(struct exit_records *e)
{
    if (e->fd >= 0)
        close(e->fd);
    free(e->records);
    *e = (struct exit_records){.fd = -1};
}

static int by_task(const void *a, const void *b)
{
    int x = ((const struct exit_record *)a)->task, y = ((const struct exit_record *)b)->task;
    return (x > y) - (x < y);
}

static void mark_tree(struct exit_records *e, int helper)
{
    bool more = true;
    qsort(e->records, (size_t)e->n, sizeof *e->records, by_task);
    while (more) {
        more = false;
        for (struct exit_record *r = e->records; r < e->records + e->n; r++) {
            const struct exit_record key = {.task = r->parent};
            const struct exit_record *parent = bsearch(&key, e->records, (size_t)e->n, sizeof key, by_task);
            if (r->in_tree || !(r->parent == helper || (parent && parent->in_tree)))
                continue;
            r->in_tree = more = true;
        }
    }
}

static void add_task(struct tree_waits *w, double delay_ns, double others_ns)
{
    w->most_ns += delay_ns;
    w->least_ns += fmax(0, delay_ns - fmax(0, others_ns));
}

struct tree_waits exit_records_sum(struct exit_records *e, int helper, const struct tree_root *root)
{
    struct tree_waits w = {0};
    double run_ns = 0;
    int64_t forced = 0;
    if (e->lost || !e->n)
        return w;
    mark_tree(e, helper);
    for (const struct exit_record *r = e->records; r < e->records + e->n; r++) {
        run_ns += r->in_tree ? r->run_ns : 0;
        forced += r->in_tree ? r->forced : 0;
    }
    const double cpu_ns = fmax(run_ns, root->cpu_ns); /* the one misses parts of ticks, the other who was not waited for */
    for (const struct exit_record *r = e->records; r < e->records + e->n; r++)
        if (r->task == root->task) {
            w.known = true;
            add_task(&w, root->delay_ns, cpu_ns - root->run_ns);
        } else if (r->in_tree) {
            add_task(&w, r->delay_ns, cpu_ns - r->run_ns);
        }
    if (forced < root->forced)
        w.most_ns = NAN;
    return w;
}

static int64_t slices_between(const char *before, const char *after)
{
    return task_schedstat_slices(after) - task_schedstat_slices(before);
}

/* The program had ended, and the one who reads the clock waited for a CPU, never longer than is otherwise unaccounted for. Where it got a CPU more than
 * once, it had lost the first before it slept, and where the program slept, too (it got one more often than it lost one), nobody knows how much of what is
 * unaccounted for that leaves: nothing at least. */
static double waiter_delay(const struct spawn_block *b, double unaccounted_ns)
{
    int64_t run, before, after;
    if (!task_schedstat_read(b->waiter_schedstat[0], &run, &before) || !task_schedstat_read(b->waiter_schedstat[1], &run, &after))
        return NAN;
    const bool earlier = slices_between(b->waiter_schedstat[0], b->waiter_schedstat[1]) > 1,
               slept = slices_between(b->setup_schedstat, b->child_schedstat) > b->ctx_involuntary;
    return earlier && slept ? 0 : fmax(0, fmin((double)(after - before), unaccounted_ns));
}

bool task_account_root(const struct spawn_block *b, struct tree_root *root)
{
    int64_t run, delay, setup_run, setup_delay;
    if (!task_schedstat_read(b->child_schedstat, &run, &delay) ||
        !task_schedstat_read(b->setup_schedstat, &setup_run, &setup_delay))
        return false;
    *root = (struct tree_root){.task = b->ended,
                               .run_ns = (double)(run - b->setup_cpu_ns),
                               .delay_ns = (double)(delay - setup_delay),
                               .cpu_ns = (double)(b->user_us + b->sys_us) * 1000,
                               .forced = b->ctx_involuntary};
    return true;
}

void task_account_take(const struct spawn_block *b, struct plat_child_result *r)
{
    int64_t run, delay;
    struct tree_root root;
    r->run_ns = r->delay_ns = NAN;
    r->whole = false;
    r->first_cpu = b->first_cpu;
    r->last_cpu = b->stayed ? b->first_cpu : task_stat_cpu(b->child_stat);
    if (!task_schedstat_read(b->child_schedstat, &run, &delay))
        return;
    r->whole = spawn_speaks_for_all(b, run);
    r->run_ns = (double)(run - b->setup_cpu_ns);
    if (task_account_root(b, &root)) {
        const double rest = (double)(r->end_ns - r->start_ns) - root.run_ns;
        /* The account is read before the start: a wait between the two is none of the program's. */
        r->delay_ns = fmin(root.delay_ns, fmax(0, rest));
        r->delay_ns += waiter_delay(b, rest - r->delay_ns);
    }
}
