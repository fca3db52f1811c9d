// status.h - what every lab function returns.
//
// One table holds every status: its name, its number (the order) and the sentence a person
// reads. Add a line to the table and the enum, lab_status_name and lab_status_message all
// know it.

#ifndef LAB_STATUS_H
#define LAB_STATUS_H

#define LAB_STATUS_TABLE(STATUS)                                                         \
    STATUS(LAB_OK, "done")                                                               \
    STATUS(LAB_TODO, "not written yet")                                                  \
    STATUS(LAB_ESHAPE, "the sizes do not fit together, or one of them is zero")          \
    STATUS(LAB_EVALUE, "an argument other than a size has a value that is not allowed")  \
    STATUS(LAB_ENOMEM, "out of memory")                                                  \
    STATUS(LAB_EIO, "a file could not be read or written")                               \
    STATUS(LAB_EFORMAT, "a file does not have the format that its header gives")         \
    STATUS(LAB_ECUDA, "a CUDA call failed")

#define LAB_STATUS_ENUM(name, message) name,
enum lab_status_code { LAB_STATUS_TABLE(LAB_STATUS_ENUM) LAB_STATUS_COUNT };
#undef LAB_STATUS_ENUM

// The compiler warns when a lab_status is ignored: a failed step must not go unnoticed.
typedef enum lab_status_code lab_status;
#define LAB_CHECKED __attribute__((warn_unused_result))

#ifdef __cplusplus // CUDA programs call these two as well
extern "C" {
#endif

// "LAB_ESHAPE" for LAB_ESHAPE; "(not a lab_status)" for a number outside the table.
const char *lab_status_name(lab_status status);

// The sentence of the table for a status; never NULL.
const char *lab_status_message(lab_status status);

#ifdef __cplusplus
}
#endif

// Calls a function that returns a lab_status; if the result is not LAB_OK, the calling function
// returns it at once. A chain of steps then reads like the formula:
//
//     LAB_TRY(attention_scores(scores, q, k, T, S, d));
//     LAB_TRY(softmax_rows(weights, scores, T, S));
//     return weighted_values(out, weights, v, T, S, d);
//
// Use it only where nothing has to be freed or closed on the way out.
#define LAB_TRY(call)                                                                    \
    do {                                                                                 \
        const lab_status lab_try_status = (call);                                        \
        if (lab_try_status != LAB_OK) {                                                  \
            return lab_try_status;                                                       \
        }                                                                                \
    } while (0)

// What an unwritten exercise returns. It takes the function's own arguments, so that a
// skeleton compiles without "unused parameter" warnings, and does nothing with them.
// Example: return lab_todo(scores, q, k, T, S, d);
static inline LAB_CHECKED lab_status lab_todo(const void *first, ...)
{
    (void)first;
    return LAB_TODO;
}

#endif
