// 6.12 adam_step_gpu
    const double m_correction = 1.0 - pow(s->beta1, (double)step);
    const double v_correction = 1.0 - pow(s->beta2, (double)step);
    struct adam_factors factors;
    factors.beta1 = (float)s->beta1;
    factors.beta2 = (float)s->beta2;
    factors.new1 = (float)(1.0 - s->beta1);
    factors.new2 = (float)(1.0 - s->beta2);
    factors.keep = (float)(1.0 - s->lr * s->weight_decay);
    factors.rate = (float)(s->lr / m_correction);
    factors.root = (float)(1.0 / sqrt(v_correction));
    factors.eps = (float)s->eps;
    adam_kernel<<<lab_blocks(N, BLOCK), BLOCK, 0, stream>>>(w_dev, m_dev, v_dev, g_dev,
                                                            factors, N);
    return lab_cuda(cudaGetLastError());

@ no-bias-correction
-    const double m_correction = 1.0 - pow(s->beta1, (double)step);
-    const double v_correction = 1.0 - pow(s->beta2, (double)step);

-    factors.rate = (float)(s->lr / m_correction);
-    factors.root = (float)(1.0 / sqrt(v_correction));
+    factors.rate = (float)s->lr;
+    factors.root = 1.0f;

@ at-most-512-blocks: none
-    adam_kernel<<<lab_blocks(N, BLOCK), BLOCK, 0, stream>>>(w_dev, m_dev, v_dev, g_dev,
-                                                            factors, N);
+    const unsigned blocks = lab_blocks(N, 1024);
+    adam_kernel<<<blocks < 512 ? blocks : 512u, 1024, 0, stream>>>(w_dev, m_dev, v_dev,
+                                                                   g_dev, factors, N);

@ root-of-v-alone
-    factors.root = (float)(1.0 / sqrt(v_correction));
+    factors.root = (float)(1.0 / v_correction);
