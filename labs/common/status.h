// status.h - the status codes that lab functions return.
//
// This table defines every status: its name, its message and, by its position, its number.
// The enum, lab_status_name and lab_status_message are generated from it.

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

// The compiler warns if you ignore a lab_status, so that no failure goes unnoticed.
typedef enum lab_status_code lab_status;
#define LAB_CHECKED __attribute__((warn_unused_result))

#ifdef __cplusplus // CUDA programs call these two functions, too
extern "C" {
#endif

// The name of a status, such as "LAB_ESHAPE"; "(not a lab_status)" for any other number.
const char *lab_status_name(lab_status status);

// The message of a status; never NULL.
const char *lab_status_message(lab_status status);

#ifdef __cplusplus
}
#endif

// Calls a function that returns a lab_status. If the result is not LAB_OK, the calling
// function returns it immediately. A chain of steps then reads like the formula:
//
//     LAB_TRY(attention_scores(scores, q, k, T, S, d));
//     LAB_TRY(softmax_rows(weights, scores, T, S));
//     return weighted_values(out, weights, v, T, S, d);
//
// Use it only where nothing has to be freed or closed before returning.
#define LAB_TRY(call)                                                                    \
    do {                                                                                 \
        const lab_status lab_try_status = (call);                                        \
        if (lab_try_status != LAB_OK) {                                                  \
            return lab_try_status;                                                       \
        }                                                                                \
    } while (0)

// Returned by an exercise that is not written yet. It takes the function's arguments and
// ignores them, so that a skeleton compiles without "unused parameter" warnings.
// Example: return lab_todo(scores, q, k, T, S, d);
static inline LAB_CHECKED lab_status lab_todo(const void *first, ...)
{
    (void)first;
    return LAB_TODO;
}

#endif
