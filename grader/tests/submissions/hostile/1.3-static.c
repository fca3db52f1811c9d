// 1.3 attention_scores memory
static volatile char large[1ul << 30];
// BODY
    for (size_t i = 0; i < sizeof large; i += 4096) {
        large[i] = 1;
    }
    return LAB_OK;
