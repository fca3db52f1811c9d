"""What the generator gives; the order of the draws is the point. See grader/tests/test_rng.c."""

import torch

from golden_support import SEED

SIZES = list(range(1, 41)) + [63, 64, 65, 1000]


def seeded(seed, draw):
    """What draw() gives from a generator just seeded."""
    torch.manual_seed(seed)
    return draw()


def sizes():
    def of_each_size(draw):
        return torch.cat([draw(n) for n in SIZES])

    return {
        "sizes": torch.tensor(SIZES),
        # one generator through all sizes: an odd small randn leaves half a pair for a later one
        "randn.continued": seeded(1234, lambda: of_each_size(torch.randn)),
        "rand.continued": seeded(1234, lambda: of_each_size(torch.rand)),
        # a fresh generator for each size
        "randn.fresh": of_each_size(lambda n: seeded(1000 + n, lambda: torch.randn(n))),
    }


def seeds():
    """Only the lower 32 bits of a seed count."""
    chosen = [0, 1, 42, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 2**63 - 1]
    drawn = torch.stack([seeded(seed, lambda: torch.rand(3)) for seed in chosen])
    return {"seeds": torch.tensor(chosen), "seeds.rand": drawn}


def mixed():
    """Every kind of draw between small randns, whose pairs must survive."""
    torch.manual_seed(7)
    draws = {
        "00.randn3": torch.randn(3),
        "01.rand5": torch.rand(5),
        "02.randn1": torch.randn(1),
        "03.randn1": torch.randn(1),
        "04.randn20": torch.randn(20),
        "05.randn2": torch.randn(2),
        "06.randint_0_10": torch.randint(0, 10, (7,)),
        "07.randn1": torch.randn(1),
        "08.normal9": torch.empty(9).normal_(2.5, 0.1),
        "09.uniform6": torch.empty(6).uniform_(-0.3, 0.7),
        "10.randint_far": torch.randint(-(2**40), 2**40, (5,)),
        "11.normal33": torch.empty(33).normal_(-1.5, 3.0),
        "12.randn15": torch.randn(15),
        "13.randint_edge": torch.randint(-5, 2**32 - 5, (4,)),
        "14.randint_below": torch.randint(-5, 2**32 - 6, (4,)),
        "15.randint_all": torch.randint(-(2**63), 2**63 - 1, (4,)),
        "16.randn16": torch.randn(16),
        "17.randn5": torch.randn(5),
    }
    # seeding again drops the waiting half
    assert torch.equal(draws["00.randn3"], seeded(7, lambda: torch.randn(3)))
    return {"mixed." + name: tensor for name, tensor in draws.items()}


def layers():
    """Layers as torch fills them, one after the other."""
    torch.manual_seed(SEED)
    small = torch.nn.Linear(5, 3)
    plain = torch.nn.Linear(4, 7, bias=False)
    table = torch.nn.Embedding(10, 32)
    tiny = torch.nn.Embedding(3, 5)
    large = torch.nn.Linear(33, 17)
    weights = {
        "linear_5_3.w": small.weight,
        "linear_5_3.bias": small.bias,
        "linear_4_7.w": plain.weight,
        "embedding_10_32": table.weight,
        "embedding_3_5": tiny.weight,
        "linear_33_17.w": large.weight,
        "linear_33_17.bias": large.bias,
    }
    return {"layers." + name: tensor.detach() for name, tensor in weights.items()}


def tensors():
    return {**sizes(), **seeds(), **mixed(), **layers()}
