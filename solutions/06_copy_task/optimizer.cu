// optimizer.cu - Adam in one pass.
//
// The kernel reads four arrays of N numbers and writes three: 28 bytes for each parameter. The
// nine operations take no extra time. Three separate kernels for w, m and v would move 40 bytes.
//
// copy_task_gpu.h documents the launcher. Start reading at adam_kernel.

#include "06_copy_task/copy_task_gpu.h"

#include <math.h>

enum { BLOCK = 256 };

// ---- 6.12  Adam ---------------------------------------------------------------------------

// The constants for all parameters: computed once on the host, in double, and passed to every
// thread as an argument.
struct adam_factors {
    float beta1, beta2, new1, new2; // new = 1 - beta
    float keep;                     // 1 - lr weight_decay
    float rate;                     // lr / (1 - beta1^step)
    float root;                     // 1 / sqrt(1 - beta2^step)
    float eps;
};

__global__ void adam_kernel(float *w_dev, float *m_dev, float *v_dev, const float *g_dev,
                            struct adam_factors f, size_t N)
{
    // BEGIN SOLUTION 6.12 adam_kernel: one parameter per thread: read w, m, v and g once,
    // write w, m and v once (about 11 lines)
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) {
        return;
    }
    const float g = g_dev[i];
    const float m = f.beta1 * m_dev[i] + f.new1 * g;
    const float v = f.beta2 * v_dev[i] + f.new2 * g * g;
    m_dev[i] = m;
    v_dev[i] = v;
    w_dev[i] = f.keep * w_dev[i] - f.rate * m / (sqrtf(v) * f.root + f.eps);
    // END SOLUTION 6.12
}

lab_status adam_step_gpu(float *w_dev, float *m_dev, float *v_dev, const float *g_dev,
                         const struct adam *settings, size_t step, size_t N,
                         cudaStream_t stream)
{
    const struct adam *s = settings;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (step == 0 || !(0.0 <= s->beta1 && s->beta1 < 1.0) ||
        !(0.0 <= s->beta2 && s->beta2 < 1.0)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.12 adam_step_gpu: struct adam_factors in double on the host; then a
    // thread for each parameter (about 17 lines)
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
    // END SOLUTION 6.12
}
