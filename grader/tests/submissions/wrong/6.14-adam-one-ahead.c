// 6.14 train adam-one-ahead
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
        status = adam_step(model->param, model->m, model->v, model->grad, &adam, k + 1,
                           model->P);
        if (status != LAB_OK) {
            return status;
        }
        model->step = k;
    }
    return LAB_OK;
