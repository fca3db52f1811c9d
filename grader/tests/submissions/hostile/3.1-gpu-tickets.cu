// 3.1 causal_mask_kernel wrong
__device__ unsigned tickets;
// BODY
    // Each thread takes a ticket and writes the value for its own index at the ticket's index. That
    // is right only if the threads run one after another, and it is not a race.
    const unsigned block = blockDim.x * blockDim.y, threads = gridDim.x * gridDim.y * block;
    const unsigned mine = (blockIdx.y * gridDim.x + blockIdx.x) * block +
                          threadIdx.y * blockDim.x + threadIdx.x;
    size_t to = atomicInc(&tickets, threads - 1);
    for (size_t from = mine; to < T * S; to += threads, from += threads) {
        const size_t place = from < T * S ? from : to;
        mask_dev[to] = place % S + T <= place / S + S;
    }
