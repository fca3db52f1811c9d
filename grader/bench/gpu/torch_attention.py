"""Measures PyTorch's attention on a card, beside the last ladder of make gpu-bench.

    torch_attention.py B NH T hs

Causal attention of heads (B,NH,T,hs) in bf16 by each of PyTorch's fused kernels, timed as
measure.cu times ours: 50 runs, the L2 cache overwritten before each. Prints a Markdown table, or
why there is none.
"""

import sys

RUNS = 50


def main():
    B, NH, T, hs = map(int, sys.argv[1:])
    try:
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
    except ImportError:
        print("PyTorch's attention: not measured (python3 has no PyTorch 2.3 or newer)")
        return
    if not torch.cuda.is_available():
        print("PyTorch's attention: not measured (this PyTorch does not see the card)")
        return

    torch.manual_seed(1)
    q, k, v = (torch.rand(B, NH, T, hs, device="cuda", dtype=torch.bfloat16) * 2 - 1
               for _ in range(3))
    flush = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size,
                        dtype=torch.uint8, device="cuda")

    def run():
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    def times():
        for _ in range(3):
            run()
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)]
                  for _ in range(RUNS)]
        for i, (start, end) in enumerate(events):
            flush.fill_(i)
            start.record()
            run()
            end.record()
        torch.cuda.synchronize()
        return sorted(1000 * start.elapsed_time(end) for start, end in events)

    operations = 2.0 * B * NH * T * (T + 1) * hs  # of the pairs that a query sees
    print(f"the same in PyTorch {torch.__version__}, bf16\n")
    print("| kernels of | median µs | 10 % to 90 % | GFLOP/s |")
    print("|---|---:|---:|---:|")
    for backend in "FLASH_ATTENTION", "CUDNN_ATTENTION":
        try:
            with sdpa_kernel(getattr(SDPBackend, backend)):
                t = times()
        except (AttributeError, RuntimeError) as error:
            print(f"| {backend} (not run: {str(error).splitlines()[0]}) | | | |")
            continue
        last = RUNS - 1
        median = t[last // 2]
        print(f"| {backend} | {median:.1f} | {t[last // 10]:.1f} to {t[last * 9 // 10]:.1f} "
              f"| {operations / median / 1e3:.1f} |")


main()
