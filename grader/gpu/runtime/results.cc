// results.cc - collects what the workers of parallel.h have written, and puts it together.
//
// Memory is divided into chunks of one page. A worker notes which chunks its blocks touch: in the
// checked build when an access changes a cell, in the plain build by closed pages, which the first
// write opens. Then it copies them to memory that it shares with the others:
//
//     worker 0   touched | 0 1 1 0 ... |   data | . chunk chunk . ... |   marks | . 1024 1024 . ... |
//     worker 1   touched | 0 0 1 1 ... |   ...
//
// A mark has, for each word, bits for what this worker did: it read or wrote it (only the checked build
// knows that), or changed it by atomics of 4 or of 8 bytes. In the checked build, the state's four bits
// for written follow. __device__ variables follow the other memory.
//
// A word that only one worker changed by atomics has that worker's value. If several did, its old
// value stays, and replay.cc does the atomics again.

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/runtime/parallel.h"
#include "gpu/runtime/rules.h"

namespace gpu_runtime
{

enum : size_t { WORDS = CHUNK / 4 };
enum : size_t { OPENED = 16 * CHUNK };           // by one fault of the plain build
enum : size_t { MOST_VARIABLES = 4096 * CHUNK }; // bytes of __device__ variables
enum : uint8_t {
    MARK_READ = 1,
    MARK_WRITTEN = 2,
    MARK_ATOMIC_4 = 4,
    MARK_ATOMIC_8 = 8,
    MARK_ATOMIC = MARK_ATOMIC_4 | MARK_ATOMIC_8,
    MARK_CHANGED = MARK_WRITTEN | MARK_ATOMIC,
    MARK_ANY = MARK_READ | MARK_CHANGED,
};

static struct {
    size_t used;      // chunks of device memory
    size_t chunks;    // with those of variables
    size_t variables; // bytes
    struct {
        uint8_t *touched;
        char *data;
        uint8_t *marks;
    } of[MAX_WORKERS];
    uint8_t *several; // for each word: several workers changed it by atomics
    char *memory;
    size_t bytes;
    uint32_t first_epoch; // of the worker
    unsigned self;
} results;

static size_t up_to(size_t bytes)
{
    return (bytes + CHUNK - 1) / CHUNK;
}

// The offset at which a chunk begins, and the bytes that it has.
static uintptr_t offset_of(size_t chunk)
{
    return chunk < results.used ? chunk * CHUNK
                                : GPU_VARIABLES_OFFSET + (chunk - results.used) * CHUNK;
}

static size_t size_of(size_t chunk)
{
    size_t rest = results.variables - (chunk - results.used) * CHUNK;
    return chunk < results.used || rest > CHUNK ? (size_t)CHUNK : rest;
}

bool results_prepare(unsigned workers)
{
    results.variables = memory_device_variables();
    if (results.variables > MOST_VARIABLES ||
        memory_variables() > results.variables + 63) {
        return false; // __managed__ variables are elsewhere
    }
    results.used = up_to(memory_end());
    results.chunks = results.used + up_to(results.variables);
    size_t each = up_to(results.chunks) * CHUNK + results.chunks * (CHUNK + WORDS);
    results.bytes = workers * each + results.chunks * WORDS;
    void *memory = mmap(NULL, results.bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    results.memory = (char *)memory;
    for (unsigned w = 0; w < workers; w++) {
        char *own = results.memory + w * each;
        char *data = own + up_to(results.chunks) * CHUNK;
        results.of[w] = {(uint8_t *)own, data, (uint8_t *)data + results.chunks * CHUNK};
    }
    results.several = (uint8_t *)results.memory + workers * each;
    return true;
}

void results_free()
{
    munmap(results.memory, results.bytes);
}

static size_t chunk_of(uintptr_t offset)
{
    return offset < GPU_VARIABLES_OFFSET
               ? offset / CHUNK
               : results.used + (offset - GPU_VARIABLES_OFFSET) / CHUNK;
}

static size_t word_of(uintptr_t offset)
{
    return chunk_of(offset) * WORDS + offset % CHUNK / 4;
}

static size_t words_of(size_t chunk)
{
    return (size_of(chunk) + 3) / 4;
}

// ---- in a worker --------------------------------------------------------------------------

#if GPU_CHECKED

void results_note(unsigned worker)
{
    results.self = worker;
    results.first_epoch = shadow.now + 1;
    shadow.touched = results.of[worker].touched;
}

void results_touch(uintptr_t offset)
{
    shadow.touched[chunk_of(offset)] = 1;
}

// Atomics have marks already.
static uint8_t mark_of(const struct cell *cell)
{
    uint32_t first = results.first_epoch;
    bool wrote =
        cell->write >> EPOCH_SHIFT >= first && (last_write(cell).flags & BY_ATOMIC) == 0;
    return (uint8_t)((wrote ? MARK_WRITTEN : 0) |
                     (cell->read >> EPOCH_SHIFT >= first ? MARK_READ : 0));
}

// Of the whole word, although its bytes have cells of their own.
static uint8_t mark_of_split(const struct cell *cell)
{
    uint8_t mark = 0;
    for (unsigned i = 0; i < 4; i++) {
        mark |= mark_of(shadow_part(cell, i));
    }
    return mark;
}

static void export_chunk(size_t chunk)
{
    auto *own = &results.of[results.self];
    uintptr_t offset = offset_of(chunk);
    memcpy(own->data + chunk * CHUNK, memory_at(offset), size_of(chunk));
    for (size_t i = 0; i < words_of(chunk); i++) {
        const struct cell *cell = &shadow.cells[offset / 4 + i];
        uint8_t mark = cell->write == CELL_SPLIT ? mark_of_split(cell) : mark_of(cell);
        own->marks[chunk * WORDS + i] |=
            (uint8_t)(mark | (shadow.state[offset / 4 + i] & STATE_WRITTEN));
    }
}

// An atomic takes the place of reads and writes in a cell, so their marks are set before.
static uint8_t mark_before_atomic(uintptr_t offset)
{
    const struct cell *cell = &shadow.cells[offset / 4];
    return cell->write == CELL_SPLIT ? mark_of_split(cell) : mark_of(cell);
}

#else

// A write to a closed page: opens it and some behind it.
static void on_write(int, siginfo_t *info, void *)
{
    uintptr_t offset = (uintptr_t)info->si_addr - GPU_BASE;
    const struct allocation *a = memory_find(info->si_addr);
    if (a == NULL || a->freed) {
        parallel_give_up();
    }
    uintptr_t from = offset / CHUNK * CHUNK, end = a->start + pages_whole(a->bytes);
    end = end - from > OPENED ? from + OPENED : end;
    if (results.of[results.self].touched[from / CHUNK] != 0 ||
        mprotect((void *)(GPU_BASE + from), end - from, PROT_READ | PROT_WRITE) != 0) {
        parallel_give_up();
    }
    memset(&results.of[results.self].touched[from / CHUNK], 1, (end - from) / CHUNK);
}

void results_note(unsigned worker)
{
    size_t count;
    const struct allocation *list = memory_list(&count);
    struct sigaction action = {};
    results.self = worker;
    action.sa_sigaction = on_write;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    bool good = sigaction(SIGSEGV, &action, NULL) == 0;
    for (size_t i = 0; i < count; i++) {
        good = good &&
               (list[i].freed || mprotect((void *)(GPU_BASE + list[i].start),
                                          pages_whole(list[i].bytes), PROT_READ) == 0);
    }
    if (!good) {
        parallel_give_up();
    }
    memset(results.of[worker].touched + results.used, 1, results.chunks - results.used);
}

static void export_chunk(size_t chunk)
{
    memcpy(results.of[results.self].data + chunk * CHUNK, memory_at(offset_of(chunk)),
           size_of(chunk));
}

static uint8_t mark_before_atomic(uintptr_t)
{
    return 0;
}

#endif

void results_atomic(uintptr_t offset, size_t bytes)
{
    uint8_t *marks = results.of[results.self].marks;
    if (chunk_of(offset) >=
        (offset < GPU_VARIABLES_OFFSET ? results.used : results.chunks)) {
        parallel_give_up(); // nothing is there
    }
    for (size_t i = 0; i < bytes; i += 4) {
        marks[word_of(offset + i)] |=
            (uint8_t)(mark_before_atomic(offset + i) |
                      (bytes == 8 ? MARK_ATOMIC_8 : MARK_ATOMIC_4));
    }
}

void results_export(unsigned worker)
{
    for (size_t chunk = GPU_GLOBAL_OFFSET / CHUNK; chunk < results.chunks; chunk++) {
        if (results.of[worker].touched[chunk] != 0) {
            export_chunk(chunk);
        }
    }
}

// ---- all of them --------------------------------------------------------------------------

bool results_several(uintptr_t offset)
{
    return results.several[word_of(offset)] != 0;
}

// Words that several workers changed by atomics get their old value. Returns false if a worker
// changed a word that another one used in another way.
static bool combine_atomics(size_t chunk, unsigned workers)
{
    uint8_t all[WORDS] = {0}, bad = 0, *several = results.several + chunk * WORDS;
    for (unsigned w = 0; w < workers; w++) {
        const uint8_t *marks = results.of[w].marks + chunk * WORDS;
        for (size_t i = 0; results.of[w].touched[chunk] != 0 && i < WORDS; i++) {
            uint8_t own = marks[i] & MARK_ANY, both = own | all[i];
            bool atomic = both == MARK_ATOMIC_4 || both == MARK_ATOMIC_8;
            bool meet = own != 0 && all[i] != 0;
            bad |= (uint8_t)(meet && (both & MARK_CHANGED) != 0 && !atomic);
            several[i] |= (uint8_t)(meet && atomic);
            all[i] = both;
        }
    }
    const char *before = (const char *)memory_at(offset_of(chunk));
    for (size_t i = 0; i < words_of(chunk); i++) {
        for (unsigned w = 0; several[i] != 0 && w < workers; w++) {
            memcpy(results.of[w].data + chunk * CHUNK + 4 * i, before + 4 * i, 4);
        }
    }
    return bad == 0;
}

#if GPU_CHECKED

// combine_atomics has seen all that happened.
static bool depend(size_t, unsigned)
{
    return false;
}

static void apply_of(size_t chunk, unsigned worker)
{
    const uint8_t *marks = results.of[worker].marks + chunk * WORDS;
    const char *data = results.of[worker].data + chunk * CHUNK;
    uintptr_t offset = offset_of(chunk);
    const struct allocation *near = memory_near(offset);
    bool managed = near != NULL && near->managed;
    for (size_t i = 0; i < words_of(chunk); i++) {
        if (managed) {
            shadow_note(offset + 4 * i, (marks[i] & MARK_READ) != 0,
                        (marks[i] & MARK_WRITTEN) != 0);
        }
        if ((marks[i] & MARK_CHANGED) != 0) {
            size_t left = size_of(chunk) - 4 * i;
            memcpy(memory_at(offset + 4 * i), data + 4 * i, left < 4 ? left : 4);
            shadow.state[offset / 4 + i] |= marks[i] & STATE_WRITTEN;
        }
    }
}

static void apply(size_t chunk, unsigned workers)
{
    for (unsigned w = 0; w < workers; w++) {
        if (results.of[w].touched[chunk] != 0) {
            apply_of(chunk, w);
        }
    }
}

#else

// Returns true if two workers left different new values in one byte.
static bool depend(size_t chunk, unsigned workers)
{
    const char *before = (const char *)memory_at(offset_of(chunk));
    for (unsigned w = 0; w < workers; w++) {
        for (unsigned v = w + 1; v < workers; v++) {
            const char *one = results.of[w].data + chunk * CHUNK,
                       *other = results.of[v].data + chunk * CHUNK;
            bool both =
                results.of[w].touched[chunk] != 0 && results.of[v].touched[chunk] != 0;
            for (size_t i = 0; both && i < size_of(chunk); i++) {
                if (one[i] != before[i] && other[i] != before[i] && one[i] != other[i]) {
                    return true;
                }
            }
        }
    }
    return false;
}

static void apply(size_t chunk, unsigned workers)
{
    char before[CHUNK], *now = (char *)memory_at(offset_of(chunk));
    memcpy(before, now, size_of(chunk));
    for (unsigned w = 0; w < workers; w++) {
        const char *data = results.of[w].data + chunk * CHUNK;
        for (size_t i = 0; results.of[w].touched[chunk] != 0 && i < size_of(chunk); i++) {
            now[i] = data[i] != before[i] ? data[i] : now[i];
        }
    }
}

#endif

static unsigned touched_by(size_t chunk, unsigned workers)
{
    unsigned count = 0;
    for (unsigned w = 0; w < workers; w++) {
        count += results.of[w].touched[chunk] != 0;
    }
    return count;
}

bool results_merge(unsigned workers)
{
    for (size_t chunk = GPU_GLOBAL_OFFSET / CHUNK; chunk < results.chunks; chunk++) {
        if (touched_by(chunk, workers) > 1 &&
            (!combine_atomics(chunk, workers) || depend(chunk, workers))) {
            return false;
        }
    }
    for (size_t chunk = GPU_GLOBAL_OFFSET / CHUNK; chunk < results.chunks; chunk++) {
        if (touched_by(chunk, workers) > 0) {
            apply(chunk, workers);
        }
    }
    return true;
}

} // namespace gpu_runtime
