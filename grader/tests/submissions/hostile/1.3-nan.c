// 1.3 attention_scores wrong
    for (size_t i = 0; i < T * S; i++) {
        scores[i] = NAN; // compares false with everything: "not greater than the tolerance"
    }
    return LAB_OK;
