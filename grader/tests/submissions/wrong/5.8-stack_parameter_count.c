// 5.8 stack_parameter_count
    size_t block;
    LAB_TRY(block_parameter_count(&block, C, H));
    *count = L * block;
    return LAB_OK;

@ stack-in-double: none
-    *count = L * block;
+    *count = (size_t)((double)L * (double)block);

@ stack-final-norm: final-norm
    size_t block;
    lab_status status = block_parameter_count(&block, C, H);
    if (status == LAB_OK) {
        *count = L * block + 2 * C;
    }
    return status;

@ stack-norms-once: norms-once
    size_t norms = 4 * C;
    size_t rest = 4 * C * C + 4 * C + 2 * C * H + H + C;
    *count = norms + L * rest;
    return LAB_OK;

@ stack-one-block: one-block
    (void)L;
    return block_parameter_count(count, C, H);

@ stack-one-layer-more: one-layer-more
    size_t block, sum = 0;
    lab_status status = block_parameter_count(&block, C, H);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t l = 0; l <= L; l++) {
        sum += block;
    }
    *count = sum;
    return LAB_OK;

@ stack-H-is-4C: H-is-4C
-    LAB_TRY(block_parameter_count(&block, C, H));
+    (void)H;
+    LAB_TRY(block_parameter_count(&block, C, 4 * C));
