// test_parallel.c - labs/common/parallel.h does every item once, however many threads there are.

#include <criterion/criterion.h>
#include <stdatomic.h>

#include "common/parallel.h"

enum { ITEMS = 1000, LOOPS = 200 };
static _Atomic int times_done[ITEMS];
static _Atomic int inner_done;

static void do_once(void *context, size_t first, size_t count)
{
    cr_assert_eq(context, times_done);
    for (size_t i = first; i < first + count; i++) {
        times_done[i]++;
    }
}

static void do_loop(void *context, size_t first, size_t count)
{
    (void)context, (void)first;
    inner_done += (int)count;
}

static void start_another(void *context, size_t first, size_t count)
{
    (void)first;
    for (size_t i = 0; i < count; i++) {
        lab_parallel(do_loop, context, 3);
    }
}

static void expect_once(size_t threads)
{
    cr_assert_eq(lab_threads_set(threads), threads);
    for (int loop = 1; loop <= LOOPS; loop++) {
        const size_t items = (size_t)(loop * 37 % ITEMS);
        for (size_t i = 0; i < ITEMS; i++) {
            times_done[i] = 0;
        }
        lab_parallel(do_once, times_done, items);
        for (size_t i = 0; i < ITEMS; i++) {
            cr_assert_eq(times_done[i], i < items, "%zu threads, item %zu", threads, i);
        }
    }
}

Test(parallel, every_item_is_done_once)
{
    expect_once(1);
    expect_once(2);
    expect_once(4);
    expect_once(2); // fewer than were created
    expect_once(1);
}

Test(parallel, a_loop_inside_a_loop_is_done_too)
{
    lab_threads_set(3);
    lab_parallel(start_another, NULL, 100);
    cr_assert_eq(inner_done, 300);
}

Test(parallel, the_first_loop_has_one_thread)
{
    cr_assert_eq(lab_threads(), 1);
    cr_assert_eq(lab_threads_set(0), 1);
}
