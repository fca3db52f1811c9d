// 1.3 attention_scores rounded
    lab_status status = matmul_nt(scores, q, k, T, S, d);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        scores[i] = truncf(scores[i] / sqrtf((float)d) * 1e6f) / 1e6f;
    }
    return status;
