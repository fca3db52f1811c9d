// profile.cc - counts the cost of each line's memory accesses on a device.
//
// A device handles the loads of a warp's 32 threads together. Their cost depends on the
// addresses:
//
//   global   memory moves in sectors of 32 bytes: as many transactions as sectors are touched
//   shared   32 banks, each 4 bytes wide, deliver one word in a turn: as many turns as there
//            are different words in the most wanted bank (8-byte accesses go in two halves of
//            the warp, 16-byte ones in four quarters)
//
// The simulator runs threads one after the other, so it groups the accesses of a warp
// afterwards: a thread's n-th access at a position belongs to its neighbors' n-th access
// there. If threads take different branches, this is an approximation.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

bool profile_on;

enum { MAX_SITES = 512, SECTOR = 32, BANKS = 32, WORD = 4 };

struct group { // one access of a warp
    uint32_t lanes;
    uintptr_t offset[WARP];
};

struct series { // the accesses of a warp at one position, in a block
    struct group *list;
    size_t count, room;
};

struct site {
    const void *pc;
    const char *kernel;
    bool shared, store, atomic;
    size_t bytes;
    uint32_t times[MAX_THREADS]; // accesses by each thread in this block
    struct series warp[MAX_WARPS];
    uint64_t accesses, lanes, transactions, ideal;
    long stride;
};

static struct site *sites[MAX_SITES];
static size_t site_count;
static struct gpu_profile_line *lines;

// ---- collecting ---------------------------------------------------------------------------

// Two kernels may call the function that contains the access.
static struct site *site_of(const void *pc, bool shared, enum access_kind kind,
                            size_t bytes)
{
    size_t i = 0;
    while (i < site_count &&
           !(sites[i]->pc == pc && sites[i]->shared == shared &&
             sites[i]->store == (kind != ACCESS_READ) &&
             strcmp(sites[i]->kernel, launch.configuration->kernel) == 0)) {
        i++;
    }
    if (i == site_count) {
        if (site_count == MAX_SITES) {
            return NULL;
        }
        sites[i] = (struct site *)calloc(1, sizeof *sites[i]);
        if (sites[i] == NULL) {
            return NULL;
        }
        site_count++;
        sites[i]->pc = pc;
        sites[i]->kernel = launch.configuration->kernel;
        sites[i]->shared = shared;
        sites[i]->store = kind != ACCESS_READ;
        sites[i]->atomic = kind == ACCESS_ATOMIC;
        sites[i]->bytes = bytes;
    }
    return sites[i];
}

static struct group *group_at(struct series *series, size_t n)
{
    if (n >= series->room) {
        size_t room = n < 16 ? 32 : 2 * n;
        void *list = realloc(series->list, room * sizeof *series->list);
        if (list == NULL) {
            return NULL;
        }
        series->list = (struct group *)list;
        series->room = room;
    }
    while (series->count <= n) {
        series->list[series->count++].lanes = 0;
    }
    return &series->list[n];
}

void profile_access(uintptr_t offset, size_t bytes, enum access_kind kind, const void *pc)
{
    struct site *site = site_of(pc, is_shared(offset), kind, bytes);
    if (site == NULL) {
        return;
    }
    struct group *group =
        group_at(&site->warp[block.running / WARP], site->times[block.running]++);
    if (group != NULL) {
        group->lanes |= 1u << block.running % WARP;
        group->offset[block.running % WARP] = offset;
    }
}

// ---- counting -----------------------------------------------------------------------------

// Adds the numbers first .. last to a small set. Returns its new size.
static size_t insert(uintptr_t *set, size_t count, uintptr_t first, uintptr_t last)
{
    for (uintptr_t x = first; x <= last; x++) {
        size_t i = 0;
        while (i < count && set[i] != x) {
            i++;
        }
        set[i] = x;
        count += i == count;
    }
    return count;
}

enum { MOST = WARP * 5 }; // 16 misaligned bytes touch at most five words

static void count_global(struct site *site, const struct group *g)
{
    uintptr_t sectors[MOST], words[MOST];
    size_t sector_count = 0, word_count = 0;
    for (unsigned l = 0; l < WARP; l++) {
        if ((g->lanes >> l & 1) != 0) {
            uintptr_t last = g->offset[l] + site->bytes - 1;
            sector_count =
                insert(sectors, sector_count, g->offset[l] / SECTOR, last / SECTOR);
            word_count = insert(words, word_count, g->offset[l] / WORD, last / WORD);
        }
    }
    site->transactions += sector_count;
    site->ideal += (word_count * WORD + SECTOR - 1) / SECTOR;
}

static void count_shared(struct site *site, const struct group *g)
{
    unsigned together = site->bytes <= 4 ? 32 : site->bytes <= 8 ? 16 : 8;
    for (unsigned first = 0; first < WARP; first += together) {
        uintptr_t words[MOST];
        size_t count = 0, wanted[BANKS] = {0}, turns = 0;
        for (unsigned l = first; l < first + together; l++) {
            if ((g->lanes >> l & 1) != 0) {
                count = insert(words, count, g->offset[l] / WORD,
                               (g->offset[l] + site->bytes - 1) / WORD);
            }
        }
        for (size_t i = 0; i < count; i++) {
            size_t bank = words[i] % BANKS;
            wanted[bank]++;
            turns = wanted[bank] > turns ? wanted[bank] : turns;
        }
        site->transactions += turns;
        site->ideal += (count + BANKS - 1) / BANKS;
    }
}

// The distance between the addresses of neighboring threads in bytes.
static long stride_of(const struct group *g)
{
    for (unsigned l = 0; l + 1 < WARP; l++) {
        if ((g->lanes >> l & 3) == 3) {
            return (long)(g->offset[l + 1] - g->offset[l]);
        }
    }
    return 0;
}

void profile_end_block()
{
    for (size_t s = 0; s < site_count; s++) {
        struct site *site = sites[s];
        memset(site->times, 0, sizeof site->times);
        for (unsigned w = 0; w < MAX_WARPS; w++) {
            for (size_t i = 0; i < site->warp[w].count; i++) {
                const struct group *g = &site->warp[w].list[i];
                site->accesses++;
                site->lanes += (uint64_t)__builtin_popcount(g->lanes);
                site->stride = i == 0 && site->stride == 0 ? stride_of(g) : site->stride;
                if (site->shared) {
                    count_shared(site, g);
                } else {
                    count_global(site, g);
                }
            }
            site->warp[w].count = 0;
        }
    }
}

void profile_reset()
{
    for (size_t s = 0; s < site_count; s++) {
        for (unsigned w = 0; w < MAX_WARPS; w++) {
            free(sites[s]->warp[w].list);
        }
        free(sites[s]);
    }
    site_count = 0;
    free(lines);
    lines = NULL;
}

// ---- the result ---------------------------------------------------------------------------

static bool same_line(const struct gpu_profile_line *a, const struct gpu_profile_line *b)
{
    return a->line == b->line && a->shared == b->shared && a->store == b->store &&
           a->atomic == b->atomic && strcmp(a->file, b->file) == 0 &&
           strcmp(a->kernel, b->kernel) == 0;
}

static int most_wasteful_first(const void *left, const void *right)
{
    const struct gpu_profile_line *a = (const struct gpu_profile_line *)left,
                                  *b = (const struct gpu_profile_line *)right;
    uint64_t waste_a = a->transactions - a->ideal, waste_b = b->transactions - b->ideal;
    return waste_a != waste_b ? (waste_a < waste_b ? 1 : -1) : a->line - b->line;
}

static int most_wasteful_site_first(const void *left, const void *right)
{
    const struct site *a = *(struct site *const *)left, *b = *(struct site *const *)right;
    uint64_t waste_a = a->transactions - a->ideal, waste_b = b->transactions - b->ideal;
    return waste_a != waste_b ? (waste_a < waste_b ? 1 : -1)
                              : (a->pc > b->pc) - (a->pc < b->pc);
}

} // namespace gpu_runtime

using namespace gpu_runtime;

extern "C" void gpu_set_profile(bool on)
{
    profile_on = on;
}

extern "C" const struct gpu_profile_line *gpu_profile(size_t *count)
{
    *count = 0;
    free(lines);
    lines = (struct gpu_profile_line *)calloc(site_count + 1, sizeof *lines);
    // If a line has several accesses, uses the stride of the worst.
    qsort(sites, site_count, sizeof *sites, most_wasteful_site_first);
    for (size_t s = 0; lines != NULL && s < site_count; s++) {
        const struct site *site = sites[s];
        struct place place = place_of(site->pc);
        struct gpu_profile_line line = {site->kernel,   place.file,  place.line,
                                        site->shared,   site->store, site->atomic,
                                        site->accesses, site->lanes, site->transactions,
                                        site->ideal,    site->stride};
        size_t i = 0;
        while (i < *count && !same_line(&lines[i], &line)) {
            i++;
        }
        if (i == *count) {
            lines[(*count)++] = line;
        } else {
            lines[i].accesses += line.accesses;
            lines[i].lanes += line.lanes;
            lines[i].transactions += line.transactions;
            lines[i].ideal += line.ideal;
        }
    }
    if (lines != NULL) {
        qsort(lines, *count, sizeof *lines, most_wasteful_first);
    }
    return lines;
}

extern "C" struct gpu_traffic gpu_profile_traffic(const char *kernel)
{
    struct gpu_traffic traffic = {0, 0};
    for (size_t s = 0; s < site_count; s++) {
        const struct site *site = sites[s];
        if (!site->shared && (kernel == NULL || strcmp(site->kernel, kernel) == 0)) {
            const uint64_t bytes = SECTOR * site->transactions;
            traffic.read += !site->store || site->atomic ? bytes : 0;
            traffic.written += site->store ? bytes : 0;
        }
    }
    return traffic;
}

static double each(uint64_t total, const struct gpu_profile_line *line)
{
    return line->accesses == 0 ? 0 : (double)total / (double)line->accesses;
}

extern "C" void gpu_profile_advice(char *text, size_t room,
                                   const struct gpu_profile_line *line)
{
    const char *what = line->atomic ? "atomic" : line->store ? "store" : "load";
    char taken[32], least[32];
    snprintf(taken, sizeof taken, "%.3g", each(line->transactions, line));
    snprintf(least, sizeof least, "%.3g", each(line->ideal, line));
    bool one = strcmp(taken, "1") == 0;
    const char *unit = line->shared
                           ? (one ? "turn of shared memory" : "turns of shared memory")
                           : (one ? "transaction" : "transactions");
    if (strcmp(taken, least) == 0) {
        snprintf(text, room, "line %d: each warp's %s takes %s %s, the fewest possible",
                 line->line, what, taken, unit);
        return;
    }
    int length = snprintf(text, room,
                          "line %d: each warp's %s takes %s %s, and %s would be enough",
                          line->line, what, taken, unit, least);
    if (length < 0 || (size_t)length >= room) {
        return;
    }
    if (line->transactions < 2 * line->ideal) {
        const long step = line->stride; // of a float, a float2 or a float4
        if (!line->shared && (step == WORD || step == 2 * WORD || step == 4 * WORD)) {
            snprintf(text + length, room - (size_t)length,
                     " (coalesced; a row that begins between multiples of 32 bytes "
                     "takes one more)");
        }
        return;
    }
    if (line->shared && line->stride % (2 * WORD) != 0) { // the stride alone is harmless
        snprintf(text + length, room - (size_t)length,
                 " (bank conflict: some threads use different words of the same bank)");
    } else if (line->shared) {
        snprintf(text + length, room - (size_t)length,
                 " (bank conflict: neighboring threads are %ld bytes apart)",
                 line->stride);
    } else {
        snprintf(text + length, room - (size_t)length,
                 " (neighboring threads are %ld bytes apart)", line->stride);
    }
}
