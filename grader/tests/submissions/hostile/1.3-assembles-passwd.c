// 1.3 attention_scores nocompile whole-lab needs-wall
__asm__(".section .rodata\nstolen: .incbin \"/etc/passwd\"\n.text\n");
// BODY
    return LAB_OK;
