// 4.4 merge_heads split-again
    return split_heads(out, x, B, T, C, NH);
