/* SPDX-License-Identifier: MIT
 *
 * Caches of the first CPU of each class, from /sys or else CPUID, and the memory nodes.
 */
#include "identity_reader.h"
#include <string.h>

enum { INDICES_MAX = 8, CACHES_MAX = 32 };

/* ---- /sys/devices/system/cpu/cpuN/cache/indexM ---- */

struct index {
    struct reader *r;
    char path[128];
    size_t folder; /* length of the path up to the file's name */
};

static const char *path_of(struct index *at, const char *file)
{
    struct buf b = buf_over(at->path + at->folder, sizeof at->path - at->folder);
    buf_str(&b, file);
    return at->path;
}

static struct index index_of(struct reader *r, int cpu, int index)
{
    struct index at = {.r = r};
    struct buf b = buf_over(at.path, sizeof at.path);
    buf_format(&b, "/sys/devices/system/cpu/cpu%d/cache/index%d/", cpu, index);
    at.folder = b.len;
    return at;
}

static struct identity_number positive(struct index *at, const char *file)
{
    int64_t n;
    return reader_number(at->r, path_of(at, file), &n) && n > 0 ? number_known(n) : number_unknown("the system does not say");
}

static bool read_type(struct index *at, enum identity_cache_type *out)
{
    const char *text = reader_file_start(at->r, path_of(at, "type"), 64);
    if (!text)
        return false;
    *out = text[0] == 'D' ? CACHE_DATA : text[0] == 'I' ? CACHE_INSTRUCTION : CACHE_UNIFIED;
    return text[0] == 'D' || text[0] == 'I' || text[0] == 'U';
}

/* "48K", "36608K", "1M" */
static bool read_size(struct index *at, int64_t *bytes)
{
    const char *p = reader_file_start(at->r, path_of(at, "size"), 64);
    if (!p || !read_whole_number(&p, bytes) || *bytes <= 0 || *bytes > (int64_t)1 << 30)
        return false;
    if (*p == 'K' || *p == 'M')
        *bytes *= *p++ == 'K' ? 1024 : 1024 * 1024;
    return !p[strspn(p, " \n")];
}

static bool read_index(struct reader *r, int cpu, int index, const struct cpu_list *online, struct identity_cache *out)
{
    struct index at = index_of(r, cpu, index);
    struct cpu_list sharing;
    int64_t level;
    if (!reader_number(r, path_of(&at, "level"), &level) || level < 1 || level > 9 || !read_type(&at, &out->type) ||
        !read_size(&at, &out->bytes))
        return false;
    out->level = (int)level;
    out->line_bytes = positive(&at, "coherency_line_size");
    out->ways = positive(&at, "ways_of_associativity");
    out->shared_by = number_unknown("the system does not say");
    if (reader_list(r, path_of(&at, "shared_cpu_list"), &sharing) && cpu_list_has(&sharing, cpu)) {
        cpu_list_keep(&sharing, online);
        out->shared_by = number_known(cpu_list_count(&sharing));
    }
    return true;
}

static int caches_of_cpu(struct reader *r, int cpu, const struct cpu_list *online, struct identity_cache *out, int room)
{
    int n = 0;
    for (int index = 0; index < INDICES_MAX && n < room; index++)
        n += read_index(r, cpu, index, online, &out[n]);
    return n;
}

/* ---- CPUID leaf 4 (Intel), 8000001DH (AMD, the same form) ---- */

static int caches_by_instruction(struct reader *r, struct identity_cache *out, int room)
{
    int n = 0;
    uint32_t regs[4], leaf = r->max_leaf >= 4 ? 4 : 0x8000001d;
    reader_cpuid(r, leaf, 0, regs);
    if (!(regs[0] & 31))
        leaf = 0x8000001d;
    for (uint32_t index = 0; index < INDICES_MAX && n < room; index++) {
        reader_cpuid(r, leaf, index, regs);
        uint32_t type = regs[0] & 31;
        if (type == 0)
            break;
        /* Fields as wide as these can be made by a hypervisor that lies: sets and level are held to what could be built. */
        bool possible = type <= 3 && regs[2] < 1u << 25 && (regs[0] >> 5 & 7) > 0;
        int64_t line = (regs[1] & 0xfff) + 1, partitions = (regs[1] >> 12 & 0x3ff) + 1, ways = (regs[1] >> 22) + 1;
        if (!possible)
            continue;
        out[n++] = (struct identity_cache){
            .level = (int)(regs[0] >> 5 & 7),
            .type = type == 1   ? CACHE_DATA
                    : type == 2 ? CACHE_INSTRUCTION
                                : CACHE_UNIFIED,
            .bytes = line * partitions * ways * ((int64_t)regs[2] + 1),
            .line_bytes = number_known(line),
            .ways = number_known(ways),
            .shared_by = number_unknown("CPUID gives an upper bound only"),
        };
    }
    return n;
}

/* ---- all ---- */

static bool comes_before(const struct identity_cache *a, const struct identity_cache *b)
{
    return a->level != b->level ? a->level < b->level : a->type < b->type;
}

static void sort(struct identity_cache *caches, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && comes_before(&caches[j], &caches[j - 1]); j--) {
            struct identity_cache other = caches[j];
            caches[j] = caches[j - 1];
            caches[j - 1] = other;
        }
}

static void all_online(const struct identity *id, struct cpu_list *out)
{
    *out = (struct cpu_list){{0}};
    for (int i = 0; i < id->n_classes; i++)
        for (int w = 0; w < CPU_LIST_MAX / 64; w++)
            out->words[w] |= id->classes[i].cpus.words[w];
}

void identity_caches(struct reader *r, struct identity *id)
{
    struct cpu_list online;
    struct identity_cache *caches = arena_array(r->arena, CACHES_MAX, sizeof *caches);
    r->no_memory |= !caches;
    if (!caches)
        return;
    all_online(id, &online);
    int n = 0;
    for (int c = 0; c < id->n_classes; c++) {
        int first = cpu_list_next(&id->classes[c].cpus, 0);
        int added = first >= 0 ? caches_of_cpu(r, first, &online, caches + n, CACHES_MAX - n) : 0;
        for (int i = 0; i < added; i++)
            caches[n + i].of_class = c;
        sort(caches + n, added);
        n += added;
    }
    if (n == 0 && id->n_classes <= 1) /* the instruction speaks of the core that it runs on */
        sort(caches, n = caches_by_instruction(r, caches, CACHES_MAX));
    id->caches = caches;
    id->n_caches = n;
    id->caches_unknown = n > 0 ? NULL : "the system does not say";
}

/* ---- memory nodes ---- */

static struct identity_text cpus_of_node(struct reader *r, int number)
{
    char path[128];
    struct cpu_list cpus;
    struct buf b = buf_over(path, sizeof path);
    buf_format(&b, "/sys/devices/system/node/node%d/cpulist", number);
    if (!reader_list(r, path, &cpus))
        return text_unknown("the system does not say");
    struct buf text = BUF_INIT(1 << 16);
    cpu_list_write(&text, &cpus);
    return text_of_buf(r, &text);
}

void identity_nodes(struct reader *r, struct identity *id)
{
    struct cpu_list nodes;
    int n = reader_list(r, "/sys/devices/system/node/online", &nodes) ? cpu_list_count(&nodes) : 0;
    if (n == 0) {
        id->numa_nodes = number_unknown("the kernel does not report memory nodes");
        return;
    }
    id->numa_nodes = number_known(n);
    id->nodes = arena_array(r->arena, IDENTITY_NODES_LISTED, sizeof *id->nodes);
    r->no_memory |= !id->nodes;
    for (int node = cpu_list_next(&nodes, 0); node >= 0 && id->nodes && id->n_nodes < IDENTITY_NODES_LISTED;
         node = cpu_list_next(&nodes, node + 1))
        id->nodes[id->n_nodes++] = (struct identity_node){.number = node, .cpus = cpus_of_node(r, node)};
}
