// 1.3 attention_scores nocompile whole-lab
#include "/dev/zero"
// BODY
    return LAB_OK;
