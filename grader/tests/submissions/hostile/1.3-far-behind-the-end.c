// 1.3 attention_scores crash
// Far behind the scores lie the tensors of a larger call, and in a smaller one nothing: no
// sanitizer looks, so the memory itself must not be there.
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
