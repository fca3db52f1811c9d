// random.cu - curand_kernel.h: the numbers are those of cuRAND. Prints a line for each kind.

#include <cmath>
#include <cstdio>
#include <curand_kernel.h>

static void claim(bool good, const char *what)
{
    printf("%s - %s\n", good ? "ok" : "not ok", what);
}

enum { CASES = 3, NUMBERS = 12 };

// What the header of cuRAND 12 gives for these seeds, compiled for the host; three of XORWOW, three of Philox.
struct start {
    unsigned long long seed, subsequence, offset;
};
static const start starts[2 * CASES] = {
    {1234, 0, 0}, {1234, 5, 3}, {0x123456789abcdef, 1000003, 123456789012},
    {1234, 0, 0}, {1234, 5, 3}, {0x123456789abcdef, 0x1ffffffff, 123456789013},
};
static const double right[2 * CASES][NUMBERS] = {
    {624778773, 1867875844, 0.87071007490158081, 0.85709244785322136, 0.99168092012405396,
     0.3125731348991394, -0.71981668062459658, -1.3728332603371443, 374409573, 2059721670,
     -0.51181972026824951, 0.23552682995796204},
    {1633321130, 1363217923, 0.6293264627456665, 0.78027772591559752, 0.33130559325218201,
     0.47631347179412842, 1.3613607263493992, 1.3433350138811704, 212985390, 1497778058,
     -1.2756913900375366, -0.44918453693389893},
    {2707050710, 4269900803, 0.24665957689285278, 0.39419990047412018,
     0.80322360992431641, 1.2834329605102539, 0.28382409526635755, 0.11184842841927714,
     3913094632, 3739585886, -0.85325968265533447, -0.83381110429763794},
    {546353992, 3665621163, 0.26564887166023254, 0.79605526081286371, 0.63308286666870117,
     0.74336707592010498, -0.21876747791166526, 2.2365336729504453, 3942824506, 535973300,
     -1.5205830335617065, 0.4038320779800415},
    {3180702920, 1549596404, 0.24903573095798492, 0.19713171338662505, 1.0296158790588379,
     0.73795104026794434, -2.6049398834826945, 0.10309835481891844, 816385003, 3093391420,
     0.062437225133180618, -0.86729353666305542},
    {1187787455, 3717961565, 0.74796092510223389, 0.82929410273209214,
     -1.0818912982940674, -0.68466025590896606, -0.55361964090843774, -1.3512251791653498,
     3587072457, 3859552131, 1.3190499544143677, -0.16345149278640747},
};

template <typename State> __global__ void draw(start from, State *state, double *numbers)
{
    curand_init(from.seed, from.subsequence, from.offset, state);
    State own = *state;
    numbers[0] = curand(&own);
    numbers[1] = curand(&own);
    numbers[2] = curand_uniform(&own);
    numbers[3] = curand_uniform_double(&own);
    numbers[4] = curand_normal(&own);
    numbers[5] = curand_normal(&own);
    numbers[6] = curand_normal_double(&own);
    numbers[7] = curand_normal_double(&own);
    skipahead(7, &own);
    numbers[8] = curand(&own);
    skipahead_sequence(3, &own);
    numbers[9] = curand(&own);
    float2 pair = curand_normal2(&own);
    numbers[10] = pair.x;
    numbers[11] = pair.y;
    *state = own;
}

template <typename State> static bool same(int first)
{
    State *state_dev;
    double *numbers_dev, numbers[NUMBERS];
    cudaMalloc(&state_dev, sizeof *state_dev);
    cudaMalloc(&numbers_dev, sizeof numbers);
    bool good = true;
    for (int c = first; c < first + CASES; c++) {
        draw<<<1, 1>>>(starts[c], state_dev, numbers_dev);
        cudaMemcpy(numbers, numbers_dev, sizeof numbers, cudaMemcpyDeviceToHost);
        for (int i = 0; i < NUMBERS; i++) {
            good =
                good && fabs(numbers[i] - right[c][i]) <= (right[c][i] > 10 ? 0 : 1e-6);
        }
    }
    cudaFree(state_dev);
    cudaFree(numbers_dev);
    return good;
}

// Each thread has a subsequence of its own.
template <typename State> __global__ void inside(unsigned *count, int turns)
{
    State state;
    curand_init(99, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned found = 0;
    for (int i = 0; i < turns; i++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        found += x * x + y * y <= 1;
    }
    atomicAdd(count, found);
}

static void test_circle()
{
    unsigned *count_dev, count;
    cudaMalloc(&count_dev, sizeof count);
    cudaMemset(count_dev, 0, sizeof count);
    inside<curandState><<<4, 64>>>(count_dev, 100);
    inside<curandStatePhilox4_32_10_t><<<4, 64>>>(count_dev, 100);
    cudaMemcpy(&count, count_dev, sizeof count, cudaMemcpyDeviceToHost);
    claim(fabs(4.0 * count / 51200 - 3.14159) < 0.03, "pi by points in a circle");
    cudaFree(count_dev);
}

int main()
{
    claim(same<curandStateXORWOW_t>(0), "XORWOW");
    claim(same<curandStatePhilox4_32_10_t>(CASES), "Philox");
    test_circle();
}
