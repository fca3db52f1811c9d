// 1.3 attention_scores nocompile whole-lab
    return LAB_OK
