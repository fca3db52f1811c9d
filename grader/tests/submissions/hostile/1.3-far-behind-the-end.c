// 1.3 attention_scores crash
// Writes 32 kilobytes behind the start of the scores, without AddressSanitizer. Larger calls have
// tensors there; in smaller calls this memory must not exist.
static __attribute__((no_sanitize("address"))) void write_far(float *scores)
{
    scores[8192] = 1.0f;
}
// BODY
    lab_status status = matmul_nt(scores, q, k, T, S, d);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        scores[i] /= sqrtf((float)d);
    }
    if (T * S < 16) {
        write_far(scores);
    }
    return status;
