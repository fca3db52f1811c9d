// 1.3 attention_scores wrong
    return (lab_status)-77;
