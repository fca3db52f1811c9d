// names.cc - the names of elements, for reports about a program of its own: s[12], tile[3][5],
// weights[2], or byte 48 of the memory that line 24 allocates.

#include <cxxabi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"
#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? file : slash + 1;
}

static bool name_shared(char *text, size_t room, uintptr_t offset)
{
    const struct shared_variable *v = launch_shared_at(offset);
    if (v == NULL) {
        return false;
    }
    size_t element = (offset - v->offset) / v->element;
    if (v->bytes == v->element) { // no array
        snprintf(text, room, "%s", v->name);
    } else if (v->columns > 0) {
        snprintf(text, room, "%s[%zu][%zu]", v->name, element / v->columns,
                 element % v->columns);
    } else {
        snprintf(text, room, "%s[%zu]", v->name, element);
    }
    return true;
}

// The program's symbols have no type, so elements cannot be counted.
static bool name_variable(char *text, size_t room, uintptr_t offset)
{
    uintptr_t start, address = (uintptr_t)memory_at(offset);
    const char *symbol = variable_at((const void *)address, &start);
    if (symbol == NULL) {
        return false;
    }
    int status;
    char *name = abi::__cxa_demangle(symbol, NULL, NULL, &status);
    snprintf(text, room, "byte %zu of the variable %s", (size_t)(address - start),
             name != NULL ? name : symbol);
    free(name);
    return true;
}

bool name_of(char *text, size_t room, uintptr_t offset)
{
    if (is_shared(offset)) {
        return name_shared(text, room, offset);
    }
    if (offset >= GPU_VARIABLES_OFFSET) {
        return name_variable(text, room, offset);
    }
    const struct allocation *a = memory_near(offset);
    if (a == NULL || offset - a->start >= a->bytes) {
        return false;
    }
    struct place place = place_of(a->pc);
    if (place.line == 0) {
        return false;
    }
    snprintf(text, room, "byte %zu of the %zu byte%s that %s:%d allocates",
             offset - a->start, a->bytes, plural((double)a->bytes), base_name(place.file),
             place.line);
    return true;
}

} // namespace gpu_runtime
