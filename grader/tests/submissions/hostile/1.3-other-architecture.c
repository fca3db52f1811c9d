// 1.3 attention_scores wrong needs-box
// BODY
    // getpid of 32-bit Linux, whose number means another call to a filter for 64-bit calls.
    long result = 20;
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    scores[0] = (float)result;
    return LAB_OK;
