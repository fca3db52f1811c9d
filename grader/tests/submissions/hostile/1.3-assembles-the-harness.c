// 1.3 attention_scores nocompile whole-lab needs-wall
__asm__(".section .rodata\nstolen: .incbin \"../build/worker/lab01.o\"\n.text\n");
// BODY
    return LAB_OK;
