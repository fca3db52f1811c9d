// 1.3 attention_scores eps-under-root
    const float root = sqrtf((float)d + 1e-5f);
    lab_status status = matmul_nt(scores, q, k, T, S, d);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        scores[i] /= root;
    }
    return status;
