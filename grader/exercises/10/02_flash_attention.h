// 02_flash_attention.h - shared by the files of 10.2.

#ifndef GRADER_10_02_FLASH_ATTENTION_H
#define GRADER_10_02_FLASH_ATTENTION_H

#include "exercises/exercise.h"

#include "10_flash_attention/flash_attention.h"

extern const struct mistake flash_mistakes[], flash_alternatives[];

lab_status flash_half_warp(float *out, float *logsumexp, const struct flash_buffers *z,
                           const float *q, const float *k, const float *v, bool causal,
                           size_t B, size_t NH, size_t T, size_t S, size_t hs, size_t Br,
                           size_t Bc);

#endif
