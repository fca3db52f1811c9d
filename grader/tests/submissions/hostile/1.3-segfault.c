// 1.3 attention_scores crash
    *(volatile float *)8 = 1.0f;
    return LAB_OK;
