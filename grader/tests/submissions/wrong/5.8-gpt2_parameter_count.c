// 5.8 gpt2_parameter_count
    size_t stack;
    lab_status status = stack_parameter_count(&stack, C, 4 * C, L);
    if (status == LAB_OK) {
        *count = (V + T) * C + stack + 2 * C;
    }
    return status;

@ gpt2-in-double: none
-        *count = (V + T) * C + stack + 2 * C;
+        *count = (size_t)((double)(V + T) * (double)C + (double)stack) + 2 * C;

@ gpt2-H-is-C: H-is-C
-    lab_status status = stack_parameter_count(&stack, C, 4 * C, L);
+    lab_status status = stack_parameter_count(&stack, C, C, L);

@ gpt2-blocks-only: blocks-only
    return stack_parameter_count(count, C, 4 * C, L);

@ gpt2-final-gain-only: final-gain-only
-        *count = (V + T) * C + stack + 2 * C;
+        *count = V * C + T * C + stack + C;

@ gpt2-no-biases: no-biases
    size_t block = 12 * C * C + 4 * C;
    *count = V * C + T * C + L * block + 2 * C;
    return LAB_OK;

@ gpt2-no-embeddings: no-embeddings
-        *count = (V + T) * C + stack + 2 * C;
+        *count = stack + 2 * C;

@ gpt2-no-final-norm: no-final-norm
-        *count = (V + T) * C + stack + 2 * C;
+        *count = V * C + T * C + stack;

@ gpt2-no-positions: no-positions
    (void)T;
    size_t stack;
    lab_status status = stack_parameter_count(&stack, C, 4 * C, L);
    if (status == LAB_OK) {
        *count = V * C + stack + 2 * C;
    }
    return status;

@ gpt2-no-tokens: no-tokens
-        *count = (V + T) * C + stack + 2 * C;
+        *count = T * C + stack + 2 * C;

@ gpt2-one-block: one-block
    size_t stack;
    lab_status status = block_parameter_count(&stack, C, 4 * C);
    if (status == LAB_OK) {
        *count = V * C + T * C + stack + 2 * C;
    }
    return status;

@ gpt2-one-number-per-position: one-number-per-position
-        *count = (V + T) * C + stack + 2 * C;
+        *count = V * C + T + stack + 2 * C;

@ gpt2-output-bias: output-bias
-        *count = (V + T) * C + stack + 2 * C;
+        *count = V * C + T * C + stack + 2 * C + V;

@ gpt2-output-twice: output-twice
-        *count = (V + T) * C + stack + 2 * C;
+        *count = V * C + T * C + stack + 2 * C + C * V;
