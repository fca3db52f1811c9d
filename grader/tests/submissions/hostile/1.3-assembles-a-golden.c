// 1.3 attention_scores nocompile whole-lab needs-wall
__asm__(".section .rodata\nstolen: .incbin \"datasets/lab01.safetensors\"\n.text\n");
// BODY
    return LAB_OK;
