// 6.1 make_copy_batch wrong
    if (!tokens_below(data + first / T, B * T, V)) {
        return LAB_EVALUE;
    }
    memcpy(inputs, data + first * T, B * T * sizeof *inputs);
    return make_targets(targets, inputs, task, B, T, V);
