// 1.3 attention_scores wrong
    return T > 2 ? LAB_TODO : LAB_ESHAPE;
