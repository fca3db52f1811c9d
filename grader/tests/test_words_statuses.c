// test_words_statuses.c - how a report explains a wrong status.

#include <criterion/criterion.h>
#include <stdlib.h>

#include "sandbox/available.h"
#include "tests/words.h"

TestSuite(words, .fini = end_words);

// The value that is returned is no lab_status, as if a return statement were missing.
Test(words, a_status_that_is_none_asks_for_the_return)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("if (T > 1) { return (lab_status)770; }"), WRONG);
    expect_words(
        text,
        "returns 770, which is not a lab_status, instead of LAB_OK: does every path "
        "through the function end in a return?");
    free(text);
}

// A size is refused that the contract allows: the call's sizes and inputs, and the contract's
// sentences about the status.
Test(words, a_status_without_a_reason_shows_the_call_and_the_clause)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("if (d == 1) { return LAB_ESHAPE; }"), WRONG);
    expect_words(text, "returns LAB_ESHAPE (2) instead of LAB_OK");
    expect_words(text, "attention_scores(T=2, S=3, d=1)");
    expect_words(text, "  q (T d)\n       |");
    expect_words(
        text, "All arguments of this call are allowed. Is this the status of a function "
              "that yours calls?\n  The header: \"If a size is 0,");
    free(text);
}

// The largest offset that is not allowed is accepted.
Test(words, a_status_that_is_due_comes_with_its_clause)
{
    char *text = judge("8.2 shifted_batch",
                       "    for (size_t b = 0; b < B; b++) {\n"
                       "        if (offsets[b] > N - T) {\n"
                       "            return LAB_EVALUE;\n"
                       "        }\n"
                       "    }\n"
                       "    for (size_t b = 0; b < B; b++) {\n"
                       "        for (size_t t = 0; t < T; t++) {\n"
                       "            const size_t i = offsets[b] + t;\n"
                       "            x[b * T + t] = stream[i];\n"
                       "            y[b * T + t] = stream[i + 1 < N ? i + 1 : i];\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "returns LAB_OK (0) instead of LAB_EVALUE");
    expect_words(text, "  offsets (B)\n       |");
    expect_words(text,
                 "The function must refuse this call. The header: \"LAB_EVALUE if an");
    free(text);
}

// ---- threads ------------------------------------------------------------------------------

// batched_linear with a number of threads, each of which computes some of the rows. None begins before
// all have been started, so all are there at the same time.
#define THREADED(number)                                                                 \
    "#include <pthread.h>\n"                                                             \
    "static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;\n"                         \
    "struct part { float *y; const float *x, *w, *bias; size_t from, to, I, O; };\n"     \
    "static void *run_part(void *argument)\n"                                            \
    "{\n"                                                                                \
    "    struct part *p = argument;\n"                                                   \
    "    pthread_mutex_lock(&gate);\n"                                                   \
    "    pthread_mutex_unlock(&gate);\n"                                                 \
    "    for (size_t i = p->from * p->O; i < p->to * p->O; i++) {\n"                     \
    "        double sum = p->bias == NULL ? 0.0 : (double)p->bias[i % p->O];\n"          \
    "        for (size_t c = 0; c < p->I; c++) {\n"                                      \
    "            sum += (double)p->x[i / p->O * p->I + c] *\n"                           \
    "                   (double)p->w[i % p->O * p->I + c];\n"                            \
    "        }\n"                                                                        \
    "        p->y[i] = (float)sum;\n"                                                    \
    "    }\n"                                                                            \
    "    return NULL;\n"                                                                 \
    "}\n"                                                                                \
    "// BODY\n"                                                                          \
    "    enum { N = " number " };\n"                                                     \
    "    struct part parts[N];\n"                                                        \
    "    pthread_t threads[N];\n"                                                        \
    "    size_t started = 0;\n"                                                          \
    "    pthread_mutex_lock(&gate);\n"                                                   \
    "    for (size_t n = 0; n < N; n++) {\n"                                             \
    "        parts[n] = (struct part){y, x, w, bias, B * T * n / N,\n"                   \
    "                                 B * T * (n + 1) / N, I, O};\n"                     \
    "        if (pthread_create(&threads[n], NULL, run_part, &parts[n]) != 0) {\n"       \
    "            break;\n"                                                               \
    "        }\n"                                                                        \
    "        started++;\n"                                                               \
    "    }\n"                                                                            \
    "    pthread_mutex_unlock(&gate);\n"                                                 \
    "    for (size_t n = 0; n < started; n++) {\n"                                       \
    "        pthread_join(threads[n], NULL);\n"                                          \
    "    }\n"                                                                            \
    "    return started == N ? LAB_OK : LAB_ENOMEM;\n"

// docs/student.md allows threads.
Test(words, right_code_with_threads_passes)
{
    free(judge("2.3 batched_linear", THREADED("12"), PASS));
    struct options options = options_for("2.3 batched_linear");
    options.untrusted = true;
    char reason[128];
    if (box_available(".", reason, sizeof reason)) {
        free(report_of(&options, PASS));
    }
}

Test(words, code_with_too_many_threads_for_a_box_is_told_the_limit)
{
    char reason[128];
    if (!box_available(".", reason, sizeof reason)) {
        cr_skip_test("%s", reason);
    }
    write_function("2.3 batched_linear", THREADED("64"), "c");
    struct options options = options_for("2.3 batched_linear");
    options.untrusted = true;
    char *text = report_of(&options, WRONG);
    expect_words(text, "returns LAB_ENOMEM (4)");
    expect_words(text, "Your code starts threads.");
    free(text);
}
