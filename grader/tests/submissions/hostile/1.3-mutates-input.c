// 1.3 attention_scores crash
    ((float *)q)[0] = 0.0f;
    return LAB_OK;
