// calls.c - see calls.h. Reads the symbols and the machine code of a linked worker.
//
// On x86-64 a direct call is the byte e8 and the distance to the function. So each e8 after
// which the distance leads exactly to the start of a function is a call of it. (Four bytes
// that do so by accident are one in a hundred million.)

#include "build/calls.h"

#include <stdlib.h>
#include <string.h>

#include "build/image.h"

enum { CALL = 0xe8, CALL_BYTES = 5, MOST_HELPERS = 64 };

// cublasStatus_t, of which the grader has no header.
enum { CUBLAS_EXECUTION_FAILED = 13 };

struct search {
    const struct build *build;
    struct image worker, own; // own: the student's object, for the names of its helpers
    uint64_t start;           // of the function: .at counts from here
    struct call_site *sites;
    size_t count, most;
    uint64_t visited[MOST_HELPERS]; // the function and its helpers
    size_t visits;
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

// A call at this address: notes it, or looks for more calls in the helper.
static void look_at_call(struct search *search, uint64_t address,
                         const struct image_function *callee)
{
    struct call_site site = {.failing.at = (int64_t)(address - search->start)};
    if (may_fail(search, callee, &site)) {
        if (search->count < search->most) {
            search->sites[search->count++] = site;
        }
    } else if (image_named(&search->own, callee->name) != NULL) {
        visit(search, callee);
    }
}

static void visit(struct search *search, const struct image_function *function)
{
    for (size_t i = 0; i < search->visits; i++) {
        if (search->visited[i] == function->address) {
            return;
        }
    }
    if (search->visits == MOST_HELPERS) {
        return;
    }
    search->visited[search->visits++] = function->address;
    for (size_t i = 0; i + CALL_BYTES <= function->size; i++) {
        int32_t distance;
        memcpy(&distance, function->code + i + 1, sizeof distance);
        uint64_t target = function->address + i + CALL_BYTES + (uint64_t)distance;
        const struct image_function *callee =
            function->code[i] == CALL ? image_find(&search->worker, target) : NULL;
        if (callee != NULL) {
            look_at_call(search, function->address + i, callee);
            i += CALL_BYTES - 1;
        }
    }
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
        visit(&search, function);
    }
    image_free(&search.own);
    image_free(&search.worker);
    free(symbol);
    return search.count;
}
