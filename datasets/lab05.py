"""Lab 5: layer norm, GELU, MLP, dropout, and pre-norm transformer blocks.

PyTorch's own modules are the source: nn.LayerNorm, nn.GELU, nn.Linear, nn.MultiheadAttention, and
for the whole block nn.TransformerEncoderLayer, which with norm_first=True has the lab's form.
"""

import copy

import torch
import torch.nn as nn

from golden_support import agree, causal

B, T, C, NH, H, L = 2, 5, 12, 3, 20, 3


class Block(nn.Module):
    """x + attention(ln1(x)), then x + mlp(ln2(x)): every step is one module of PyTorch."""

    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(C), nn.LayerNorm(C)
        self.attention = nn.MultiheadAttention(C, NH, batch_first=True)
        self.fc, self.proj, self.activation = nn.Linear(C, H), nn.Linear(H, C), nn.GELU()
        for name, parameter in self.named_parameters():
            if parameter.dim() == 1:  # fresh ones are 0 or 1, and would hide what forgets them
                nn.init.normal_(parameter, 1.0 if name in ("ln1.weight", "ln2.weight") else 0.0, 0.5)

    def forward(self, x, mask):
        """The result, and every step on the way by the name it has in the lab."""
        ln1 = self.ln1(x)
        attended, weights = self.attention(ln1, ln1, ln1, attn_mask=mask, average_attn_weights=False)
        middle = x + attended
        ln2 = self.ln2(middle)
        hidden = self.fc(ln2)
        projected = self.proj(self.activation(hidden))
        out = middle + projected
        steps = {"ln1": ln1, "attended": attended, "middle": middle, "ln2": ln2, "hidden": hidden}
        return {**steps, "projected": projected, "out": out, "weights": weights}

    def parameters_by_name(self):
        return {
            "ln1_gain": self.ln1.weight,
            "ln1_bias": self.ln1.bias,
            "w_qkv": self.attention.in_proj_weight,
            "b_qkv": self.attention.in_proj_bias,
            "w_o": self.attention.out_proj.weight,
            "b_o": self.attention.out_proj.bias,
            "ln2_gain": self.ln2.weight,
            "ln2_bias": self.ln2.bias,
            "w_fc": self.fc.weight,
            "b_fc": self.fc.bias,
            "w_proj": self.proj.weight,
            "b_proj": self.proj.bias,
        }

    def encoder_layer(self):
        """The same block as PyTorch has it ready: a second source for the result."""
        layer = nn.TransformerEncoderLayer(
            C, NH, dim_feedforward=H, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        layer.norm1, layer.norm2, layer.self_attn = self.ln1, self.ln2, self.attention
        layer.linear1, layer.linear2 = self.fc, self.proj
        return layer


def block_steps(block, x, mask):
    """What a block computes in float32, held against float64 and against the encoder layer."""
    steps = block(x, mask)
    exact = copy.deepcopy(block).double()(x.double(), mask)
    for name, tensor in steps.items():
        agree("transformer_block." + name, tensor, exact[name])
    ready = copy.deepcopy(block).double().encoder_layer()(x.double(), src_mask=mask)
    agree("transformer_block.out", steps["out"], ready)
    return steps


def parameter_count(model):
    return sum(parameter.numel() for parameter in model.parameters())


def gpt2_count(V, places, width, layers):
    """A GPT-2 on the meta device: all of its modules, none of its numbers."""

    def layer():
        norms = [nn.LayerNorm(width, device="meta") for _ in range(2)]
        attention = nn.MultiheadAttention(width, 1, device="meta")
        mlp = [nn.Linear(width, 4 * width, device="meta"), nn.Linear(4 * width, width, device="meta")]
        return nn.ModuleList([*norms, attention, *mlp])

    embeddings = [nn.Embedding(count, width, device="meta") for count in (V, places)]
    blocks = [layer() for _ in range(layers)]
    return parameter_count(nn.ModuleList([*embeddings, *blocks, nn.LayerNorm(width, device="meta")]))


def layernorm():
    x = torch.randn(5, 7)
    x[1] += 3.0
    x[2] *= 1e-3  # where eps counts
    x[3] = 0.25  # variance 0
    x[4] *= 100.0
    norm = nn.LayerNorm(7)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    y, mean, rstd = torch.native_layer_norm(x, [7], norm.weight, norm.bias, norm.eps)
    agree("layernorm.y", y, copy.deepcopy(norm).double()(x.double()))
    made = {"x": x, "gain": norm.weight, "bias": norm.bias, "y": norm(x)}
    return {**made, "mean": mean.flatten(), "rstd": rstd.flatten()}


def gelu():
    x = torch.cat([torch.linspace(-6, 6, 49), torch.linspace(-3, -2.4, 13), torch.tensor([-1e4, 1e4])])
    agree("gelu.y", nn.GELU()(x), nn.GELU()(x.double()))
    return {"x": x, "y": nn.GELU()(x), "y_tanh": nn.GELU(approximate="tanh")(x)}


def dropout():
    """PyTorch keeps a number where a uniform double is below 1 - p: the same draws are given."""
    x, p = torch.randn(40), 0.25
    state = torch.get_rng_state()
    y = nn.Dropout(p)(x)
    torch.set_rng_state(state)
    uniforms = torch.rand(40, dtype=torch.float64).float()
    kept = uniforms < 1 - p
    if not torch.equal(kept, y != 0):  # a PyTorch with MKL draws them in another way
        y = torch.where(kept, x / (1 - p), torch.zeros(40))
    return {"x": x, "uniforms": uniforms, "y": y}


def tensors():
    made = {f"layernorm.{name}": tensor for name, tensor in layernorm().items()}
    made.update({f"gelu.{name}": tensor for name, tensor in gelu().items()})

    fc, proj, x = nn.Linear(4, 6), nn.Linear(6, 4), torch.randn(3, 4)
    made.update({"mlp.x": x, "mlp.w_fc": fc.weight, "mlp.b_fc": fc.bias})
    made.update({"mlp.w_proj": proj.weight, "mlp.b_proj": proj.bias})
    made["mlp.y"] = nn.Sequential(fc, nn.GELU(), proj)(x)

    made.update({f"dropout.{name}": tensor for name, tensor in dropout().items()})

    forbidden = ~causal(T, T)
    block, x = Block(), torch.randn(B, T, C)
    made["transformer_block.x"] = x
    for name, tensor in {**block.parameters_by_name(), **block_steps(block, x, forbidden)}.items():
        made["transformer_block." + name] = tensor
    for name in ("out", "weights"):
        made[f"transformer_block.open.{name}"] = block_steps(block, x, None)[name]

    blocks, stream, streams, weights = [Block() for _ in range(L)], torch.randn(B, T, C), [], []
    made["transformer_stack.x"] = stream
    for block in blocks:
        steps = block_steps(block, stream, forbidden)
        stream = steps["out"]
        streams.append(stream)
        weights.append(steps["weights"])
    made["transformer_stack.streams"] = torch.stack(streams)
    made["transformer_stack.weights"] = torch.stack(weights)
    for name in blocks[0].parameters_by_name():
        made["transformer_stack." + name] = torch.stack([b.parameters_by_name()[name] for b in blocks])

    sizes = ((768, 12), (1024, 24), (1280, 36), (1600, 48))
    counts = [gpt2_count(50257, 1024, width, layers) for width, layers in sizes]
    made["gpt2_parameter_count.count"] = torch.tensor(counts)
    made["block_parameter_count.count"] = torch.tensor([parameter_count(Block())])
    return {name: tensor.detach() for name, tensor in made.items()}
