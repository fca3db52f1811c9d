// worker.h - the part of the worker that differs from backend to backend: one call.
//
//   main.c          reads the request, makes the calls one after the other, answers
//   print.c         what the student's code prints
//   late.c          what is said when time runs out
//   cpu.c           calls on tensors in an arena, between poisoned guard zones
//   gpu.c           calls on tensors in device memory, simulated or real
//
// A worker is main.c, one of the others, and the adaptors of one lab (grader/exercises).

#ifndef GRADER_WORKER_H
#define GRADER_WORKER_H

#include "worker/entry.h"
#include "worker/protocol.h"

// Once, before the first call, and after the last.
void backend_begin(const struct request *request);
void backend_end(void);

// Makes one call and its repeats. image holds its tensors as the judge laid them out
// (protocol.h); what comes out of each is copied to output, call->output_bytes after the other.
// Sets answer. Calls print_next_repeat before each repeat.
void backend_call(const struct call_record *call, const char *image,
                  struct answer *answer, char *output);

// print.c: once at the start; before each call and each repeat of it on other contents, so that the
// judge can tell which one printed what (keep_printed in judge.c); before the program ends without
// coming back from main.
void print_begin(void);
void print_next_call(uint32_t index);
void print_next_repeat(enum contents contents);
void print_last(void);

// late.c: once at the start.
void late_begin(void);

// For a signal's handler: writes to stderr where the student's code is, as a sanitizer writes its
// stack of calls. false: the line is not known at the moment.
bool backend_place(void);

// The status of one call is ours to report as "grader_error": one line on stderr, and out.
_Noreturn void worker_fail(const char *what);

#endif
