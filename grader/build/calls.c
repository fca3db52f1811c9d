// calls.c - see calls.h. Reads the symbols and the machine code of a linked worker.
//
// On x86-64 a direct call is the byte e8 and the distance to the function. So each e8 after
// which the distance leads exactly to the start of a function is a call of it. (Four bytes
// that do so by accident are one in a hundred million.)
//
// An optimized function may end with a jump (e9) in place of a call: return helper(q, k). So a jump to the start
// of a function counts as a call, too. Only in the student's function itself, a jump to a function of a lab
// need not fail, because its status is returned as it is.
//
// A function whose address the student's file takes may be called through a pointer. Then no instruction says which
// function is called, so the callee itself is made to fail, and every helper may be one that is called.

#include "build/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/image.h"
#include "build/taken.h"

enum { CALL = 0xe8, JUMP = 0xe9, CALL_BYTES = 5, MOST_HELPERS = 64 };

// cublasStatus_t, of which the grader has no header.
enum { CUBLAS_EXECUTION_FAILED = 13 };

struct search {
    const struct build *build;
    struct image worker, own; // own: the student's object, for the names of its helpers
    uint64_t start;           // of the function: .at counts from here
    struct call_site *sites;
    size_t count, most;
    const struct image_function *visited[MOST_HELPERS]; // the function and its helpers
    size_t visits;
    // for each function of the worker: visited, and it cannot be made to fail
    bool *passed;
};

static bool is_lab_function(const struct lab_place *places, const char *name)
{
    for (; places->folder != NULL; places++) {
        for (const struct entry *entry = places->entries; entry->name != NULL; entry++) {
            char *symbol = build_symbol(places, entry);
            bool same = symbol != NULL && strcmp(symbol, name) == 0;
            free(symbol);
            if (same) {
                return true;
            }
        }
    }
    return false;
}

// Can this function be made to fail? Then sets the statuses.
static bool may_fail(const struct search *search, const struct image_function *callee,
                     struct call_site *site)
{
    const bool gpu = search->build->place->gpu;
    const char *name = callee->name;
    if (callee->local || strlen(name) >= sizeof site->callee) {
        return false;
    }
    strcpy(site->callee, name);
    if (is_lab_function(gpu ? gpu_places : lab_places, name)) {
        site->failing.status = LAB_ENOMEM;
        site->expected = LAB_ENOMEM;
        return true;
    }
    site->failing.status = CUBLAS_EXECUTION_FAILED;
    site->expected = LAB_ECUDA;
    return gpu && strncmp(name, "cublasS", strlen("cublasS")) == 0 &&
           strncmp(name, "cublasSet", strlen("cublasSet")) != 0;
}

static void visit(struct search *search, const struct image_function *function);

// A call at this address: notes it, or looks for more calls in the helper. Of many calls of one
// function that cannot fail, only the first costs anything.
static void look_at_call(struct search *search, uint64_t address,
                         const struct image_function *callee, bool returned)
{
    bool *passed = &search->passed[callee - search->worker.functions];
    struct call_site site = {.failing.at = (int64_t)(address - search->start)};
    if (*passed) {
        return;
    }
    if (may_fail(search, callee, &site)) {
        if (!returned) {
            search->sites[search->count++] = site;
        }
        return;
    }
    *passed = true;
    if (image_named(&search->own, callee->name) != NULL) {
        visit(search, callee);
    }
}

// Functions do not overlap, but a student's symbols may. Returns the end of the function among the
// first ones that has searched this address, or the address.
static uint64_t behind_searched(const struct search *search, size_t first,
                                uint64_t address)
{
    uint64_t behind = address;
    for (size_t i = 0; i < first; i++) {
        const struct image_function *other = search->visited[i];
        if (address >= other->address && address - other->address < other->size &&
            other->address + other->size > behind) {
            behind = other->address + other->size;
        }
    }
    return behind;
}

// The next byte from `from` on that may begin a call; the function's size if there is none.
static size_t next_call(const struct image_function *function, size_t from)
{
    size_t i = from;
    while (i + CALL_BYTES <= function->size && function->code[i] != CALL &&
           function->code[i] != JUMP) {
        i++;
    }
    return i + CALL_BYTES <= function->size ? i : function->size;
}

// The function that is called here, or NULL.
static const struct image_function *
callee_at(const struct search *search, const struct image_function *function, size_t call)
{
    int32_t distance;
    memcpy(&distance, function->code + call + 1, sizeof distance);
    return image_find(&search->worker,
                      function->address + call + CALL_BYTES + (uint64_t)distance);
}

// A helper whose address is taken may be called through a pointer: lea helper(%rip), %rdi.
static void look_for_addresses(struct search *search,
                               const struct image_function *function, size_t visit_number)
{
    enum { LEA = 0x8d, OF_RIP = 0x05, WITHOUT_REGISTER = 0xc7, LEA_BYTES = 6 };
    for (size_t i = 0; i + LEA_BYTES <= function->size;) {
        const uint8_t *found =
            memchr(function->code + i, LEA, function->size - i - LEA_BYTES + 1);
        if (found == NULL) {
            return;
        }
        i = (size_t)(found - function->code);
        const uint64_t address = function->address + i;
        const uint64_t behind = behind_searched(search, visit_number, address);
        if (behind == address && (found[1] & WITHOUT_REGISTER) == OF_RIP) {
            const struct image_function *helper = callee_at(search, function, i + 1);
            if (helper != NULL && helper->local &&
                image_named(&search->own, helper->name) != NULL) {
                visit(search, helper);
            }
        }
        i += behind > address ? (size_t)(behind - address) : 1;
    }
}

static bool is_visited(const struct search *search, const struct image_function *function)
{
    size_t i = 0;
    while (i < search->visits && search->visited[i]->address != function->address) {
        i++;
    }
    return i < search->visits;
}

static void visit(struct search *search, const struct image_function *function)
{
    const size_t number = search->visits;
    if (number == MOST_HELPERS || is_visited(search, function)) {
        return;
    }
    search->visited[search->visits++] = function;
    for (size_t i = next_call(function, 0);
         i < function->size && search->count < search->most;) {
        const uint64_t address = function->address + i;
        const uint64_t behind = behind_searched(search, number, address);
        const struct image_function *callee =
            behind == address ? callee_at(search, function, i) : NULL;
        if (callee != NULL) {
            look_at_call(search, address, callee,
                         number == 0 && function->code[i] == JUMP);
        }
        i = next_call(function, i + (behind > address ? (size_t)(behind - address)
                                     : callee != NULL ? CALL_BYTES
                                                      : 1));
    }
    look_for_addresses(search, function, number);
}

// All helpers: any of them may be called through a pointer.
static void visit_helpers(struct search *search)
{
    for (size_t i = 0; i < search->own.count; i++) {
        const struct image_function *helper =
            search->own.functions[i].local
                ? image_named(&search->worker, search->own.functions[i].name)
                : NULL;
        if (helper != NULL && helper->size == search->own.functions[i].size) {
            visit(search, helper);
        }
    }
}

static void look_at_pointers(struct search *search)
{
    struct taken taken;
    taken_read(&taken, search->build->object);
    for (size_t i = 0; i < taken.count && search->count < search->most; i++) {
        const struct image_function *callee =
            image_named(&search->worker, taken.names[i]);
        struct call_site site = {.failing.entry = 1};
        if (callee != NULL && callee->address != search->start &&
            callee->size >= CALL_BYTES && // room for the jump
            may_fail(search, callee, &site)) {
            site.failing.at = (int64_t)(callee->address - search->start);
            search->sites[search->count++] = site;
        }
    }
    if (taken.local) {
        visit_helpers(search);
    }
    taken_free(&taken);
}

size_t calls_find(const struct build *build, const struct entry *entry,
                  struct call_site *sites, size_t most)
{
    struct search search = {.build = build, .sites = sites, .most = most};
    char *symbol = build_symbol(build->place, entry);
    const struct image_function *function = NULL;
    if (symbol != NULL && image_read(&search.own, build->object) &&
        image_read(&search.worker, build->worker)) {
        function = image_named(&search.worker, symbol);
    }
    if (function != NULL) {
        search.start = function->address;
        search.passed = grader_alloc(search.worker.count);
        visit(&search, function);
        look_at_pointers(&search);
    }
    free(search.passed);
    image_free(&search.own);
    image_free(&search.worker);
    free(symbol);
    return search.count;
}

// ---- does it use a function? ----------------------------------------------------------------

struct use {
    struct image worker, own;
    const char *const *symbols; // ends with NULL
    bool *seen;                 // for each function of the worker
    const struct image_function *waiting[MOST_HELPERS];
    size_t count;
    bool found, too_many;
};

static bool is_symbol(const struct use *use, const char *name)
{
    size_t i = 0;
    while (use->symbols[i] != NULL && strcmp(use->symbols[i], name) != 0) {
        i++;
    }
    return use->symbols[i] != NULL;
}

// A function that the code of another one leads to.
static void note_use(struct use *use, const struct image_function *target)
{
    bool *seen = &use->seen[target - use->worker.functions];
    if (*seen) {
        return;
    }
    *seen = true;
    if (is_symbol(use, target->name)) {
        use->found = true;
    } else if (image_named(&use->own, target->name) != NULL) {
        use->too_many = use->too_many || use->count == MOST_HELPERS;
        if (!use->too_many) {
            use->waiting[use->count++] = target;
        }
    }
}

// Each four bytes may be the distance to a function from the byte behind them, in a call, a jump or an
// address.
static void look_for_uses(struct use *use, const struct image_function *function)
{
    int32_t distance;
    for (size_t i = 0; i + sizeof distance <= function->size && !use->found; i++) {
        memcpy(&distance, function->code + i, sizeof distance);
        const struct image_function *target =
            image_find(&use->worker, function->address + i + sizeof distance +
                                         (uint64_t)(int64_t)distance);
        if (target != NULL) {
            note_use(use, target);
        }
    }
}

bool calls_use(const struct build *build, const struct entry *entry,
               const char *const *symbols)
{
    struct use use = {.symbols = symbols};
    char *symbol = build_symbol(build->place, entry);
    const struct image_function *function = NULL;
    if (symbol != NULL && image_read(&use.own, build->object) &&
        image_read(&use.worker, build->worker)) {
        function = image_named(&use.worker, symbol);
    }
    if (function != NULL) {
        use.seen = grader_alloc(use.worker.count);
        note_use(&use, function);
        for (size_t i = 0; i < use.count && !use.found; i++) {
            look_for_uses(&use, use.waiting[i]);
        }
    }
    const bool known = function != NULL && use.count > 0 && !use.too_many;
    free(use.seen);
    image_free(&use.own);
    image_free(&use.worker);
    free(symbol);
    return use.found || !known;
}
