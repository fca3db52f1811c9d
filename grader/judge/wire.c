// wire.c - lays out the arena and the two files (worker/protocol.h), writes the request and reads the
// answer. Start reading at plan_case.

#define _GNU_SOURCE
#include "judge/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "cases/sizes.h"

_Static_assert((int)PROTOCOL_TENSORS == (int)MAX_TENSORS, "one number of tensors");
_Static_assert((int)PROTOCOL_DIMS == (int)MAX_DIMS, "one number of sizes");

// Wide enough that one row too many lands in a guard zone.
enum { GUARD = 1024, STARTS = 7 };

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

// Varies the addresses, so that a pointer kept from an earlier call does not find this
// call's tensors.
static uint64_t first_guard(const struct test_case *test)
{
    return GUARD + test->drawn_from % STARTS * (2 * ARENA_ALIGNMENT);
}

// Places the tensors of one side (inputs, or the rest), each between two guard zones.
static uint64_t place(struct call_record *call, const struct test_case *test, bool inputs,
                      uint64_t start)
{
    uint64_t at = start + first_guard(test);
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor_is_written(tensor) == inputs) {
            continue;
        }
        if (tensor->spec->role == WITHHELD) {
            call->offset[i] = ARENA_ABSENT;
            continue;
        }
        call->bytes[i] = tensor->count * tensor->element_size;
        call->offset[i] = tensor->absent ? ARENA_ABSENT : at;
        at = round_up(at + call->bytes[i] + GUARD, ARENA_ALIGNMENT);
    }
    return round_up(at, ARENA_PAGE) - start;
}

static struct call_record plan_case(const struct test_case *test)
{
    struct call_record call = {.tensors = (uint32_t)test->tensors};
    for (size_t i = 0; i < test->dims; i++) {
        call.dim[i] = size_sent(test, i);
    }
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        const bool given = tensor->data != NULL;
        const bool sent = given || test->contents == KEPT;
        call.given |= (uint64_t)given << i;
        call.judged |= (uint64_t)tensor_is_judged(tensor) << i;
        call.sent |= (uint64_t)(sent && !tensor->absent && tensor->spec->role != WITHHELD)
                     << i;
        call.element[i] = (uint8_t)tensor->element_size;
    }
    call.contents = test->contents == KEPT ? POISONED : test->contents;
    call.repeats = test->repeats;
    call.failing = test->failing;
    call.extreme = test->gpu_only;
    call.launch_only = !test->launch_only  ? ALL_KERNELS
                       : test->most        ? NO_WORK
                       : test->beyond == 0 ? SOME_BLOCKS
                                           : NO_KERNELS;
    call.input_bytes = place(&call, test, true, 0);
    call.output_bytes = place(&call, test, false, call.input_bytes);
    return call;
}

static size_t count_cases(const struct wire_part *parts, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += parts[i].cases.count;
    }
    return sum;
}

static size_t count_before_attempts(const struct wire_part *parts, size_t count)
{
    size_t p = 0;
    while (p < count && !parts[p].attempt) {
        p++;
    }
    return count_cases(parts, p);
}

struct sizes {
    uint64_t request, first, answer; // first: struct request's first_bytes
};

static size_t count_repeats(const struct call_record *call)
{
    size_t count = 0;
    for (size_t c = KEPT; c < CONTENTS; c++) {
        count += call->repeats >> c & 1;
    }
    return count;
}

// The places of the repeats' results, after all results of first calls.
static uint64_t plan_repeats(struct call_record *records, size_t calls, uint64_t first)
{
    uint64_t again = 0;
    for (size_t k = 0; k < calls; k++) {
        records[k].again = again;
        again += count_repeats(&records[k]) *
                 call_results_before(&records[k], records[k].tensors);
    }
    return first + again;
}

// The records of all cases, with their offsets in the two files.
static struct call_record *plan(const struct wire_part *parts, size_t count,
                                struct sizes *sizes)
{
    size_t calls = count_cases(parts, count), k = 0;
    struct call_record *records = grader_alloc(calls * sizeof *records);
    uint64_t request =
        round_up(sizeof(struct request) + calls * sizeof *records, ARENA_PAGE);
    uint64_t answer = round_up(calls * sizeof(struct answer), ARENA_PAGE);
    for (size_t p = 0; p < count; p++) {
        for (size_t c = 0; c < parts[p].cases.count; c++) {
            struct call_record *call = &records[k++];
            *call = plan_case(&parts[p].cases.cases[c]);
            call->entry = parts[p].entry;
            call->request = request;
            call->answer = answer;
            request += call_sent_before(call, call->tensors);
            answer += call_results_before(call, call->tensors);
        }
    }
    *sizes = (struct sizes){.request = request, .first = round_up(answer, ARENA_PAGE)};
    sizes->answer = plan_repeats(records, calls, sizes->first);
    return records;
}

static int memory_file(const char *name, uint64_t size)
{
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0 || ftruncate(descriptor, (off_t)size) != 0) {
        grader_fail("memory file: %s", strerror(errno));
    }
    return descriptor;
}

static const char *map(int descriptor, uint64_t size)
{
    void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
        grader_fail("mmap: %s", strerror(errno));
    }
    return memory;
}

// Written from a buffer, not mapped: another thread's fork would briefly hold a copy
// of a writable mapping, and a file with a writable mapping cannot be sealed.
static void write_file(int descriptor, const char *bytes, uint64_t size)
{
    while (size > 0) {
        ssize_t wrote = write(descriptor, bytes, size);
        if (wrote < 0 && errno != EINTR) {
            grader_fail("memory file: %s", strerror(errno));
        }
        if (wrote > 0) {
            bytes += wrote;
            size -= (uint64_t)wrote;
        }
    }
}

static void write_head(int descriptor, const struct call_record *records, size_t calls,
                       const struct request *request)
{
    const size_t bytes = calls * sizeof *records, whole = sizeof *request + bytes;
    char *head = grader_alloc(round_up(whole, ARENA_PAGE));
    memcpy(head, request, sizeof *request);
    memcpy(head + sizeof *request, records, bytes);
    write_file(descriptor, head, round_up(whole, ARENA_PAGE));
    free(head);
}

static size_t most_sent(const struct call_record *records, size_t calls)
{
    size_t most = 0;
    for (size_t k = 0; k < calls; k++) {
        size_t bytes = call_sent_before(&records[k], records[k].tensors);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void write_tensors(int descriptor, const struct call_record *call,
                          const struct test_case *test, char *buffer)
{
    for (uint32_t i = 0; i < test->tensors; i++) {
        if ((call->sent >> i & 1) != 0) {
            case_fill(test, &test->tensor[i], buffer + call_sent_before(call, i));
        }
    }
    write_file(descriptor, buffer, call_sent_before(call, call->tensors));
}

struct wire wire_open(const struct wire_part *parts, size_t count, size_t heap_kilobytes,
                      bool profile)
{
    struct sizes sizes;
    struct call_record *records = plan(parts, count, &sizes);
    size_t calls = count_cases(parts, count), k = 0;
    struct wire wire = {memory_file("request", sizes.request),
                        memory_file("answer", sizes.answer)};
    write_head(wire.request, records, calls,
               &(struct request){REQUEST_MAGIC, (uint32_t)calls,
                                 (uint32_t)count_before_attempts(parts, count), profile,
                                 (uint32_t)heap_kilobytes, sizes.first});
    char *buffer = grader_alloc(most_sent(records, calls) + 1);
    for (size_t p = 0; p < count; p++) {
        for (size_t c = 0; c < parts[p].cases.count; c++, k++) {
            write_tensors(wire.request, &records[k], &parts[p].cases.cases[c], buffer);
        }
    }
    free(buffer);
    free(records);
    // Sealed, so that the worker can neither change nor shrink the file while it is in use.
    if (fcntl(wire.request, F_ADD_SEALS,
              F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        fcntl(wire.answer, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        grader_fail("memory file: %s", strerror(errno));
    }
    return wire;
}

// ---- the way back -------------------------------------------------------------------------

// The output tensor next to the overwritten byte, if there is one.
static struct trespass find_trespass(const struct answer *answer,
                                     const struct call_record *call,
                                     const struct test_case *test)
{
    uint64_t end_of_last = call->input_bytes;
    const struct tensor *last = NULL;
    if (answer->damage == call->input_bytes + call->output_bytes) {
        return (struct trespass){NULL, NULL, false};
    }
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (!call_writes(call, i)) {
            continue;
        }
        const uint64_t gap = call->offset[i] - end_of_last;
        if (answer->damage < call->offset[i]) {
            const bool before = last == NULL || answer->damage - end_of_last >= gap / 2;
            return (struct trespass){test, before ? &test->tensor[i] : last, before};
        }
        end_of_last = call->offset[i] + call->bytes[i];
        last = &test->tensor[i];
    }
    return (struct trespass){last != NULL ? test : NULL, last, false};
}

static void read_outputs(struct test_case *test, const struct call_record *call,
                         const char *results)
{
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (call_writes(call, i) && test->tensor[i].got != NULL) {
            memcpy(test->tensor[i].got, results + call_results_before(call, i),
                   call->bytes[i]);
        }
    }
}

// Keeps only results that differ from the first call.
static void read_repeat(struct test_case *test, const struct call_record *call,
                        size_t contents, const char *results)
{
    for (uint32_t i = 0; i < call->tensors; i++) {
        struct tensor *tensor = &test->tensor[i];
        if (!call_writes(call, i) || tensor->got == NULL) {
            continue;
        }
        const char *values = results + call_results_before(call, i);
        if (memcmp(values, tensor->got, call->bytes[i]) != 0) {
            tensor->repeated[contents] = grader_alloc(call->bytes[i]);
            memcpy(tensor->repeated[contents], values, call->bytes[i]);
        }
    }
}

// Only a large call may leave blocks out.
static void read_partial(struct test_case *test, const struct answer *answer)
{
    const bool may = test->launch_only || (test->failing.status != 0 && test->gpu_only);
    for (size_t i = 0; i < test->tensors; i++) {
        test->tensor[i].partial = may && (answer->partial >> i & 1) != 0;
    }
}

// A worker that did not return was in its last repeat.
static void read_progress(struct test_case *test, const struct answer *answer)
{
    test->progress = answer->progress <= RETURNED ? answer->progress : NOT_REACHED;
    test->got_status = answer->status;
    test->failing_line = answer->line;
    read_partial(test, answer);
    memcpy(test->repeat_status, answer->repeat_status, sizeof test->repeat_status);
    if (test->progress == ENTERED && answer->contents < CONTENTS &&
        (test->repeats >> answer->contents & 1) != 0) {
        test->contents = (enum contents)answer->contents;
    }
}

// The two parts of the answer file.
struct answer_file {
    const char *first, *again;
};

// Reads the results of the first call and its repeats. Returns where it wrote outside its
// tensors, if it did.
static struct trespass read_case(struct test_case *test, const struct call_record *call,
                                 const struct answer *answer,
                                 const struct answer_file *file)
{
    read_progress(test, answer);
    read_outputs(test, call, file->first + call->answer);
    if (test->progress != RETURNED) {
        return (struct trespass){NULL, NULL, false};
    }
    const char *again = file->again + call->again;
    for (size_t c = KEPT; c < CONTENTS; c++) {
        if ((test->repeats >> c & 1) == 0) {
            continue;
        }
        if ((answer->same >> c & 1) == 0) {
            read_repeat(test, call, c, again);
        }
        again += call_results_before(call, call->tensors);
    }
    return find_trespass(answer, call, test);
}

struct trespass wire_read(struct wire *wire, struct wire_part *parts, size_t count)
{
    struct sizes sizes;
    struct call_record *records = plan(parts, count, &sizes);
    const char *answer = map(wire->answer, sizes.answer);
    const struct answer_file file = {answer, answer + sizes.first};
    struct trespass trespass = {NULL, NULL, false};
    size_t k = 0;
    for (size_t p = 0; p < count; p++) {
        for (size_t c = 0; c < parts[p].cases.count; c++, k++) {
            struct test_case *test = &parts[p].cases.cases[c];
            const struct trespass found =
                read_case(test, &records[k],
                          (const struct answer *)(const void *)answer + k, &file);
            trespass = trespass.test == NULL ? found : trespass;
        }
    }
    munmap((void *)answer, sizes.answer);
    free(records);
    return trespass;
}

void wire_close(struct wire *wire)
{
    close(wire->request);
    close(wire->answer);
}

bool wire_locate(const struct test_case *test, uintptr_t address,
                 const struct tensor **tensor, ptrdiff_t *offset)
{
    struct call_record call = plan_case(test);
    uint64_t total = call.input_bytes + call.output_bytes;
    if (address + GUARD < ARENA_BASE || address >= ARENA_BASE + total + ARENA_PAGE) {
        return false;
    }
    int64_t at = (int64_t)address - (int64_t)ARENA_BASE;
    int64_t nearest = INT64_MAX;
    for (size_t i = 0; i < test->tensors; i++) {
        if (call.offset[i] == ARENA_ABSENT) {
            continue;
        }
        int64_t from = at - (int64_t)call.offset[i];
        int64_t beyond = from - (int64_t)call.bytes[i];
        int64_t distance = from < 0 ? -from : (beyond < 0 ? 0 : beyond);
        if (distance < nearest) {
            nearest = distance;
            *tensor = &test->tensor[i];
            *offset = (ptrdiff_t)from;
        }
    }
    return nearest != INT64_MAX;
}
