// flash_main.cu - calls flash-attention-minimal's forward and compares it with plain attention, as its
// bench.py does with PyTorch (largest difference 0.01). For cuda_corpus.sh.

#include <torch/types.h>

torch::Tensor forward(torch::Tensor q, torch::Tensor k, torch::Tensor v);

enum { B = 2, NH = 3, T = 64, D = 32 };

static std::vector<float> numbers(unsigned seed)
{
    std::vector<float> x(B * NH * T * D);
    for (float &each : x) {
        seed = seed * 1664525u + 1013904223u;
        each = (float)(seed >> 8) / (1 << 23) - 1;
    }
    return x;
}

// One head: out(T, D) = softmax(q k^T / sqrt(D)) v.
static void attention(float *out, const float *q, const float *k, const float *v)
{
    for (int t = 0; t < T; t++) {
        double weight[T], sum = 0;
        for (int s = 0; s < T; s++) {
            double dot = 0;
            for (int d = 0; d < D; d++) {
                dot += (double)q[t * D + d] * k[s * D + d];
            }
            sum += weight[s] = exp(dot / sqrt((double)D));
        }
        for (int d = 0; d < D; d++) {
            double mean = 0;
            for (int s = 0; s < T; s++) {
                mean += weight[s] * v[s * D + d];
            }
            out[t * D + d] = (float)(mean / sum);
        }
    }
}

int main()
{
    const std::vector<long> shape = {B, NH, T, D};
    std::vector<float> q = numbers(1), k = numbers(2), v = numbers(3);
    std::vector<float> got(q.size()), expected(q.size());
    torch::Tensor out = forward(torch::Tensor(shape, q), torch::Tensor(shape, k),
                                torch::Tensor(shape, v));
    if (cudaMemcpy(got.data(), out.data_ptr<float>(), got.size() * sizeof(float),
                   cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("Mismatch: the copy failed\n");
        return 1;
    }
    double worst = 0;
    for (int head = 0; head < B * NH; head++) {
        size_t from = (size_t)head * T * D;
        attention(&expected[from], &q[from], &k[from], &v[from]);
    }
    for (size_t i = 0; i < got.size(); i++) {
        double difference = fabs((double)got[i] - expected[i]);
        worst = difference <= worst ? worst : difference; // also for NaN
    }
    bool match = worst <= 0.01;
    printf("%s, largest difference %g\n", match ? "Results match" : "Mismatch", worst);
    return !match;
}
