// poison.h - after this line, code cannot exclude a function from the checks.
//
// Included after the headers of this folder, before a student's first line, by cuda-to-cpp.

#ifndef GPU_SIMULATED_POISON_H
#define GPU_SIMULATED_POISON_H

#pragma GCC poison no_sanitize no_sanitize_thread no_sanitize_undefined
#pragma GCC poison __no_sanitize__ __no_sanitize_thread__ __no_sanitize_undefined__
#pragma GCC poison no_instrument_function __no_instrument_function__
#pragma GCC poison asm // headers of the system use the forms with underscores

#endif
