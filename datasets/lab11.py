"""Lab 11: numbers of two bytes, a layer of BERT, a block of GPT-2, and measures of heads.

PyTorch's own modules are the source: nn.LayerNorm, nn.GELU, nn.MultiheadAttention. A second source for
the layer and the block is nn.TransformerEncoderLayer: with norm_first=False it is BERT's, and with
norm_first=True, a causal mask and the GELU with tanh it is GPT-2's.
"""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from golden_support import agree, causal

B, T, C, NH, H, L = 2, 5, 12, 3, 20, 3
BERT_EPS, GPT2_EPS = 1e-12, 1e-5


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


class Layer(nn.Module):
    """The modules that BERT's layer and GPT-2's block have in common."""

    def __init__(self, eps):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(C, eps=eps), nn.LayerNorm(C, eps=eps)
        self.attention = nn.MultiheadAttention(C, NH, batch_first=True)
        self.fc, self.proj = nn.Linear(C, H), nn.Linear(H, C)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 1:  # fresh ones are 0 or 1, and would hide what forgets them
                nn.init.normal_(parameter, 1.0 if name in ("ln1.weight", "ln2.weight") else 0.0, 0.5)

    def attend(self, x, **masks):
        return self.attention(x, x, x, average_attn_weights=False, **masks)

    def encoder_layer(self, activation, norm_first):
        """The same layer as PyTorch has it ready."""
        layer = nn.TransformerEncoderLayer(
            C, NH, dim_feedforward=H, dropout=0.0, activation=activation, batch_first=True, norm_first=norm_first
        )
        layer.norm1, layer.norm2, layer.self_attn = self.ln1, self.ln2, self.attention
        layer.linear1, layer.linear2 = self.fc, self.proj
        return layer


class Bert(Layer):
    def forward(self, x, padding=None):
        """padding (B, T): True for a token that nobody may see."""
        attended, weights = self.attend(x, key_padding_mask=padding)
        middle = self.ln1(x + attended)
        projected = self.proj(nn.GELU()(self.fc(middle)))
        out = self.ln2(middle + projected)
        return {"attended": attended, "middle": middle, "projected": projected, "out": out, "weights": weights}

    def parameters_by_name(self):
        w_q, w_k, w_v = self.attention.in_proj_weight.chunk(3)
        b_q, b_k, b_v = self.attention.in_proj_bias.chunk(3)
        return {
            **{"w_q": w_q, "b_q": b_q, "w_k": w_k, "b_k": b_k, "w_v": w_v, "b_v": b_v},
            **{"w_o": self.attention.out_proj.weight, "b_o": self.attention.out_proj.bias},
            **{"ln1_gain": self.ln1.weight, "ln1_bias": self.ln1.bias},
            **{"w_fc": self.fc.weight, "b_fc": self.fc.bias, "w_proj": self.proj.weight, "b_proj": self.proj.bias},
            **{"ln2_gain": self.ln2.weight, "ln2_bias": self.ln2.bias},
        }

    def ready(self, x, padding=None):
        return self.encoder_layer("gelu", False)(x, src_key_padding_mask=padding)


class Gpt2(Layer):
    def forward(self, x):
        ln1 = self.ln1(x)
        attended, weights = self.attend(ln1, attn_mask=~causal(T, T))
        middle = x + attended
        ln2 = self.ln2(middle)
        projected = self.proj(gelu_tanh(self.fc(ln2)))
        steps = {"ln1": ln1, "attended": attended, "middle": middle, "ln2": ln2}
        return {**steps, "projected": projected, "out": middle + projected, "weights": weights}

    def parameters_by_name(self):
        """Matrices as GPT-2's files have them: (in, out)."""
        return {
            **{"ln1_gain": self.ln1.weight, "ln1_bias": self.ln1.bias},
            **{"w_qkv": self.attention.in_proj_weight.t(), "b_qkv": self.attention.in_proj_bias},
            **{"w_o": self.attention.out_proj.weight.t(), "b_o": self.attention.out_proj.bias},
            **{"ln2_gain": self.ln2.weight, "ln2_bias": self.ln2.bias},
            **{"w_fc": self.fc.weight.t(), "b_fc": self.fc.bias},
            **{"w_proj": self.proj.weight.t(), "b_proj": self.proj.bias},
        }

    def ready(self, x):
        return self.encoder_layer(gelu_tanh, True)(x, src_mask=~causal(T, T))


def steps_of(name, layer, *inputs):
    """What a layer computes in float32, held against float64 and against PyTorch's own layer."""
    steps = layer(*inputs)
    exact = copy.deepcopy(layer).double()
    exact_inputs = [t.double() if t.is_floating_point() else t for t in inputs]
    for key, tensor in exact(*exact_inputs).items():
        agree(f"{name}.{key}", steps[key], tensor)
    agree(f"{name}.out", steps["out"], exact.ready(*exact_inputs))
    return steps


def numbers():
    """Every 61st pattern of 16 bits, as bytes, and what they are as bfloat16 and as half."""
    patterns = torch.arange(0, 65536, 61)
    signed = torch.where(patterns < 32768, patterns, patterns - 65536).to(torch.int16)
    return {
        "numbers.bytes": torch.stack([patterns % 256, patterns // 256], dim=1).to(torch.uint8),
        "bfloat16_to_float.y": signed.view(torch.bfloat16).float(),
        "float16_to_float.y": signed.view(torch.float16).float(),
    }


def post_norm():
    """Rows: unit normal; around 3; times 1e-4, where lab 5's eps would count; equal numbers."""
    x, branch = torch.randn(4, 7), torch.randn(4, 7)
    x[1] += 3.0
    x[2] *= 1e-4
    branch[2] *= 1e-4
    x[3], branch[3] = 0.5, -0.25
    norm = nn.LayerNorm(7, eps=BERT_EPS)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    y = norm(x + branch)
    agree("post_norm.y", y, copy.deepcopy(norm).double()((x + branch).double()))
    return {"x": x, "branch": branch, "gain": norm.weight, "bias": norm.bias, "y": y}


def measures():
    """Six heads, two of them causal, and the tokens of a text in which three of seven come again."""
    tokens = torch.tensor([4, 2, 4, 7, 2, 4, 9])
    scores = 2.0 * torch.randn(L, 2, 7, 7)
    scores[0].masked_fill_(~causal(7, 7), float("-inf"))
    weights = scores.softmax(dim=-1)
    exact = weights.double()
    places = torch.arange(7.0, dtype=torch.float64)
    again = [(t, max(s for s in range(t) if tokens[s] == tokens[t]) + 1) for t in (2, 4, 5)]
    rollout = torch.eye(7, dtype=torch.float64)
    for layer in exact:
        rollout = (layer.mean(dim=0) + torch.eye(7)) / 2 @ rollout
    made = {
        "previous_token_share": exact.diagonal(-1, -2, -1).mean(dim=-1),
        "next_token_share": exact.diagonal(1, -2, -1).mean(dim=-1),
        "first_token_share": exact[..., 0].mean(dim=-1),
        "attention_entropy": torch.special.entr(exact).sum(dim=-1).mean(dim=-1),
        "attention_distance": (exact * (places[:, None] - places).abs()).sum(dim=-1).mean(dim=-1),
        "induction_share": torch.stack([exact[..., t, s] for t, s in again]).mean(dim=0),
        "attention_rollout": rollout,
    }
    return {"weights": weights, "tokens": tokens, **{name: t.float() for name, t in made.items()}}


def named(prefix, made):
    return {f"{prefix}.{name}": tensor for name, tensor in made.items()}


def tensors():
    made = {**numbers(), **named("post_norm", post_norm())}

    bert, x = Bert(BERT_EPS), torch.randn(B, T, C)
    padding = torch.arange(T)[None, :] >= torch.tensor([5, 3])[:, None]
    made.update(named("bert_layer", {"x": x, **bert.parameters_by_name()}))
    made["bert_layer.mask"] = (~padding)[:, None, :].expand(B, T, T).to(torch.uint8)
    made.update(named("bert_layer.open", steps_of("bert_layer.open", bert, x)))
    made.update(named("bert_layer.masked", steps_of("bert_layer.masked", bert, x, padding)))

    x = torch.cat([torch.linspace(-6, 6, 49), torch.tensor([-1e4, 1e4])])
    agree("gelu_tanh.y", gelu_tanh(x), gelu_tanh(x.double()))
    made.update({"gelu_tanh.x": x, "gelu_tanh.y": gelu_tanh(x)})

    x, w, bias = torch.randn(5, 4), torch.randn(4, 7), torch.randn(7)
    made.update(named("linear_in_out", {"x": x, "w": w, "bias": bias, "y": torch.addmm(bias, x, w)}))

    gpt2, x = Gpt2(GPT2_EPS), torch.randn(B, T, C)
    made.update(named("gpt2_block", {"x": x, **gpt2.parameters_by_name()}))
    made.update(named("gpt2_block", steps_of("gpt2_block", gpt2, x)))

    made.update(named("measures", measures()))
    return {name: tensor.detach() for name, tensor in made.items()}
