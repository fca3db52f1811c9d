// 1.3 attention_scores nocompile whole-lab needs-wall
__asm__(".section .rodata\nstolen: .incbin \"build/labs/01.ref.o\"\n.text\n");
// BODY
    return LAB_OK;
