// test_gpu_plain.c - the plain build of the simulated GPU runs correct programs, in every order.

#include <criterion/criterion.h>

#include "gpu/simulator.h"
#include "tests/gpu/kernel_case.h"

static void run_program(void *data)
{
    const struct kernel_case *program = data;
    cr_expect(program->run(), "%s", program->name);
}

static void run_all(const struct kernel_case *programs)
{
    for (const struct kernel_case *program = programs; program->name != NULL; program++) {
        for (uint64_t order = 0; order < 4; order++) {
            gpu_reset();
            gpu_set_order(order < 2 ? (enum gpu_order)order : GPU_SHUFFLED, order);
            cr_expect(gpu_guard(run_program, (void *)program), "%s", program->name);
        }
    }
}

Test(gpu_plain, is_the_plain_build)
{
    cr_expect(!gpu_is_checked);
}

Test(gpu_plain, correct_programs_give_their_results)
{
    run_all(fine_cases);
}

Test(gpu_plain, every_form_of_cuda_runs)
{
    run_all(syntax_cases);
}
