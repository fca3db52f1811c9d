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
//
// A jump to a function, with which an optimized helper may end, becomes one to failing_return or to the gate.
//
// A function that may be called through a pointer fails at its own start, every time or the first time only:
//
//     matmul:  push %rbp ...       ──>      e9 rel32    jmp failing_entry

#define _GNU_SOURCE
#include "worker/worker.h"

#include <string.h>
#include <sys/mman.h>

enum { CALL = 0xe8, MOVE = 0xb8, JUMP = 0xe9, BYTES = 5 };

// What the gates read and call, which are written in assembly: not static.
extern uint64_t failing_passes, failing_chosen; // so far; the one that fails, from 0
extern const void *failing_callee, *failing_caller;
extern int32_t failing_status;
void failing_restore(void);
uint64_t failing_passes, failing_chosen;
const void *failing_callee;
const void *failing_caller; // where the entry's caller continues
int32_t failing_status;

static const uint64_t NO_PASS = UINT64_MAX;

static struct {
    uint8_t *at; // NULL: none fails
    uint8_t call[BYTES];
    enum failing_pass pass;
    bool locate, entry;
} failing;

#if defined __x86_64__
void failing_gate(void);
void failing_return(void);
void failing_entry(void);
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
        ".size failing_gate, . - failing_gate\n"
        ".globl failing_return\n"
        ".type failing_return, @function\n"
        "failing_return:\n"
        "    movl failing_status(%rip), %eax\n"
        "    ret\n"
        ".size failing_return, . - failing_return\n"
        ".globl failing_entry\n"
        ".type failing_entry, @function\n"
        "failing_entry:\n"
        "    movq (%rsp), %rax\n"
        "    movq %rax, failing_caller(%rip)\n"
        "    subq $8, %rsp\n"
        "    call failing_restore@PLT\n"
        "    addq $8, %rsp\n"
        "    movl failing_status(%rip), %eax\n"
        "    ret\n"
        ".size failing_entry, . - failing_entry\n");
#else
static void failing_gate(void) // the judge finds no calls here
{
}
static void failing_return(void)
{
}
static void failing_entry(void)
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

static void lead_to(uint8_t *code, uint8_t instruction, const uint8_t *at,
                    void (*function)(void))
{
    uint8_t *target;
    address_of(&target, function);
    const int32_t distance = (int32_t)(target - (at + BYTES));
    code[0] = instruction;
    memcpy(code + 1, &distance, sizeof distance);
}

// The call goes to the gate, and from there to where it went.
static void put_gate(uint8_t *code, uint8_t *at)
{
    int32_t distance;
    memcpy(&distance, at + 1, sizeof distance);
    failing_callee = at + BYTES + distance;
    lead_to(code, *at, at, failing_gate);
}

// After the only pass that fails, the function is as it was.
void failing_restore(void)
{
    if (failing.pass == FIRST_PASS) {
        write_code(failing.at, failing.call);
    }
}

bool failing_begin(const struct call_record *call)
{
    if (call->failing.status == 0 || call->failing.at == A_LAUNCH) {
        return false;
    }
    uint8_t *start;
    address_of(&start, (void (*)(void))lab_entries[call->entry].function);
    uint8_t *at = start + call->failing.at, code[BYTES] = {MOVE};
    failing.entry = call->failing.entry != 0;
    if (*at != CALL && *at != JUMP && !failing.entry) {
        worker_fail("no call there");
    }
    failing.pass = (enum failing_pass)call->failing.pass;
    failing.locate = call->failing.locate != 0;
    failing_caller = NULL;
    failing_status = call->failing.status;
    failing_passes = 0;
    failing_chosen = failing.pass == FIRST_PASS ? 0 : NO_PASS;
    memcpy(code + 1, &failing_status, sizeof failing_status);
    if (failing.entry) {
        lead_to(code, JUMP, at, failing_entry);
    } else if (failing.pass != EVERY_PASS) {
        put_gate(code, at);
    } else if (*at == JUMP) {
        lead_to(code, JUMP, at, failing_return);
    }
    memcpy(failing.call, at, BYTES);
    failing.at = at;
    write_code(at, code);
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
        const void *after = failing.entry ? failing_caller : failing.at + BYTES;
        answer->line = after != NULL ? backend_line(after) : 0;
    }
    failing.at = NULL;
}
