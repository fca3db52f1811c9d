// failing.c - makes a call in the student's function fail.
//
// Each time that it is executed:
//
//     e8 rel32    call matmul      ──>      b8 imm32    mov $LAB_ENOMEM, %eax
//
// Both instructions have five bytes, so the function seems to return the status at once. The
// judge finds the calls (build/calls.c).
//
// In a loop, or in a helper, also the first time only, the second, once in the middle, the last time but one, or the
// last time only. A function that keeps one status for all of them, or ignores one of them, shows it there:
//
//     e8 rel32    call matmul      ──>      e8 rel32    call failing_gate
//
// The gate counts. It returns the status if it is the chosen pass's turn, and otherwise jumps
// to matmul, which finds the arguments where the student's code put them. How many passes
// there are is known after a call in which none fails.

#define _GNU_SOURCE
#include "worker/worker.h"

#include <string.h>
#include <sys/mman.h>

enum { CALL = 0xe8, MOVE = 0xb8, BYTES = 5 };

// What the gate reads, which is written in assembly: not static.
extern uint64_t failing_passes, failing_chosen; // so far; the one that fails, from 0
extern const void *failing_callee;
extern int32_t failing_status;
uint64_t failing_passes, failing_chosen;
const void *failing_callee;
int32_t failing_status;

static const uint64_t NO_PASS = UINT64_MAX;

static struct {
    uint8_t *at; // NULL: none fails
    uint8_t call[BYTES];
    enum failing_pass pass;
    bool locate;
} failing;

#if defined __x86_64__
void failing_gate(void);
// %r11 belongs to nobody at the start of a function. Threads may call at the same time.
__asm__(".text\n"
        ".globl failing_gate\n"
        ".type failing_gate, @function\n"
        "failing_gate:\n"
        "    movl $1, %r11d\n"
        "    lock xaddq %r11, failing_passes(%rip)\n"
        "    cmpq %r11, failing_chosen(%rip)\n"
        "    je 1f\n"
        "    jmp *failing_callee(%rip)\n"
        "1:  movl failing_status(%rip), %eax\n"
        "    ret\n"
        ".size failing_gate, . - failing_gate\n");
#else
static void failing_gate(void) // the judge finds no calls here
{
}
#endif

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

static void address_of(uint8_t **address, void (*function)(void))
{
    memcpy(address, &function, sizeof *address); // ISO C cannot cast it
}

// The call goes to the gate, and from there to where it went.
static void put_gate(uint8_t *code, uint8_t *at)
{
    int32_t distance;
    memcpy(&distance, at + 1, sizeof distance);
    failing_callee = at + BYTES + distance;
    uint8_t *gate;
    address_of(&gate, failing_gate);
    distance = (int32_t)(gate - (at + BYTES));
    code[0] = CALL;
    memcpy(code + 1, &distance, sizeof distance);
}

bool failing_begin(const struct call_record *call)
{
    if (call->failing.status == 0 || call->failing.at == A_LAUNCH) {
        return false;
    }
    uint8_t *start;
    address_of(&start, (void (*)(void))lab_entries[call->entry].function);
    uint8_t *at = start + call->failing.at, code[BYTES] = {MOVE};
    if (*at != CALL) {
        worker_fail("no call there");
    }
    failing.pass = (enum failing_pass)call->failing.pass;
    failing.locate = call->failing.locate != 0;
    failing_status = call->failing.status;
    failing_passes = 0;
    failing_chosen = failing.pass == FIRST_PASS ? 0 : NO_PASS;
    memcpy(code + 1, &failing_status, sizeof failing_status);
    if (failing.pass != EVERY_PASS) {
        put_gate(code, at);
    }
    memcpy(failing.call, at, BYTES);
    write_code(at, code);
    failing.at = at;
    return failing.pass != EVERY_PASS && failing.pass != FIRST_PASS;
}

bool failing_choose(void)
{
    const uint64_t passes = failing_passes;
    const struct {
        uint64_t least, chosen;
    } of_pass[FAILING_PASSES] = {
        [MIDDLE_PASS] = {3, passes / 2},
        [LAST_PASS] = {2, passes - 1},
        [SECOND_PASS] = {4, 1},
        [LAST_BUT_ONE_PASS] = {5, passes - 2},
    };
    if (passes < of_pass[failing.pass].least) {
        return false;
    }
    failing_chosen = of_pass[failing.pass].chosen;
    failing_passes = 0;
    return true;
}

void failing_again(void)
{
    failing_passes = 0;
}

void failing_end(struct answer *answer)
{
    if (failing.at == NULL) {
        return;
    }
    write_code(failing.at, failing.call);
    if (failing.locate) {
        answer->line = backend_line(failing.at + BYTES);
    }
    failing.at = NULL;
}
