// worker.h - the backend-specific part of the worker: one call.
//
//   main.c          reads the request, makes the calls one after the other, answers
//   image.c         what is in memory before a call
//   reply.c         what goes into the answer after it
//   print.c         passes on the student's output
//   late.c          the report when time runs out
//   heap.c          the limit on a call's memory (CPU only)
//   failing.c       a call in the student's function that fails
//   open.c          keeps the sanitizers from reading the lines of libraries
//   cpu.c           calls on tensors in an arena, between poisoned guard zones
//   gpu*.c          calls on tensors in device memory, simulated or real
//
// A worker is main.c, one of the others, and the adaptors of one lab (grader/exercises).

#ifndef GRADER_WORKER_H
#define GRADER_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include "worker/entry.h"
#include "worker/protocol.h"

// Called once before the first call, and once after the last.
void backend_begin(const struct request *request);
void backend_end(void);

// Where the results of a call go: its answer, its first results, and those of its repeats.
struct reply {
    struct answer *answer;
    char *first, *again;
};

// Makes one call and its repeats. Calls reply after each of them, print_next_repeat before each
// repeat, and sets the rest of the answer.
void backend_call(const struct call_record *call, const char *request,
                  const struct reply *to);

// image.c: the arena's content before a call: guard zones and tensors. image has the call's input_bytes
// and output_bytes.
void image_lay_out(const struct call_record *call, const char *request, char *image);
// Tensor i in the request. Call it only if the tensor was sent: an input, or an output with given
// contents.
const char *image_sent(const struct call_record *call, const char *request, uint32_t i);
// The first byte of a guard zone between two offsets that is overwritten; `to` if there is none.
uint64_t image_damage(const struct call_record *call, const char *image, uint64_t from,
                      uint64_t to);

// reply.c: copies what the call wrote, and notes overwritten guard zones. output: the arena from
// input_bytes on, with the rest before it.
void reply(const struct call_record *call, const struct reply *to, enum contents contents,
           const char *output);

// print.c: call print_begin once at the start. Call print_next_call before each call, and
// print_next_repeat before each repeat, so that the judge can assign printed text to calls
// (keep_printed in judge.c). Call print_last before the program ends without returning from
// main. After print_nowhere, nothing that the program prints reaches the judge.
void print_begin(void);
void print_next_call(uint32_t index);
void print_next_repeat(enum contents contents);
void print_nowhere(void);
void print_last(void);

// late.c: call it once at the start.
void late_begin(void);

// heap.c: heap_begin once before the first call, then heap_call(true) before each call of a student's
// function and heap_call(false) after it. A call that holds more kilobytes from malloc at a time ends
// the program. 0: no limit.
void heap_begin(size_t kilobytes);
void heap_call(bool begins);

// For a signal handler: writes the position of the student's code to stderr, like a
// sanitizer's stack trace. interrupted: the handler's third argument, or NULL in a function that the student
// called. Returns false if the line is currently unknown.
bool backend_place(void *interrupted);

// The line of the student's file that a return address belongs to; 0 if unknown.
uint32_t backend_line(const void *address);

// failing.c: between failing_begin and failing_end, the call that the record names fails. Call
// failing_end when the answer has its status; it sets the line.
//
// If failing_begin returns true, make the call once: it succeeds, and its passes are counted.
// If failing_choose then returns true, make it again from the start: now the chosen pass fails. To make
// it once more with the same one, call failing_again before.
bool failing_begin(const struct call_record *call);
bool failing_choose(void);
void failing_again(void);
void failing_end(struct answer *answer);

// Reports a failure of the worker itself ("grader_error"): prints one line to stderr and
// exits.
_Noreturn void worker_fail(const char *what);

#endif
