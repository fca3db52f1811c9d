// protocol.h - what the judge and the worker say to each other, and nothing more crosses.
//
//   request file (descriptor 3, read only)      answer file (descriptor 4)
//   +---------------------------+               +---------------------------+
//   | struct request            |               | struct answer   [calls]   |
//   | struct call_record[calls] |               | output image of call 0    |
//   | image of call 0           |               | the same of its repeats   |
//   | image of call 1 ...       |               | output image of call 1 ...|
//   +---------------------------+               +---------------------------+
//
// An image is the arena's content byte for byte: the judge lays out every tensor, the guard
// zones between them and the poison in the outputs; the worker copies it to ARENA_BASE and
// calls. Then it makes the same call again for each bit of .repeats, with other contents in the
// outputs and workspaces (contents.h), and appends what comes out. The address is fixed so that the judge can name the tensor that an address in a
// sanitizer's report belongs to.
//
//   ARENA_BASE                     + input_bytes                  + output_bytes
//   | guard q guard k guard ... pad | guard scores guard ... pad  |
//   |<--------- read only --------->|<-------- writable --------->|
//
// Everything in the answer file may have been forged by the student's code. It is read as
// numbers of known size; a forged number is a wrong number.

#ifndef GRADER_PROTOCOL_H
#define GRADER_PROTOCOL_H

#include <stdint.h>

#include "worker/contents.h"

#define REQUEST_FD 3
#define ANSWER_FD 4
#define GO_FD 5 // of start.c
#define ARENA_BASE ((uintptr_t)0x200000000000)
#define ARENA_ABSENT UINT64_MAX // the offset of a tensor that is passed as NULL
#define ARENA_PAGE 4096u
#define REQUEST_MAGIC 0x7174616cu

enum { PROTOCOL_TENSORS = 64, PROTOCOL_DIMS = 12 };

// How a worker that did not return from every call ended.
enum {
    WORKER_FAILED = 99,    // our own failure, never the student's
    WORKER_NO_DEVICE = 98, // there is no CUDA device to run on
    WORKER_FINDING =
        67, // the simulated GPU found something: FINDING_MARK on stderr, then
            // its kind, a newline, and its text
};
// On stderr, in front of the stack of calls of a student's code whose time has run out. Like the
// sanitizers' reports it begins with "==".
#define PLACE_MARK "\n==the time has run out==\n"
#define FINDING_MARK "\035finding "
#define TENSOR_MARK                                                                      \
    "\036" // in a finding, in front of a tensor's index: the judge knows its name
#define PROFILE_MARK "\035profile\n" // on stderr, at the very end

struct request {
    uint32_t magic;
    uint32_t calls;
    // 1: count what kernels do to memory, and say so behind PROFILE_MARK
    uint32_t profile;
    uint32_t unused;
};

struct call_record {
    uint32_t entry;   // index into lab_entries
    uint32_t tensors; // how many of the offsets count
    uint64_t dim[PROTOCOL_DIMS];
    uint64_t offset[PROTOCOL_TENSORS]; // in the arena, in bytes, or ARENA_ABSENT
    uint64_t bytes[PROTOCOL_TENSORS];
    uint64_t given; // bit i: tensor i starts from numbers, and not from poison
    uint8_t element[PROTOCOL_TENSORS]; // size of an element: 4 of a float, 1 of a byte
    uint64_t repeats;                  // bit c: the call is made again on contents c
    uint64_t
        extreme; // 1: a size that only a grid stumbles over; a profile leaves the call out
    uint64_t input_bytes, output_bytes; // multiples of ARENA_PAGE
    uint64_t image;                     // where the image starts in the request file
    uint64_t answer;                    // where the output images go in the answer file
};

enum progress { NOT_REACHED, ENTERED, RETURNED };

struct answer {
    uint32_t progress; // RETURNED: from the repeats, too
    // on which contents the last call was made; POISONED: as in the image
    uint32_t contents;
    int32_t status;
    int32_t repeat_status[CONTENTS];
};

#endif
