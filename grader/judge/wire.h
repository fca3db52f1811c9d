// wire.h - cases become a request for the worker, the worker's answer becomes .got of the
// cases. See worker/protocol.h for the bytes.

#ifndef GRADER_WIRE_H
#define GRADER_WIRE_H

#include "cases/case.h"

struct wire_part {
    uint32_t entry; // index into lab_entries
    struct case_list cases;
};

struct wire {
    int request, answer; // file descriptors in memory, closed by wire_close
};

// Lays out every case of every part. profile: ask for the counts of the simulated GPU.
struct wire wire_open(const struct wire_part *parts, size_t count, bool profile);

// Fills progress, got_status and got of every case from what the worker left. Returns the
// first case whose guard zones were written, with the tensor it lies next to, or NULL.
struct trespass {
    const struct test_case *test;
    const struct tensor *tensor;
    bool before; // before the tensor, not after it
};
struct trespass wire_read(struct wire *wire, struct wire_part *parts, size_t count);

void wire_close(struct wire *wire);

// What an address in the arena belongs to while a case is being run; false when it lies
// outside of the arena. offset is in bytes from the tensor's start and may be negative.
bool wire_locate(const struct test_case *test, uintptr_t address,
                 const struct tensor **tensor, ptrdiff_t *offset);

#endif
