// 1.3 attention_scores nocompile whole-lab needs-box
__asm__(".data\n.fill 200000000, 1, 1\n.text\n");
// BODY
    return LAB_OK;
