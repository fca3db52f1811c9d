// poison.h - prevents code after this line from excluding a function from the checks.
//
// cuda-to-cpp includes it after the headers of this folder, before the student's first
// line.

#ifndef GPU_SIMULATED_POISON_H
#define GPU_SIMULATED_POISON_H

#pragma GCC poison no_sanitize no_sanitize_thread no_sanitize_undefined
#pragma GCC poison __no_sanitize__ __no_sanitize_thread__ __no_sanitize_undefined__
#pragma GCC poison no_instrument_function __no_instrument_function__
#pragma GCC poison asm // system headers use the forms with underscores

#endif
