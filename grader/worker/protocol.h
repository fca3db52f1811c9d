// protocol.h - the complete interface between judge and worker.
//
//   request file (descriptor 3, read only)      answer file (descriptor 4)
//   +---------------------------+               +---------------------------+
//   | struct request            |               | struct answer   [calls]   |
//   | struct call_record[calls] |               | results of call 0         |
//   | tensors of call 0         |               | results of call 1 ...     |
//   | tensors of call 1 ...     |               +-- .first_bytes -----------+
//   +---------------------------+               | results of the repeats    |
//                                               +---------------------------+
//
// The judge chooses the place of every tensor in the arena, and the guard zones between them
// (offset). The request contains only the tensors with given contents; the worker fills the
// guard zones, and the other tensors with .contents (image.c). It makes the call and copies the
// tensors that the function writes to the results. Then, for each bit of .repeats, it makes
// the same call again with other contents in outputs and workspaces (contents.h). Where these results
// equal those of the first call, a bit says so and their place stays empty (reply.c). The arena's
// address is fixed so that the judge can find the tensor at an address in a sanitizer's report.
//
//   ARENA_BASE                     + input_bytes                  + output_bytes
//   | guard q guard k guard ... pad | guard scores guard ... pad  |
//   |<--------- read only --------->|<-------- writable --------->|
//
// The student's code may have forged everything in the answer file. It is read as numbers
// of known size, and a forged number is just a wrong number. Forging the bit "equal to the first
// call" gains no more than forging the results themselves.

#ifndef GRADER_PROTOCOL_H
#define GRADER_PROTOCOL_H

#include <stdint.h>

#include "worker/contents.h"

#define REQUEST_FD 3
#define ANSWER_FD 4
#define GO_FD 5 // exit status of start.c
#define ARENA_BASE ((uintptr_t)0x200000000000)
#define ARENA_ABSENT UINT64_MAX // offset of a tensor that is passed as NULL
#define ARENA_PAGE 4096u
#define ARENA_ALIGNMENT 64u // of tensors in the request and in results
#define REQUEST_MAGIC 0x7174616cu

enum { PROTOCOL_TENSORS = 64, PROTOCOL_DIMS = 12 };

// How a worker that did not return from every call ended.
enum {
    WORKER_FAILED = 99,    // the worker itself failed; never the student's fault
    WORKER_NO_DEVICE = 98, // there is no CUDA device to run on
    WORKER_HEAP = 68,      // too much memory from malloc was in use: stderr has HEAP_MARK
    WORKER_STUCK = 65,     // a call in which another one fails did not return in time
    WORKER_FINDING =
        // a finding of the simulated GPU: stderr has FINDING_MARK, the kind, a newline
    // and the text
    67,
};
// Printed to stderr before the stack trace when the time has run out. Begins with "==" like
// the sanitizers' reports.
#define PLACE_MARK "\n==the time has run out==\n"
// The same before the number of bytes from malloc when a call exceeded the limit, and before the number of
// those that were from earlier calls.
#define HEAP_MARK "\n==bytes from malloc: "
#define FINDING_MARK "\035finding "
#define TENSOR_MARK                                                                      \
    "\036" // in a finding, before a tensor's index, which the judge replaces by its name
#define PROFILE_MARK "\035profile\n" // on stderr, at the end

struct request {
    uint32_t magic;
    uint32_t calls;
    // the first call that is only an attempt: what is printed from there on is dropped; .calls if none is
    uint32_t attempts_from;
    // 1: profile the kernels, and print the result after PROFILE_MARK
    uint32_t profile;
    // most kilobytes that a call may hold from malloc at a time; 0: no limit
    uint32_t heap_kilobytes;
    // of the answer file: the answers and the results of all first calls; a multiple of ARENA_PAGE
    uint64_t first_bytes;
};

// Which executions of a call in a loop, or in a helper, fail: each of up to five, and some of more. Where there is no
// such execution, or an earlier name means it, too, none fails.
enum failing_pass {
    EVERY_PASS,
    FIRST_PASS,
    ENTRY_PASSES,
    MIDDLE_PASS = ENTRY_PASSES,
    LAST_PASS,
    LAUNCH_PASSES, // a launch has only those above
    SECOND_PASS = LAUNCH_PASSES,
    LAST_BUT_ONE_PASS,
    FAILING_PASSES
};

// In place of a distance: the launch of a kernel, which the simulated GPU refuses.
#define A_LAUNCH INT64_MIN

// A call in the student's function that fails (judge/callees.h). `at` is the distance in bytes
// from the start of the function to the call's instruction; status 0: none fails. A callee that may be called
// through a pointer fails at its own start, in the first passes only (ENTRY_PASSES).
struct failing_call {
    int64_t at; // or A_LAUNCH
    int32_t status;
    uint16_t pass;  // enum failing_pass
    uint8_t locate; // 1: the answer has its line, which takes longer than everything else
    uint8_t entry;  // 1: `at` is the start of the callee, not a call of it
};

// NO_WORK: no kernel runs, and nothing is copied either.
enum launching { ALL_KERNELS, NO_KERNELS, SOME_BLOCKS, NO_WORK };

struct call_record {
    uint32_t entry;   // index into lab_entries
    uint32_t tensors; // number of offsets used
    uint64_t dim[PROTOCOL_DIMS];
    uint64_t offset[PROTOCOL_TENSORS]; // in the arena, in bytes, or ARENA_ABSENT
    uint64_t bytes[PROTOCOL_TENSORS];
    uint64_t given;    // bit i: tensor i has initial contents, in the repeats too
    uint64_t judged;   // bit i: the results are compared
    uint64_t sent;     // bit i: the request contains tensor i
    uint64_t contents; // of the others in the first call: enum contents, not KEPT
    uint8_t element[PROTOCOL_TENSORS]; // size of an element: 4 for a float, 1 for a byte
    uint64_t repeats;                  // bit c: repeat the call on contents c
    struct failing_call failing;       // in this call
    uint64_t extreme;                  // 1: a size that tests only the grid; not profiled
    uint64_t launch_only;              // enum launching: what a simulated GPU runs
    uint64_t input_bytes, output_bytes; // multiples of ARENA_PAGE
    uint64_t request;                   // offset of its tensors in the request file
    uint64_t answer; // offset of the first call's results in the answer file
    uint64_t again;  // offset of the repeats' results, from .first_bytes on
};

static inline uint64_t call_aligned(uint64_t bytes)
{
    return (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

// Returns true if the function may write tensor i.
static inline int call_writes(const struct call_record *call, uint32_t i)
{
    return call->offset[i] != ARENA_ABSENT && call->offset[i] >= call->input_bytes;
}

// Bytes of the request before tensor i of a call. i = tensors: all of them.
static inline uint64_t call_sent_before(const struct call_record *call, uint32_t i)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < i; k++) {
        bytes += (call->sent >> k & 1) != 0 ? call_aligned(call->bytes[k]) : 0;
    }
    return bytes;
}

// Bytes of the results before tensor i of a call. i = tensors: all of them.
static inline uint64_t call_results_before(const struct call_record *call, uint32_t i)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < i; k++) {
        bytes += call_writes(call, k) ? call_aligned(call->bytes[k]) : 0;
    }
    return bytes;
}

enum progress { NOT_REACHED, ENTERED, RETURNED };

#define PARTIAL_ALL UINT64_MAX

struct answer {
    uint32_t progress; // RETURNED includes the repeats
    // contents of the last call; POISONED: the first call
    uint32_t contents;
    int32_t status;
    int32_t repeat_status[CONTENTS];
    uint32_t line; // of the failing call in the student's file; 0 if unknown
    uint32_t same; // bit c: the repeat on contents c gave the first call's results
    // bit i: not all blocks ran, so elements of tensor i that were never written do not count
    uint64_t partial;
    // offset in the arena of the first overwritten byte of a guard zone. The arena's end if all are
    // intact, so an answer that was never written (0) does not claim that.
    uint64_t damage;
};

#endif
