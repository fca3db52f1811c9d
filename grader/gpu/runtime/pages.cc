// pages.cc - controls access to the pages of device memory, to detect accesses without
// checks.
//
// Unchecked code (a library called by a student's host code) finds the pages of device memory
// closed, so an access is a fault, which faults.cc reports. The plain build must be fast, so an
// allocation's pages are always open there, and pages between allocations are never open.
//
// In the checked build, every access of a kernel is checked anyway. There all pages in use,
// including those between allocations, form one range, which a single system call opens or
// closes:
//
//     gpu_guard(call, data)          launch           cudaMemcpy        back in the judge
//     | closed ..................... | open | closed  | open | closed   | open ..........
//
// Only the first CLOSINGS times, because an access from the host happens early or in
// checked code.

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

enum : size_t { PAGE = 4096 };
enum { CLOSINGS = 32 };
enum : size_t { STEP = 1 << 20 }; // growth step of the range

static struct {
    uintptr_t end; // end of the range, which begins at GPU_GLOBAL_OFFSET
    bool closed, guarded;
    unsigned opened, closings;
} pages = {GPU_GLOBAL_OFFSET, false, false, 0, 0};

size_t pages_whole(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static bool protect(uintptr_t start, size_t bytes, int protection)
{
    return mprotect((void *)(GPU_BASE + start), bytes, protection) == 0;
}

static void must_protect(uintptr_t start, size_t bytes, int protection)
{
    if (!protect(start, bytes, protection)) {
        perror("gpu simulator: cannot protect device memory");
        abort();
    }
}

bool pages_add(uintptr_t start, size_t bytes)
{
    if (!GPU_CHECKED) {
        return protect(start, bytes, PROT_READ | PROT_WRITE);
    }
    if (start + bytes <= pages.end) {
        return true;
    }
    uintptr_t end = (start + bytes + STEP - 1) / STEP * STEP;
    if (!protect(pages.end, end - pages.end,
                 pages.closed ? PROT_NONE : PROT_READ | PROT_WRITE)) {
        return false;
    }
    pages.end = end;
    return true;
}

// Opens or closes the range if necessary.
static void settle_pages()
{
    bool close = pages.guarded && pages.opened == 0 && pages.closings < CLOSINGS;
    if (!GPU_CHECKED || close == pages.closed) {
        return;
    }
    pages.closed = close;
    pages.closings += close;
    must_protect(GPU_GLOBAL_OFFSET, pages.end - GPU_GLOBAL_OFFSET,
                 close ? PROT_NONE : PROT_READ | PROT_WRITE);
    size_t count = 0;
    const struct allocation *list = memory_list(&count);
    for (size_t i = 0; close && i < count; i++) {
        const struct allocation *a = &list[i];
        if (a->managed && !a->freed) {
            must_protect(a->start, pages_whole(a->bytes), PROT_READ | PROT_WRITE);
        }
    }
}

void pages_remove(const struct allocation *a)
{
    if (!GPU_CHECKED) {
        protect(a->start, pages_whole(a->bytes), PROT_NONE);
    } else if (a->managed) { // closed like the others
        memory_open();
        memory_close();
    }
}

void pages_reset()
{
    pages.opened = pages.closings = 0;
    settle_pages();
}

void memory_open()
{
    pages.opened++;
    settle_pages();
}

void memory_close()
{
    pages.opened--;
    settle_pages();
}

void memory_guard(bool guarded)
{
    pages.opened = 0; // a finding skips the end of calls
    pages.guarded = guarded;
    settle_pages();
}

} // namespace gpu_runtime
