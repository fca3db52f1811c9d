// wire.h - converts cases to a request for the worker, and the worker's answer to .got of
// the cases. See worker/protocol.h for the format.

#ifndef GRADER_WIRE_H
#define GRADER_WIRE_H

#include "cases/case.h"

struct wire_part {
    uint32_t entry; // index into lab_entries
    struct case_list cases;
    bool attempt; // behind all parts that are none: see wire_read
};

struct wire {
    int request, answer; // file descriptors in memory, closed by wire_close
};

// Lays out every case of every part. heap_kilobytes: the exercise's limit, or 0. profile: request the
// simulated GPU's profile.
struct wire wire_open(const struct wire_part *parts, size_t count, size_t heap_kilobytes,
                      bool profile);

// Sets progress, got_status and got of every case from the worker's answer. Returns the
// first case with an overwritten guard zone and the tensor next to it, or NULL.
struct trespass {
    const struct test_case *test;
    const struct tensor *tensor;
    bool before; // before the tensor, not after it
};
struct trespass wire_read(struct wire *wire, struct wire_part *parts, size_t count);

void wire_close(struct wire *wire);

// Finds the tensor at an address in the arena during a case's call. Returns false if the
// address is outside the arena. offset is in bytes from the tensor's start and may be
// negative.
bool wire_locate(const struct test_case *test, uintptr_t address,
                 const struct tensor **tensor, ptrdiff_t *offset);

#endif
