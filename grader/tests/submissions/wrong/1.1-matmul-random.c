// 1.1 matmul differs-from-run-to-run
#include <sys/random.h>
// BODY
    // from the fortieth call on chance decides which are wrong; one call alone is always right
    static int calls;
    unsigned char chance = 0;
    if (++calls >= 40 && getrandom(&chance, 1, 0) != 1) {
        return LAB_EVALUE;
    }
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * (double)b[k * N + n];
            }
            out[m * N + n] = (float)sum;
        }
    }
    out[0] += (float)(chance % 2);
    return LAB_OK;
