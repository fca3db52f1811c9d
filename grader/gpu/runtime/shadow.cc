// shadow.cc - the complete checks of shadow.h; hooks.cc handles only the fast common case.

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/plural.h"
#include "gpu/runtime/parallel.h"
#include "gpu/runtime/rules.h"
#include "gpu/runtime/sample.h"

namespace gpu_runtime
{

struct shadow shadow;

// Cells of words that are accessed in parts: four for each.
static struct {
    struct cell (*list)[4];
    uint32_t count, room;
} pool;

#if GPU_CHECKED
static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("gpu simulator: cannot reserve the shadow memory");
        abort();
    }
    return memory;
}
#endif

void shadow_initialize()
{
    shadow.now = shadow.interval = shadow.waited = 1;
    shadow.last_epoch = EPOCH_LAST;
#if GPU_CHECKED
    shadow.state = (uint8_t *)reserve(GPU_SHADOW_SIZE / 4);
    shadow.touched = (uint8_t *)reserve(GPU_SIZE / CHUNK);
    shadow.cells = (struct cell *)reserve(GPU_SHADOW_SIZE / 4 * sizeof(struct cell));
#endif
}

// Cells need not be cleared, because their epochs are over. memory_reset marks those of
// allocations.
void shadow_reset()
{
#if GPU_CHECKED
    shadow.accesses = 0;
    shadow_next_epoch();
    shadow_mark(GPU_VARIABLES_OFFSET, memory_variables(), true, true);
#endif
}

void shadow_give_back()
{
#if GPU_CHECKED
    madvise(shadow.state, GPU_SHADOW_SIZE / 4, MADV_DONTNEED);
    madvise(shadow.cells, GPU_SHADOW_SIZE / 4 * sizeof(struct cell), MADV_DONTNEED);
    pool.count = 0;
#endif
}

// ---- epochs -------------------------------------------------------------------------------

// A launch of so many barriers takes an hour. What happened before is forgotten: races with it are
// missed, and none is invented.
static void forget_epochs()
{
    if (parallel_worker) {
        parallel_give_up();
    }
#if GPU_CHECKED
    madvise(shadow.cells, GPU_SHADOW_SIZE / 4 * sizeof(struct cell), MADV_DONTNEED);
    pool.count = 0;
#endif
    shadow.now = shadow.launch_first = shadow.block_first = shadow.interval = 1;
    shadow.waited = 1;
    publish_forget();
    launch_forget_blocks();
}

void shadow_next_epoch()
{
    shadow.restarts += shadow.now - shadow.interval;
    if (__builtin_expect(++shadow.now >= shadow.last_epoch, 0)) {
        forget_epochs();
    }
    shadow.interval = shadow.now;
}

void shadow_next_clocks()
{
    if (__builtin_expect(++shadow.now >= shadow.last_epoch, 0)) {
        shadow.restarts += shadow.now - shadow.interval;
        forget_epochs();
    }
    for (unsigned t = 0; t < launch.threads; t++) {
        block.lane_clock[t] = shadow_clock(shadow.now, 1);
    }
}

extern "C" void gpu_set_epochs(uint32_t epochs)
{
    runtime_initialize();
    shadow.last_epoch = epochs;
}

// ---- sites --------------------------------------------------------------------------------

static const void *far_sites[SITES_FAR];

// Their numbers stay the same. If there are too many, the position of some is unknown (NULL).
uint16_t shadow_far_site(const void *pc)
{
    uint32_t at = (uint32_t)((uintptr_t)pc * 0x9e3779b97f4a7c15 >> 51) % SITES_FAR;
    for (uint32_t tries = 0; tries < 64; tries++) {
        uint32_t i = (at + tries) % SITES_FAR;
        if (i != 0 && (far_sites[i] == NULL || far_sites[i] == pc)) {
            far_sites[i] = pc;
            return (uint16_t)(SITES_NEAR + i);
        }
    }
    return SITES_NEAR;
}

const void *shadow_pc(uint32_t site)
{
    return site < SITES_NEAR ? (const void *)(shadow.site_base + site)
                             : far_sites[site - SITES_NEAR];
}

// ---- states -------------------------------------------------------------------------------

[[maybe_unused]] static inline uint8_t state_bits(bool addressable, bool written,
                                                  unsigned bytes)
{
    return (uint8_t)((addressable ? bytes : 0) | (written ? bytes << 4 : 0));
}

void shadow_mark(uintptr_t offset, size_t bytes, bool addressable, bool written)
{
#if GPU_CHECKED
    uintptr_t end = offset + bytes;
    while (offset < end && (offset % 4 != 0 || end - offset < 4)) {
        uint8_t *state = &shadow.state[offset / 4], bit = (uint8_t)(1u << offset % 4);
        *state = (uint8_t)((*state & ~(bit | bit << 4)) |
                           state_bits(addressable, written, bit));
        offset++;
    }
    if (offset < end) {
        size_t words = (end - offset) / 4;
        memset(&shadow.state[offset / 4], state_bits(addressable, written, 0xf), words);
        shadow_mark(offset + 4 * words, end - offset - 4 * words, addressable, written);
    }
#else
    (void)offset, (void)bytes, (void)addressable, (void)written;
#endif
}

static inline bool byte_written(uintptr_t offset)
{
    return (shadow.state[offset / 4] >> (4 + offset % 4) & 1) != 0;
}

static inline bool byte_addressable(uintptr_t offset)
{
    return (shadow.state[offset / 4] >> offset % 4 & 1) != 0;
}

void shadow_copy(uintptr_t to, uintptr_t from, size_t bytes)
{
#if GPU_CHECKED
    if (to % 4 == from % 4 && to < from) { // whole words
        for (size_t i = 0; i < bytes; i++) {
            shadow_mark(to + i, 1, true, byte_written(from + i));
        }
        return;
    }
    for (size_t i = bytes; i-- > 0;) {
        shadow_mark(to + i, 1, true, byte_written(from + i));
    }
#else
    (void)to, (void)from, (void)bytes;
#endif
}

// ---- any access ---------------------------------------------------------------------------

// Constants of the program may be read from a kernel.
static bool read_only(uintptr_t address)
{
    struct search {
        uintptr_t address;
        bool found;
    } search = {address, false};
    dl_iterate_phdr(
        [](struct dl_phdr_info *info, size_t, void *data) {
            struct search *s = (struct search *)data;
            for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
                s->found =
                    s->found ||
                    (((segment->p_type == PT_LOAD && (segment->p_flags & PF_W) == 0) ||
                      segment->p_type == PT_GNU_RELRO) && // tables of virtual functions
                     s->address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz);
            }
            return s->found ? 1 : 0;
        },
        &search);
    return search.found;
}

static void access_host_memory(uintptr_t address, size_t bytes, enum access_kind kind,
                               const void *pc)
{
    if (!here.on_device || threads_own_stack(address) ||
        (kind == ACCESS_READ && address >= 4096 && read_only(address))) {
        return;
    }
    if (pinned_contains(address, bytes)) {
        if (parallel_worker && kind != ACCESS_READ) {
            parallel_give_up(); // its copy of host memory would be lost
        }
        return;
    }
    if (address < 4096) {
        finding_stop("null-pointer", pc, NULL,
                     "%s %zu byte%s through a null pointer.\n"
                     "Was the memory allocated, and the pointer passed to the launch?",
                     access_verb(kind), bytes, plural((double)bytes));
    }
    if (threads_any_stack(address)) {
        finding_stop(
            "host-pointer", pc, NULL,
            "%s %zu byte%s of another thread's local variable.\n"
            "Local variables belong to one thread, and their addresses mean nothing "
            "to others: share values in __shared__ memory, or by a shuffle.",
            access_verb(kind), bytes, plural((double)bytes));
    }
    finding_stop("host-pointer", pc, NULL,
                 "%s %zu byte%s of host memory (address %#zx).\n"
                 "A kernel can use device memory only: allocate it with cudaMalloc, "
                 "copy the data there with cudaMemcpy, and pass that pointer.",
                 access_verb(kind), bytes, plural((double)bytes), (size_t)address);
}

static struct cell *split(struct cell *cell)
{
    if (cell->write != CELL_SPLIT) {
        if (pool.count == pool.room) {
            pool.room = pool.room == 0 ? 4096 : 2 * pool.room;
            pool.list =
                (struct cell(*)[4])realloc(pool.list, pool.room * sizeof *pool.list);
            if (pool.list == NULL) {
                perror("gpu simulator");
                abort();
            }
        }
        for (int i = 0; i < 4; i++) {
            pool.list[pool.count][i] = *cell;
        }
        *cell = {CELL_SPLIT, 0, pool.count++, 0, 0, 0, 0};
    }
    return pool.list[cell->threads];
}

const struct cell *shadow_part(const struct cell *cell, unsigned byte)
{
    return &pool.list[cell->threads][byte];
}

static void check_cell(struct cell *cell, uintptr_t offset, enum access_kind kind,
                       const void *pc)
{
    if (kind == ACCESS_READ) {
        check_read(cell, offset, pc);
    } else if (kind == ACCESS_WRITE) {
        check_write(cell, offset, pc);
    } else {
        check_atomic(cell, offset, pc);
    }
}

static void forget_read(struct cell *cell)
{
    struct stamp first = first_read(cell), second = second_read(cell);
    if (mine(&second)) {
        race_read_before_swap(shadow_pc(second.site));
        cell->read &= ~READ_PAIR;
    }
    if (mine(&first)) {
        race_read_before_swap(shadow_pc(first.site));
        drop_first_read(cell);
    }
}

void shadow_forget_read(uintptr_t offset, size_t bytes)
{
    for (uintptr_t at = offset / 4; at <= (offset + bytes - 1) / 4; at++) {
        struct cell *cell = &shadow.cells[at];
        if (cell->write != CELL_SPLIT) {
            forget_read(cell);
            continue;
        }
        for (uintptr_t i = 0; i < 4; i++) {
            if (4 * at + i - offset < bytes) {
                forget_read(&split(cell)[i]);
            }
        }
    }
}

// ---- padding ------------------------------------------------------------------------------

// Whether the unwritten bytes of a structure can lie between its members: each run of them ends where a
// member with an alignment larger than the run may begin, or at the structure's end. An alignment divides
// the structure's size. They are less than half of it.
static bool fits_padding(uintptr_t offset, size_t bytes)
{
    size_t largest = bytes & -bytes, run = 0, sum = 0;
    largest = largest > 16 ? 16 : largest;
    for (size_t i = 0; i <= bytes; i++) {
        if (i < bytes && !byte_addressable(offset + i)) {
            return false;
        }
        if (i < bytes && !byte_written(offset + i)) {
            run++;
            sum++;
            continue;
        }
        size_t alignment = i == bytes ? largest : (i & -i);
        alignment = alignment > largest ? largest : alignment;
        if (run > 0 && (run == i || run >= alignment)) {
            return false;
        }
        run = 0;
    }
    return 2 * sum < bytes;
}

// Whether the same bytes are written in each structure of an array.
static bool all_alike(uintptr_t offset, size_t size, size_t count)
{
    for (size_t i = size; i < size * count; i++) {
        if (byte_written(offset + i) != byte_written(offset + i % size)) {
            return false;
        }
    }
    return true;
}

// Defined by the files of a program that have a structure of their own (gpu/translate/main.c).
extern "C" char gpu_has_structures __attribute__((weak));

bool shadow_only_padding(uintptr_t offset, size_t bytes)
{
    if (&gpu_has_structures == nullptr) {
        return false;
    }
    for (size_t size = 4; size <= 256 && size <= bytes; size += 2) {
        size_t count = bytes / size, few = count < 64 ? count : 64;
        if (bytes % size == 0 && all_alike(offset, size, few) &&
            all_alike(offset + bytes - size * few, size, few)) {
            return fits_padding(offset, size) && all_alike(offset, size, count);
        }
    }
    return false;
}

// A neighbor of which every byte is written shows that all bytes are members.
static bool all_written(uintptr_t offset, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (!byte_addressable(offset + i) || !byte_written(offset + i)) {
            return false;
        }
    }
    return true;
}

// A copy of a structure also reads its padding, which nobody writes.
static bool is_padding(uintptr_t offset, size_t bytes)
{
    return !finding_in_course && &gpu_has_structures != nullptr && bytes >= 4 &&
           bytes <= 256 && fits_padding(offset, bytes) &&
           !all_written(offset + bytes, bytes) &&
           !(offset >= bytes && all_written(offset - bytes, bytes));
}

void shadow_read_word(uintptr_t address, size_t bytes, size_t at, const void *pc)
{
    uintptr_t offset = address - GPU_BASE;
    if (!here.on_device || !is_padding(offset, bytes)) {
        shadow_access(address + at, 4, ACCESS_READ, pc);
        return;
    }
    for (size_t i = at; i < at + 4; i++) {
        if (byte_written(offset + i)) {
            shadow_access(address + i, 1, ACCESS_READ, pc);
        }
    }
}

static void check_state(uintptr_t offset, size_t bytes, enum access_kind kind,
                        const void *pc)
{
    for (size_t i = 0; i < bytes; i++) {
        if (!byte_addressable(offset + i)) {
            report_bounds(offset + i, bytes, kind, pc);
        }
    }
    for (size_t i = 0; i < bytes; i++) {
        if (kind == ACCESS_WRITE) {
            shadow.state[(offset + i) / 4] |= (uint8_t)(0x10u << (offset + i) % 4);
        } else if (!byte_written(offset + i)) {
            if (kind != ACCESS_READ || !is_padding(offset, bytes)) {
                note_unwritten(offset + i, bytes, pc);
            }
            return;
        }
    }
}

void shadow_count_as_written(uintptr_t address, size_t bytes)
{
    uintptr_t offset = memory_offset(address);
    for (size_t i = 0; GPU_CHECKED && here.on_device && offset != NOT_DEVICE && i < bytes;
         i++) {
        if (byte_addressable(offset + i)) {
            shadow.state[(offset + i) / 4] |= (uint8_t)(0x10u << (offset + i) % 4);
        }
    }
}

// ---- managed memory -----------------------------------------------------------------------

void shadow_waited()
{
    shadow.waited = shadow.now + 1;
}

void shadow_note(uintptr_t offset, bool read, bool written)
{
    struct cell *cell = &shadow.cells[offset / 4];
    bool is_split = cell->write == CELL_SPLIT;
    for (unsigned i = 0; i < (is_split ? 4u : 1u); i++) {
        struct cell *part = is_split ? &split(cell)[i] : cell;
        part->write = written ? shadow.now << EPOCH_SHIFT : part->write;
        part->read = read ? shadow.now << EPOCH_SHIFT : part->read;
    }
}

// Returns true if a kernel has used this byte for which host code has not waited. What a kernel
// changes atomically, the host may look at while the kernel runs.
static bool kernel_uses(uintptr_t offset, enum access_kind kind)
{
    const struct cell *cell = &shadow.cells[offset / 4];
    cell = cell->write == CELL_SPLIT ? shadow_part(cell, offset % 4) : cell;
    struct stamp write = last_write(cell);
    return (write.epoch >= shadow.waited && (write.flags & BY_ATOMIC) == 0) ||
           (kind != ACCESS_READ && cell->read >> EPOCH_SHIFT >= shadow.waited);
}

static void check_waited(uintptr_t offset, size_t bytes, enum access_kind kind,
                         const void *pc)
{
    bool uses = false;
    for (size_t i = 0; i < bytes; i++) {
        uses = uses || kernel_uses(offset + i, kind);
    }
    if (uses && !finding_in_course) {
        shadow_waited(); // reported once
        finding_go_on("managed-unfinished", pc, NULL,
                      "host code %s managed memory that a kernel %s, and no call has "
                      "waited for the kernel.\n"
                      "On a card it may still run: call cudaDeviceSynchronize() first.",
                      access_verb(kind), kind == ACCESS_READ ? "writes" : "uses");
    }
}

static void host_access(uintptr_t offset, size_t bytes, enum access_kind kind,
                        const void *pc)
{
    if (memory_managed_variable(offset)) {
        return;
    }
    host_turn_soon turn;
    const struct allocation *near = memory_near(offset);
    if (near != NULL && near->managed && !near->freed &&
        offset - near->start < near->bytes) {
        size_t room = near->start + near->bytes - offset;
        bytes = bytes < room ? bytes : room;
        check_waited(offset, bytes, kind, pc);
        shadow_mark(offset, bytes, true, true);
        return;
    }
    finding_stop("device-pointer", pc, NULL, "host code %s device memory.\n%s",
                 access_verb(kind), launcher_device_advice());
}

void shadow_access(uintptr_t address, size_t bytes, enum access_kind kind, const void *pc)
{
    uintptr_t offset = memory_offset(address);
    if (offset == NOT_DEVICE) {
        access_host_memory(address, bytes, kind, pc);
        return;
    }
    if (!here.on_device) {
        host_access(offset, bytes, kind, pc);
        return;
    }
    shadow.accesses++;
    check_state(offset, bytes, kind, pc);
#if GPU_CHECKED
    if (parallel_worker && !is_shared(offset)) {
        results_touch(offset);
        results_touch(offset + bytes - 1);
    }
#endif
    if (profile_on) {
        profile_access(offset, bytes, kind, pc);
    }
    for (uintptr_t end = offset + bytes; offset < end;) {
        struct cell *cell = &shadow.cells[offset / 4];
        if (offset % 4 == 0 && end - offset >= 4 && cell->write != CELL_SPLIT) {
            check_cell(cell, offset, kind, pc);
            offset += 4;
        } else {
            check_cell(&split(cell)[offset % 4], offset, kind, pc);
            offset++;
        }
    }
}

} // namespace gpu_runtime
