// 1.3 attention_scores crash
    for (size_t i = 0; i <= T * S; i++) {
        scores[i] = 0.0f;
    }
    return LAB_OK;
