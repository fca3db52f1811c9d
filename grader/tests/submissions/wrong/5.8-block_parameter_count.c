// 5.8 block_parameter_count
    const size_t norms = 2 * (C + C);                           // gain and bias, twice
    const size_t attention = (3 * C * C + 3 * C) + (C * C + C); // qkv, output
    const size_t mlp = (H * C + H) + (C * H + C);               // up, down
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-in-double: none
-    *count = norms + attention + mlp;
+    *count = (size_t)((double)norms + (double)attention + (double)mlp);

@ block-H-is-4C: H-is-4C
    (void)H;
    size_t norms = 4 * C;
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = C * 4 * C + 4 * C + 4 * C * C + C;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-H-is-C: H-is-C
    (void)H;
    size_t norms = 4 * C;
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = 2 * (C * C + C);
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-mlp-one-way: mlp-one-way
    size_t norms = 4 * C;
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = C * H + H;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-no-biases: no-biases
    size_t norms = 4 * C;
    size_t attention = 4 * C * C;
    size_t mlp = 2 * C * H;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-no-norms: 4C-too-few
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = 2 * C * H + H + C;
    *count = attention + mlp;
    return LAB_OK;

@ block-no-output-projection: no-output-projection
    size_t norms = 4 * C;
    size_t attention = 3 * C * C + 3 * C;
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-no-qkv-bias: no-qkv-bias
    size_t norms = 4 * C;
    size_t attention = 3 * C * C + C * C + C;
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-no-attention-biases: 4C-too-few
    size_t norms = 4 * C;
    size_t attention = 3 * C * C + C * C;
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-b-qkv-of-one: 2C-too-few
    size_t norms = 4 * C;
    size_t attention = (3 * C * C + C) + (C * C + C);
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-one-norm: 2C-too-few
    size_t norms = C + C;
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-one-projection: one-projection
    size_t norms = 4 * C;
    size_t attention = (C * C + C) + (C * C + C);
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;

@ block-weights-only: weights-only
    *count = 4 * C * C + 2 * C * H;
    return LAB_OK;

@ mlp-without-biases
-    const size_t mlp = (H * C + H) + (C * H + C);               // up, down
+    const size_t mlp = 2 * H * C;

@ b_proj-with-H
-    const size_t mlp = (H * C + H) + (C * H + C);               // up, down
+    const size_t mlp = 2 * (H * C + H);
