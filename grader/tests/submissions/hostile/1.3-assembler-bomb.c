// 1.3 attention_scores nocompile whole-lab
__asm__(".data\n.rept 100000000\n.quad 1, 2, 3, 4\n.endr\n.text\n");
// BODY
    return LAB_OK;
