// 1.3 attention_scores nocompile whole-lab
#error "[2Jÿþ ]]> \" < & "
// BODY
    return LAB_OK;
