// repeats.c - see repeats.h.

#include "cases/repeats.h"

#include "cases/compare.h"
#include "cases/sizes.h"

enum { SMALL_CALL = 1 << 16, LARGE_CALL = 1 << 22 }; // bytes

// The sizes of the scores of all heads, whether a tensor holds them or, as in lab 10, none does: a call
// that computes them takes as long.
static size_t bytes_of_scores(const struct test_case *test)
{
    static const char *const sizes[] = {"B", "NH", "T", "S"};
    size_t bytes = sizeof(float);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int index = size_index(test->part, sizes[i]);
        bytes *= index == SIZE_NOT_FOUND ? 1 : test->dim[index];
    }
    return bytes;
}

static size_t bytes_of_tensors(const struct test_case *test)
{
    size_t bytes = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        bytes += test->tensor[i].count * test->tensor[i].element_size;
    }
    return bytes;
}

// 0 for small cases, 1 for large ones, 2 for very large ones.
static int size_class(const struct test_case *test)
{
    const size_t stored = bytes_of_tensors(test), computed = bytes_of_scores(test);
    const size_t bytes = stored > computed ? stored : computed;
    return (bytes > SMALL_CALL) + (bytes > LARGE_CALL);
}

void cases_choose_repeats(struct case_list *list)
{
    const uint32_t all = 1u << KEPT | 1u << ZEROS | 1u << NUMBERS;
    size_t next = list->count > 0 ? list->cases[0].drawn_from % (CONTENTS - KEPT) : 0;
    bool met_all = false; // in a large call
    for (size_t i = 0; i < list->count; i++) {
        struct test_case *test = &list->cases[i];
        const int size = size_class(test);
        if (test->again || size == 2) {
            test->repeats = 0; // the first of many calls uses NUMBERS itself
        } else if (size == 0 || (!met_all && !test->memory_only)) {
            test->repeats = all;
            met_all = met_all || size == 1;
        } else {
            test->repeats = 1u << (KEPT + next);
            next = (next + 1) % (CONTENTS - KEPT);
        }
    }
}

static void swap_repeat(struct test_case *test, size_t contents)
{
    const int status = test->got_status;
    test->got_status = test->repeat_status[contents];
    test->repeat_status[contents] = status;
    for (size_t i = 0; i < test->tensors; i++) {
        void **repeated = &test->tensor[i].repeated[contents];
        if (*repeated != NULL) {
            void *got = test->tensor[i].got;
            test->tensor[i].got = *repeated;
            *repeated = got;
        }
    }
}

// Does a repeat give the same results as the first call, bit for bit? Outputs that must stay
// unchanged are also checked, because they held something else.
static bool gave_the_same(const struct test_case *test, size_t contents)
{
    bool same = test->expected_status == LAB_OK &&
                test->repeat_status[contents] == test->got_status;
    for (size_t i = 0; i < test->tensors; i++) {
        same = same && test->tensor[i].repeated[contents] == NULL;
    }
    return same;
}

// Continues while the first call, or a repeat, is right. A repeat is then put back.
static void settle_case(struct test_case *test)
{
    for (size_t c = KEPT; c < CONTENTS; c++) {
        if ((test->repeats >> c & 1) == 0 || gave_the_same(test, c)) {
            continue;
        }
        if (compare_case(test).fault != NO_FAULT) {
            return;
        }
        const enum contents before = test->contents;
        swap_repeat(test, c);
        test->contents = (enum contents)c;
        if (compare_case(test).fault == NO_FAULT) {
            swap_repeat(test, c);
            test->contents = before;
        }
    }
}

void cases_settle(struct case_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        settle_case(&list->cases[i]);
    }
}
