/* SPDX-License-Identifier: MIT
 *
 * Control points: what programs call by hand.
 */
#include "buf.h"
#include "point_state.h"
#include "sized.h"
#include <string.h>

/* NULL: nothing of this is to be written now. */
static struct tare_trace_thread *writing_thread(void)
{
    struct tare_trace_thread *t = plat_trace_thread();
    return point_thread_here(t) && point_writes() ? t : NULL;
}

void tare_point_break(void)
{
    struct point_thread *own = point_thread_here(plat_trace_thread());
    struct tare_trace_thread *t = writing_thread();
    if (own)
        own->chain.last = 0;
    if (t)
        point_control(t, CONTROL_BREAK, NULL, 0);
}

/* Where arcs are added up, the last point of each lane that no thread works on at the moment. Whole and swapped by one frame at a time: a lane
 * belongs to one thread at once. */
enum { LANES = 1 << 14, LOOKED_AT = 64 };
static struct lane {
    _Atomic uint64_t id; /* 0: free */
    uint32_t instance, epoch, last_point;
    bool timed;
    uint64_t last_tick;
} * lanes;

/* NULL: there are too many about its place; who looked at all of them would take longer than the work on the lane. */
static struct lane *lane_of(uint64_t id)
{
    for (uint32_t i = 0, at = (uint32_t)(id * UINT64_C(0x9E3779B97F4A7C15) >> 50); i < LOOKED_AT; i++, at = (at + 1) % LANES) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&lanes[at].id, &there, id) || there == id)
            return &lanes[at];
    }
    return NULL;
}

static bool lanes_made(void)
{
    point_lock();
    if (!lanes)
        lanes = plat_pages(LANES * sizeof *lanes);
    point_unlock();
    return lanes != NULL;
}

/* Signals are off. A lane that finds no place begins a new chain each time. */
static void swap_lane(struct point_thread *own, uint64_t to)
{
    struct lane *left = own->lane ? lane_of(own->lane) : NULL, *next = to ? lane_of(to) : NULL;
    if (next && (next->instance != own->instance ||
                 next->epoch != own->epoch)) /* of a parent, or of other modes, which may not have read the clock */
        next->last_point = 0;
    if (left) {
        left->instance = own->instance;
        left->epoch = own->epoch;
        left->last_point = own->chain.last;
        left->timed = point_timed(own);
        left->last_tick = own->last_tick;
    } else if (!own->lane) {
        own->home_point = own->chain.last;
        own->home_timed = point_timed(own);
        own->home_tick = own->last_tick;
    }
    own->chain.last = next ? next->last_point : to ? 0 : own->home_point;
    own->last_tick = next ? next->last_tick : to ? 0 : own->home_tick;
    point_set_timed(own, !own->chain.last || (next ? next->timed : own->home_timed));
}

/* some group's passes are added up, or all, as there is no more room */
static bool point_adds(void)
{
    if (point_group_in(TRACE_COUNT) >= 0 || point_group_in(TRACE_AGGREGATE) >= 0 || point_group_in(TRACE_BURST) >= 0)
        return true;
    return atomic_load_explicit(&point_shared()->full, memory_order_relaxed);
}

void tare_lane(uint64_t lane)
{
    struct point_thread *own = point_thread_here(plat_trace_thread());
    struct plat_quiet quiet;
    if (!own)
        return;
    if (point_adds()) {
        plat_quiet_begin(&quiet);
        if (lanes_made())
            swap_lane(own, lane);
        plat_quiet_end(&quiet);
    }
    own->lane = lane;
    struct tare_trace_thread *t = writing_thread();
    if (t)
        point_control(t, CONTROL_LANE, &lane, 1);
}

/* The word, how many follow, the text filled with zeros. */
static void write_text(enum trace_id id, const char *text)
{
    enum { WORDS = 127 };
    uint64_t data[1 + WORDS] = {0};
    struct tare_trace_thread *t = writing_thread();
    if (!t || !text)
        return;
    size_t n = strlen(text);
    n = n < 8 * WORDS ? n : 8 * WORDS;
    data[0] = (n + 7) / 8;
    memcpy(data + 1, text, n);
    point_control(t, id, data, (uint32_t)data[0] + 1);
}

void tare_mark(const char *text)
{
    write_text(CONTROL_MARK, text);
}

void tare_trace_thread_name(const char *name)
{
    struct point_thread *own = point_thread_here(plat_trace_thread());
    if (own && name)
        strncpy(own->name, name, sizeof own->name - 1);
    write_text(CONTROL_THREAD_NAME, name);
}

void tare_trace_modes(uint32_t groups, enum tare_trace_mode mode)
{
    struct plat_quiet quiet;
    if ((int)mode < TRACE_OFF || (int)mode >= TRACE_MODES)
        return;
    plat_quiet_begin(&quiet);
    point_decide();
    point_lock();
    for (int g = 0; g < TRACE_GROUPS; g++)
        if (groups >> g & 1)
            __atomic_store_n(&point_process.modes[g], (uint8_t)mode, __ATOMIC_RELAXED);
    point_modes_set();
    point_unlock();
    plat_quiet_end(&quiet);
}

enum tare_status tare_trace_start(const struct tare_trace_options *options, struct tare_err *err)
{
    struct tare_trace_options o = {0};
    const char *wrong = options ? sized_read(&o, sizeof o, offsetof(struct tare_trace_options, limit_bytes), options) : NULL;
    if (wrong)
        return err_set(err, TARE_INVALID, "options of a trace %s", wrong);
    if (!o.folder || !trace_folder_is_absolute(o.folder) || strlen(o.folder) > TRACE_FOLDER_MAX || strchr(o.folder, '\n'))
        return err_set(err, TARE_INVALID, "traces need the absolute path of a folder");
    if ((int)o.mode < TRACE_OFF || (int)o.mode >= TRACE_MODES)
        return err_set(err, TARE_INVALID, "%d is no mode of traces", (int)o.mode);
    struct trace_request q = trace_request_default(o.folder);
    q.mode = (enum trace_mode)o.mode;
    q.limit_bytes = o.limit_bytes ? o.limit_bytes : q.limit_bytes;
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    point_decide();
    int error = 0;
    bool begun = point_start(&q, &error);
    plat_quiet_end(&quiet);
    if (!begun)
        return err_set(err, TARE_BUSY, "this process is traced already");
    return error ? err_set(err, TARE_IO, "cannot make a trace in %s: error %d of the system", o.folder, error) : TARE_OK;
}

void tare_trace_stop(void)
{
    tare_trace_modes(UINT32_MAX, TARE_TRACE_OFF);
}

void tare_trace_flush(void)
{
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    if (point_thread_here(plat_trace_thread()))
        plat_window_sync(&point_process.window, 0, __atomic_load_n(&point_process.head->units, __ATOMIC_RELAXED) * TRACE_UNIT);
    plat_quiet_end(&quiet);
}
