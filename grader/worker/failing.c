// failing.c - makes a call in the student's function fail.
//
//     e8 rel32    call matmul      ──>      b8 imm32    mov $LAB_ENOMEM, %eax
//
// Both instructions have five bytes, so the function seems to return the status at once. The
// judge finds the calls (build/calls.c).

#define _GNU_SOURCE
#include "worker/worker.h"

#include <string.h>
#include <sys/mman.h>

enum { CALL = 0xe8, MOVE = 0xb8, BYTES = 5 };

static struct {
    uint8_t *at; // NULL: none fails
    uint8_t call[BYTES];
} failing;

static void write_code(uint8_t *at, const uint8_t *code)
{
    uintptr_t page = (uintptr_t)at & ~(uintptr_t)(ARENA_PAGE - 1);
    size_t bytes = (uintptr_t)at + BYTES - page;
    if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        worker_fail("mprotect code");
    }
    memcpy(at, code, BYTES);
    if (mprotect((void *)page, bytes, PROT_READ | PROT_EXEC) != 0) {
        worker_fail("mprotect code");
    }
}

void failing_begin(const struct call_record *call)
{
    if (call->failing.status == 0) {
        return;
    }
    uint8_t *start;
    const any_function function = lab_entries[call->entry].function;
    memcpy(&start, &function, sizeof start); // ISO C cannot cast it
    uint8_t *at = start + call->failing.at, code[BYTES] = {MOVE};
    if (*at != CALL) {
        worker_fail("no call there");
    }
    memcpy(code + 1, &call->failing.status, sizeof call->failing.status);
    memcpy(failing.call, at, BYTES);
    write_code(at, code);
    failing.at = at;
}

void failing_end(struct answer *answer)
{
    if (failing.at == NULL) {
        return;
    }
    write_code(failing.at, failing.call);
    if (answer->status == LAB_OK) { // it may be ignored
        answer->line = backend_line(failing.at + BYTES);
    }
    failing.at = NULL;
}
