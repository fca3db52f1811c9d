// groups.cu - cooperative groups: the block, tiles, the threads of a branch.

#include <cstdio>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

static int *out_dev, out[64];

static void claim(const char *name, int (*expected)(int thread))
{
    bool right =
        cudaGetLastError() == cudaSuccess &&
        cudaMemcpy(out, out_dev, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; i < 64; i++) {
        if (out[i] != expected(i)) {
            printf("# thread %d: %d, not %d\n", i, out[i], expected(i));
            right = false;
            break;
        }
    }
    printf("%s - %s\n", right ? "ok" : "not ok", name);
    cudaMemset(out_dev, 0, sizeof out);
}

__global__ void whole_block(int *out)
{
    __shared__ int seen[64];
    cg::thread_block block = cg::this_thread_block();
    seen[block.thread_rank()] = (int)block.thread_rank();
    cg::sync(block);
    out[block.thread_rank()] = seen[block.size() - 1 - block.thread_rank()];
}

template <unsigned N> __global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<N> tile = cg::tiled_partition<N>(block);
    int rank = (int)block.thread_rank();
    int sum = cg::reduce(tile, rank, cg::plus<int>());
    int largest = cg::reduce(tile, rank, cg::greater<int>());
    out[rank] = sum * 1000 + largest * 10 + (int)(tile.meta_group_rank() % 10);
}

__global__ void neighbors(int *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int rank = (int)tile.thread_rank();
    struct wide {
        double value;
        int rank;
    } mine = {rank + 0.5, rank}, next = tile.shfl_down(mine, 1);
    bool some = tile.any(rank == 3), every = tile.all(rank < 16);
    out[cg::this_thread_block().thread_rank()] =
        (int)next.value * 100 + next.rank + (some && every ? 10000 : 0) +
        (tile.ballot(rank == 2) == 4u ? 20000 : 0);
}

__global__ void branch(int *out)
{
    if (threadIdx.x % 3 == 1) {
        cg::coalesced_group group = cg::coalesced_threads();
        int before = cg::exclusive_scan(group, 1);
        int sum = cg::reduce(group, (int)threadIdx.x, cg::plus<int>());
        out[threadIdx.x] = (int)group.size() * 10000 + before * 1000 + sum;
    } else {
        out[threadIdx.x] = __popc(__activemask());
    }
}

__global__ void matches(int *out)
{
    int all = 0;
    unsigned same = __match_any_sync(0xffffffff, threadIdx.x % 4);
    __match_all_sync(0xffffffff, threadIdx.x / 32, &all);
    out[threadIdx.x] = __popc(same) + 100 * all +
                       (int)__reduce_xor_sync(0xffffffff, threadIdx.x % 32) * 1000;
}

__global__ void by_barrier(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int copied[64];
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    out[threadIdx.x] = 5 * threadIdx.x;
    barrier.arrive_and_wait();
    cuda::memcpy_async(&copied[threadIdx.x], &out[63 - threadIdx.x],
                       cuda::aligned_size_t<4>(sizeof(int)), barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = copied[63 - threadIdx.x] + copied[threadIdx.x];
}

__global__ void wide_tiles(int *out)
{
    __shared__ cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    int rank = (int)threadIdx.x;
    int sum = cg::reduce(tile, rank, cg::plus<int>());
    int first = tile.shfl(rank, 0);
    tile.sync();
    if (rank >= 64) {
        out[rank - 64] = sum * 10 + first / 64 + tile.any(rank == 100);
    }
}

__global__ void by_value(int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int rank = (int)threadIdx.x;
    auto odd = cg::binary_partition(tile, rank % 2 == 1);
    auto equal = cg::labeled_partition(tile, rank % 5);
    out[rank] = cg::reduce(odd, rank, cg::plus<int>()) * 10 + (int)equal.size();
}

// Each block adds its part; after the grid's barrier each block reads all parts, twice.
__global__ void whole_grid(int *out, int *parts)
{
    extern __shared__ int mine[];
    __shared__ int fixed;
    cg::grid_group grid = cg::this_grid();
    mine[threadIdx.x] = (int)grid.thread_rank();
    if (threadIdx.x == 0) {
        fixed = blockIdx.x;
    }
    __syncthreads();
    int kept = mine[15 - threadIdx.x], sum = 0;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 1 + (int)blockIdx.x;
    }
    cg::sync(grid);
    for (unsigned b = 0; b < gridDim.x; b++) {
        sum += parts[b];
    }
    grid.sync();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 100 * sum;
    }
    grid.sync();
    out[grid.thread_rank()] = parts[(blockIdx.x + 1) % gridDim.x] + fixed +
                              (kept == mine[15 - threadIdx.x] && grid.is_valid() ? 0 : 9);
}

int main()
{
    cudaMalloc(&out_dev, sizeof out);
    cudaMemset(out_dev, 0, sizeof out);
    whole_block<<<1, dim3(8, 4, 2)>>>(out_dev);
    claim("a_block_waits", [](int t) { return 63 - t; });
    tiles<8><<<1, 64>>>(out_dev);
    claim("tiles_of_8_reduce", [](int t) {
        return (t / 8 * 8 * 8 + 28) * 1000 + (t / 8 * 8 + 7) * 10 + t / 8;
    });
    tiles<32><<<1, 64>>>(out_dev);
    claim("tiles_of_32_reduce", [](int t) {
        return (t / 32 * 32 * 32 + 496) * 1000 + (t / 32 * 32 + 31) * 10 + t / 32;
    });
    neighbors<<<1, 64>>>(out_dev);
    claim("tiles_exchange_structures_and_vote", [](int t) {
        int next = t % 16 < 15 ? t % 16 + 1 : 15;
        return next * 100 + next + 30000;
    });
    branch<<<1, 64>>>(out_dev);
    claim("the_threads_of_a_branch", [](int t) {
        int size = 0, before = 0, sum = 0;
        for (int other = t / 32 * 32; other < t / 32 * 32 + 32; other++) {
            bool in = other % 3 == 1;
            size += in;
            before += in && other < t;
            sum += in ? other : 0;
        }
        return t % 3 == 1 ? size * 10000 + before * 1000 + sum : 32 - size;
    });
    matches<<<1, 64>>>(out_dev);
    claim("equal_lanes_find_each_other", [](int) { return 8 + 100; });
    by_barrier<<<1, 64>>>(out_dev);
    claim("a_barrier_and_copies_that_end_there", [](int) { return 5 * 63; });
    wide_tiles<<<1, 128>>>(out_dev);
    claim("tiles_of_more_than_a_warp", [](int) { return 64 * (64 + 127) / 2 * 10 + 2; });
    by_value<<<1, 64>>>(out_dev);
    claim("parts_of_a_warp_by_value", [](int t) {
        int sum = 0, equal = 0;
        for (int other = t / 32 * 32; other < t / 32 * 32 + 32; other++) {
            sum += other % 2 == t % 2 ? other : 0;
            equal += other % 5 == t % 5;
        }
        return sum * 10 + equal;
    });
    int *parts;
    cudaMalloc(&parts, 4 * sizeof(int));
    void *arguments[] = {&out_dev, &parts};
    cudaLaunchCooperativeKernel((void *)whole_grid, dim3(4), dim3(16), arguments,
                                16 * sizeof(int));
    claim("a_grid_waits", [](int t) { return 1000 + t / 16; });
    cudaFree(parts);
    cudaFree(out_dev);
}
