// 1.3 attention_scores crash
    volatile int largest = 2147483647;
    scores[0] = (float)(largest + (int)T);
    return LAB_OK;
