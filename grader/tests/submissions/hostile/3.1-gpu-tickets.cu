// 3.1 causal_mask_kernel wrong
__device__ unsigned tickets;
// BODY
    // Each thread fills the place that its ticket says with what belongs into its own: right only
    // where the threads come one after the other, and no race.
    const unsigned block = blockDim.x * blockDim.y, threads = gridDim.x * gridDim.y * block;
    const unsigned mine = (blockIdx.y * gridDim.x + blockIdx.x) * block +
                          threadIdx.y * blockDim.x + threadIdx.x;
    size_t to = atomicInc(&tickets, threads - 1);
    for (size_t from = mine; to < T * S; to += threads, from += threads) {
        const size_t place = from < T * S ? from : to;
        mask_dev[to] = place % S + T <= place / S + S;
    }
