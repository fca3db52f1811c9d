// recall.c - see recall.h. A hash table with open addressing.

#include "bank/recall.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// What takes more memory is called again.
enum { MOST_BYTES = 1 << 28 };

struct memory {
    any_function f; // NULL: a free slot
    size_t row;
    enum contents contents;
    lab_status status;
    char *outputs; // of all tensors, one after the other
};

static struct memory *slots;
static size_t room, taken, bytes_taken;

static size_t place_of(any_function f, size_t row, enum contents contents)
{
    uintptr_t address;
    memcpy(&address, &f, sizeof address);
    const uint64_t mixed =
        (address ^ (row * CONTENTS + contents) << 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 20) & (room - 1);
}

// The slot of this call, or the free one where it belongs.
static struct memory *slot_of(any_function f, size_t row, enum contents contents)
{
    size_t i = place_of(f, row, contents);
    while (slots[i].f != NULL &&
           (slots[i].f != f || slots[i].row != row || slots[i].contents != contents)) {
        i = (i + 1) & (room - 1);
    }
    return &slots[i];
}

static void make_room(void)
{
    if (2 * taken < room) {
        return;
    }
    struct memory *before = slots;
    const size_t count = room;
    room = room == 0 ? 1024 : 2 * room;
    slots = grader_alloc(room * sizeof *slots);
    memset(slots, 0, room * sizeof *slots);
    for (size_t i = 0; i < count; i++) {
        if (before[i].f != NULL) {
            *slot_of(before[i].f, before[i].row, before[i].contents) = before[i];
        }
    }
    free(before);
}

static size_t bytes_of(const struct test_case *test, size_t tensor)
{
    return test->tensor[tensor].count * test->tensor[tensor].element_size;
}

static void remember(struct memory *memory, const struct test_case *test,
                     void *const output[MAX_TENSORS])
{
    size_t bytes = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        bytes += output[i] != NULL ? bytes_of(test, i) : 0;
    }
    if (bytes_taken + bytes > MOST_BYTES) {
        memory->f = NULL;
        return;
    }
    char *next = memory->outputs = grader_alloc(bytes);
    for (size_t i = 0; i < test->tensors; i++) {
        if (output[i] != NULL) {
            memcpy(next, output[i], bytes_of(test, i));
            next += bytes_of(test, i);
        }
    }
    taken++;
    bytes_taken += bytes;
}

static lab_status repeat(const struct memory *memory, const struct test_case *test,
                         void *output[MAX_TENSORS])
{
    const char *next = memory->outputs;
    memset(output, 0, MAX_TENSORS * sizeof *output);
    for (size_t i = 0; i < test->tensors; i++) {
        if (tensor_is_written(&test->tensor[i])) {
            output[i] = grader_alloc(bytes_of(test, i));
            memcpy(output[i], next, bytes_of(test, i));
            next += bytes_of(test, i);
        }
    }
    return memory->status;
}

lab_status recall_call(const struct test_case *test, adaptor *call, any_function f,
                       void *output[MAX_TENSORS])
{
    if (test->contents == KEPT) { // begins with what another call left
        return case_call(test, call, f, output);
    }
    make_room();
    struct memory *memory = slot_of(f, test->row, test->contents);
    if (memory->f != NULL) {
        return repeat(memory, test, output);
    }
    const lab_status status = case_call(test, call, f, output);
    *memory = (struct memory){f, test->row, test->contents, status, NULL};
    remember(memory, test, output);
    return status;
}

void recall_end(void)
{
    for (size_t i = 0; i < room; i++) {
        free(slots[i].outputs);
    }
    free(slots);
    slots = NULL;
    room = taken = bytes_taken = 0;
}
