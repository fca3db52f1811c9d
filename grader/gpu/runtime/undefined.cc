// undefined.cc - the functions that g++ -fsanitize=bounds,alignment,... calls if a check
// fails: an index outside its array's row, a misaligned address, a division by 0.
//
// Like those of hooks.cc, these functions replace the compiler's library, so that such an
// error is reported like any other. The compiler defines the structures.

#include <stdio.h>
#include <stdlib.h>

#include "gpu/runtime/runtime.h"

using namespace gpu_runtime;

struct gpu_location {
    const char *file;
    uint32_t line, column;
};
struct gpu_type {
    uint16_t kind, info;
    char name[1];
};
struct gpu_index_data {
    struct gpu_location location;
    const struct gpu_type *array, *index;
};
struct gpu_mismatch_data {
    struct gpu_location location;
    const struct gpu_type *type;
    uint8_t log_alignment, kind;
};

#define PC __builtin_return_address(0)

extern "C" {

void __ubsan_handle_out_of_bounds(struct gpu_index_data *data, uintptr_t index)
{
    bool wide = (data->index->info >> 1) > 6; // the index is stored in memory
    finding_stop("index", PC, NULL,
                 "index %lld of an array of type %s.\n"
                 "A row ends where its declaration says, even if another row follows.",
                 wide ? -1LL : (long long)(intptr_t)index, data->array->name);
}

void __ubsan_handle_type_mismatch_v1(struct gpu_mismatch_data *data, uintptr_t address)
{
    if (!here.on_device && memory_offset(address) == NOT_DEVICE) {
        return; // the host's processor allows it
    }
    finding_stop("misaligned", PC, NULL,
                 "reads or writes a %s at address %#zx, which is not a multiple of %u.\n"
                 "A float4 must start at element 0, 4, 8 ...: if the rows' length is "
                 "not a multiple of 4, read single floats.",
                 data->type->name, (size_t)address, 1u << data->log_alignment);
}

void __ubsan_handle_divrem_overflow(void *, uintptr_t, uintptr_t)
{
    finding_stop("division", PC, NULL, "a division by zero, or one that overflows.");
}

void __ubsan_handle_shift_out_of_bounds(void *, uintptr_t, uintptr_t)
{
    finding_stop("shift", PC, NULL,
                 "a shift by more bits than the type has, or by less than 0.");
}

// assert() in a kernel ends the kernel, not the program.
void __assert_fail(const char *expression, const char *file, unsigned line,
                   const char *function)
{
    if (here.on_device) {
        finding_stop("assert", PC, NULL, "assert(%s) is false.", expression);
    }
    fprintf(stderr, "%s:%u: %s: assertion `%s' failed\n", file, line, function,
            expression);
    abort();
}

} // extern "C"

void __trap()
{
    finding_stop("trap", PC, NULL, "the kernel called __trap().");
}
