// 6.14 train
    lab_status status;
    for (size_t i = 0; i < steps; i++) {
        size_t k = model->step + 1;
        size_t batch = (k - 1) % (R / s->B);
        status = make_copy_batch(model->inputs, model->targets, data, batch * s->B, task, R,
                                 s->B, s->T, s->V);
        if (status != LAB_OK) {
            return status;
        }
        const float *uniforms = model_draw_uniforms(model);
        status = model_forward(&losses[i], &model->activations, &model->params, model->inputs,
                               model->targets, uniforms, s);
        if (status != LAB_OK) {
            return status;
        }
        if (!isfinite(losses[i])) {
            return LAB_EVALUE;
        }
        memset(model->grad, 0, model->P * sizeof(float));
        status = model_backward(&model->grads, &model->gradients, &model->activations,
                                &model->params, model->inputs, model->targets, uniforms, s);
        if (status != LAB_OK) {
            return status;
        }
        if (settings->max_norm > 0.0f) {
            float norm;
            status = clip_grad_norm(&norm, model->grad, settings->max_norm, model->P);
            if (status != LAB_OK) {
                return status;
            }
        }
        struct adam adam = settings->adam;
        if (settings->total > 0) {
            float lr;
            status = learning_rate(&lr, k, settings->warmup, settings->total,
                                   (float)settings->adam.lr, settings->floor);
            if (status != LAB_OK) {
                return status;
            }
            adam.lr = lr;
        }
        status = adam_step(model->param, model->m, model->v, model->grad, &adam, k, model->P);
        if (status != LAB_OK) {
            return status;
        }
        model->step = k;
    }
    return LAB_OK;

@ batch-in-an-array: none
-        status = make_copy_batch(model->inputs, model->targets, data, batch * s->B, task, R,
-                                 s->B, s->T, s->V);
+        size_t inputs[s->B * s->T], targets[s->B * s->T];
+        status = make_copy_batch(inputs, targets, data, batch * s->B, task, R, s->B, s->T, s->V);

-        status = model_forward(&losses[i], &model->activations, &model->params, model->inputs,
-                               model->targets, uniforms, s);
+        status = model_forward(&losses[i], &model->activations, &model->params, inputs,
+                               targets, uniforms, s);

-                                &model->params, model->inputs, model->targets, uniforms, s);
+                                &model->params, inputs, targets, uniforms, s);

@ moments-fade-when-it-stops: none
-        if (!isfinite(losses[i])) {
-            return LAB_EVALUE;
-        }
+        if (!isfinite(losses[i])) {
+            for (size_t j = 0; j < model->P; j++) {
+                model->m[j] *= (float)settings->adam.beta1;
+            }
+            return LAB_EVALUE;
+        }

@ second-moments-fade-when-it-stops: none
-        if (!isfinite(losses[i])) {
-            return LAB_EVALUE;
-        }
+        if (!isfinite(losses[i])) {
+            for (size_t j = 0; j < model->P; j++) {
+                model->v[j] *= (float)settings->adam.beta2;
+            }
+            return LAB_EVALUE;
+        }

@ restores-the-start-when-it-stops: none
-    for (size_t i = 0; i < steps; i++) {
+    float start[model->P];
+    memcpy(start, model->param, sizeof start);
+    for (size_t i = 0; i < steps; i++) {

-        if (!isfinite(losses[i])) {
-            return LAB_EVALUE;
-        }
+        if (!isfinite(losses[i])) {
+            memcpy(model->param, start, sizeof start);
+            return LAB_EVALUE;
+        }

@ zeroes-before-it-checks: none
+#include "common/tokens.h"
+#define tokens_below(tokens, count, V) true

-    lab_status status;
+    lab_status status;
+    memset(model->grad, 0, model->P * sizeof(float));
+    if (!(tokens_below)(data, R * s->T, s->V)) {
+        return LAB_EVALUE;
+    }

@ adam-always-step-1
-        status = adam_step(model->param, model->m, model->v, model->grad, &adam, k, model->P);
+        status = adam_step(model->param, model->m, model->v, model->grad, &adam, 1, model->P);

@ adam-not-checked
-        if (status != LAB_OK) {
-            return status;
-        }
         model->step = k;

@ adam-one-ahead
-        status = adam_step(model->param, model->m, model->v, model->grad, &adam, k, model->P);
+        status = adam_step(model->param, model->m, model->v, model->grad, &adam, k + 1,
+                           model->P);

@ adam-starts-anew
-        status = adam_step(model->param, model->m, model->v, model->grad, &adam, k, model->P);
+        status = adam_step(model->param, model->m, model->v, model->grad, &adam, i + 1,
+                           model->P);

@ always-copy
+        (void)task;
         size_t k = model->step + 1;

-        status = make_copy_batch(model->inputs, model->targets, data, batch * s->B, task, R,
+        status = make_copy_batch(model->inputs, model->targets, data, batch * s->B, TASK_COPY, R,

@ batch-by-row
-        size_t batch = (k - 1) % (R / s->B);
-        status = make_copy_batch(model->inputs, model->targets, data, batch * s->B, task, R,
+        size_t batch = (k - 1) % (R - s->B + 1);
+        status = make_copy_batch(model->inputs, model->targets, data, batch, task, R,

@ batch-starts-anew
-        size_t batch = (k - 1) % (R / s->B);
+        size_t batch = i % (R / s->B);

@ clips-by-any-norm: none
-        if (settings->max_norm > 0.0f) {
+        if (settings->max_norm != 0.0f) {

@ goes-on
-        }
-        if (!isfinite(losses[i])) {
-            return LAB_EVALUE;

@ loss-after-update
+        status = model_forward(&losses[i], &model->activations, &model->params, model->inputs,
+                               model->targets, uniforms, s);
+        if (status != LAB_OK) {
+            return status;
+        }
         model->step = k;

@ mean-loss
+    float total = 0.0f;
     for (size_t i = 0; i < steps; i++) {

+        total += losses[i];
+        losses[i] = total / (float)(i + 1);
         memset(model->grad, 0, model->P * sizeof(float));

@ nan-only
-        if (!isfinite(losses[i])) {
+        if (isnan(losses[i])) {

@ next-batch
-        size_t batch = (k - 1) % (R / s->B);
+        size_t batch = k % (R / s->B);

@ no-clipping
-        if (settings->max_norm > 0.0f) {
-            float norm;
-            status = clip_grad_norm(&norm, model->grad, settings->max_norm, model->P);
-            if (status != LAB_OK) {
-                return status;
-            }
-        }

@ no-decay
+        adam.weight_decay = 0.0;
         if (settings->total > 0) {

@ no-dropout
-        const float *uniforms = model_draw_uniforms(model);
+        const float *uniforms = NULL;

@ no-schedule
-        if (settings->total > 0) {
-            float lr;
-            status = learning_rate(&lr, k, settings->warmup, settings->total,
-                                   (float)settings->adam.lr, settings->floor);
-            if (status != LAB_OK) {
-                return status;
-            }
-            adam.lr = lr;
-        }

@ not-zeroed
-        memset(model->grad, 0, model->P * sizeof(float));

@ number-starts-anew
-            status = learning_rate(&lr, k, settings->warmup, settings->total,
+            status = learning_rate(&lr, i + 1, settings->warmup, settings->total,

-        status = adam_step(model->param, model->m, model->v, model->grad, &adam, k, model->P);
+        status = adam_step(model->param, model->m, model->v, model->grad, &adam, i + 1,
+                           model->P);

@ same-batch
-        size_t batch = (k - 1) % (R / s->B);
-        status = make_copy_batch(model->inputs, model->targets, data, batch * s->B, task, R,
+        status = make_copy_batch(model->inputs, model->targets, data, 0, task, R,

@ schedule-one-late
-        if (settings->total > 0) {
+        if (settings->total > 0 && k == 1) {
+            adam.lr = 0.0; // learning_rate rejects step 0
+        } else if (settings->total > 0) {

-            status = learning_rate(&lr, k, settings->warmup, settings->total,
+            status = learning_rate(&lr, k - 1, settings->warmup, settings->total,

@ starts-anew
-        size_t k = model->step + 1;
+        size_t k = i + 1;

-        model->step = k;
+        model->step++;

@ step-not-counted
-        model->step = k;

@ stops-quietly
-            return LAB_EVALUE;
+            break;

@ stops-too-late
-        }
-        if (!isfinite(losses[i])) {
-            return LAB_EVALUE;

+        if (!isfinite(losses[i])) {
+            return LAB_EVALUE;
+        }
         model->step = k;

@ uniforms-drawn-twice
-                                &model->params, model->inputs, model->targets, uniforms, s);
+                                &model->params, model->inputs, model->targets, model_draw_uniforms(model),
+                                s);

@ warmup-without-total: none
-        if (settings->total > 0) {
+        if (settings->total > 0 || settings->warmup > 0) {

@ zeroed-after-the-step
-        memset(model->grad, 0, model->P * sizeof(float));

+        memset(model->grad, 0, model->P * sizeof(float));
         model->step = k;

@ zeroed-before-the-step
-        memset(model->grad, 0, model->P * sizeof(float));

+        memset(model->grad, 0, model->P * sizeof(float));
         if (settings->max_norm > 0.0f) {

@ zeroed-once
+    memset(model->grad, 0, model->P * sizeof(float));
     for (size_t i = 0; i < steps; i++) {

-        memset(model->grad, 0, model->P * sizeof(float));

@ large-loss-refused: none
-        if (!isfinite(losses[i])) {
+        if (!(losses[i] < 1e4f)) {

@ total-is-steps
-            status = learning_rate(&lr, k, settings->warmup, settings->total,
+            status = learning_rate(&lr, k, settings->warmup, steps,

@ elements-for-bytes
-        memset(model->grad, 0, model->P * sizeof(float));
+        memset(model->grad, 0, model->P);
