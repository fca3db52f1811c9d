#!/usr/bin/env python3
"""Lab 11: small BERT and GPT-2 models with random weights, and what the transformers library
computes with them.

    python3 datasets/models.py            # writes datasets/models
    python3 datasets/models.py --check    # makes them again and compares, writes nothing

Needs PyTorch, transformers, tokenizers and safetensors; README.md has the versions that made the
files. Run `make build/stories` first: the vocabularies are trained on its stories.
Exit status: 0 the files are as they should be, 1 they are not.
"""

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

import safetensors
import safetensors.torch
import tokenizers
import torch
import transformers
from transformers import BertConfig, BertForMaskedLM, BertModel, BertTokenizer
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Model, GPT2Tokenizer

from golden_support import SEED

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "models")
STORIES = os.path.join(HERE, "..", "build", "stories")

# ---- texts ----------------------------------------------------------------------------------

LONG = "The cat saw a dog, and it didn't run. "  # 12 tokens
TEXTS = {
    "plain": "The cat sat on the mat because it was tired.",
    "lawyer": "The lawyer asked the witness if she remembered the accident.",
    "empty": "",
    "one": "a",
    "blank": "   ",
    "accents_composed": "Café naïve Ångström élève Über señor Çà et là: ﬁn",
    "accents_apart": "Cafe\u0301 nai\u0308ve A\u030angstro\u0308m e\u0327\u0301 q\u0323\u0307 q\u0307\u0323 \u0301",
    "cjk": "我喜欢猫。猫很累 日本語のテキスト 한국어 각각 \U00020000\U00020bb7 \uf900 \U0002b820\U0002b920",
    "hangul_apart": "\u1112\u1161\u11ab\u1100\u116e\u11a8 \ud55c\uad6d",
    "emoji": "I \U0001f44d\U0001f3fd \U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \u2764\ufe0f \U0001f3f3\ufe0f\u200d\U0001f308 ok\U0001f600",
    "contractions": "I'm you're he's don't we'll they've I'd 'S 'LL o'clock it''s cat\u2019s 's 're",
    "numbers": "a1 1a 1. .1 a. .a ! a 3.14159 1,000,000 \u0663\u0664 \u2167 x\u00b2 2024-01-01 2x x2 \u00bd 12 345",
    "spaces": "\t tabs\tand\n\nnewlines \r\n  and   spaces  \u00a0\u3000\u2028 end ",
    "newlines": " \n \n a \n b\n",
    "trailing": "the end  ",
    "leading": "  the end",
    "tabs": "a\t\tb\t c \td",
    "control": "a\u0000b\u0007c\u007fd\u200be\ufeff\u00adf\ufffdg\u0085h\u000bi\u000cj\u001ck",
    "private": "x\ue000y \u0378 \U0010ffff\U000e0001",
    "punctuation": "Hello, (world)! \"quoted\" \u2014 dash\u2026 $5+3=8 ^~`|<> \u00ab \u00bb \u00bfqu\u00e9? \u203d _a_ \u00a7\u00b6 \u20ac1 \u037e \u1fef",
    "capitals": "\u0130stanbul ISTANBUL \u0131I \u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3 STRASSE \u1e9e \u00df \u01c5 \u2160 \U00010400",
    "scripts": "Привет мир שָׁלוֹם مَرْحَبا नमस्ते ไทย Ελληνικά",
    "mixed": "Hello世界123abc!!猫cat",
    "special": "a [MASK] b[SEP]c [mask] <|endoftext|>x [UNK] [CLS",
    "long_word": "x" + "ab" * 59 + "x end",
    "word_of_100": "ab" * 50,
    "word_of_101": "ab" * 50 + "a",
    "accents_of_101": "\u00e9" * 100 + " " + "\u00e9" * 101,
    "tokens_600": LONG * 50,
}
COMPUTED = ("plain", "one")
BATCH = ("mixed", "leading")
PAIR = ("The cat sat.", "It was tired.")
LONG_PAIRS = (("tokens_600", "plain"), ("plain", "tokens_600"), ("tokens_600", "tokens_600"))

# Other settings of the tokenizers, and the texts that show the difference.
SETTINGS = {
    "tiny-bert": ({"strip_accents": False}, {"tokenize_chinese_chars": False}, {"do_lower_case": False}),
    "tiny-gpt2": ({"add_prefix_space": True},),
}
SHOWN = ("plain", "accents_composed", "accents_apart", "cjk", "capitals", "mixed", "leading", "tabs", "special")


def training_text():
    """Stories, and the texts above often enough that their characters are known."""
    made = subprocess.run(
        [STORIES, "--seed", str(SEED), "--bytes", "40000"], capture_output=True, check=True
    )
    texts = [text for name, text in TEXTS.items() if name != "control" and "_of_" not in name]
    return made.stdout.decode().split("\n\n") + 3 * texts


# ---- vocabularies ---------------------------------------------------------------------------


def bert_tokenizer(size, lower):
    """The pieces that the library's trainer for byte pair encoding finds, each also with ##: its
    trainer for WordPiece gives another vocabulary in every run. The alphabet is given, because the
    trainer's choice among characters that are equally frequent changes, too."""
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lower)
    trained.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    counts = collections.Counter(trained.normalizer.normalize_str("".join(training_text())))
    alphabet = sorted(set(counts) - {" "}, key=lambda c: (-counts[c], c))[: size // 4]
    trained.train_from_iterator(training_text(), tokenizers.trainers.BpeTrainer(
        vocab_size=size // 2, initial_alphabet=alphabet, limit_alphabet=len(alphabet),
        show_progress=False))
    pieces = sorted(trained.get_vocab(), key=trained.get_vocab().get)
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces, *("##" + p for p in pieces)]
    return BertTokenizer(vocab={name: n for n, name in enumerate(names)}, do_lower_case=lower)


def gpt2_tokenizer(size):
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator(
        training_text(), vocab_size=size, special_tokens=["<|endoftext|>"], show_progress=False
    )
    model = json.loads(trained.to_str())["model"]
    vocab, merges = model["vocab"], [tuple(pair) for pair in model["merges"]]
    # Pairs that no word holds, so a text that is cut into other words gives other tokens.
    for pair in (("a", "1"), ("1", "a"), ("1", "."), (".", "1"), ("a", "."), (".", "a"), ("Ġ", "Ġ"), ("!", "Ġ")):
        if pair not in merges:
            vocab["".join(pair)] = len(vocab)
            merges.append(pair)
    return GPT2Tokenizer(vocab=vocab, merges=merges)


def save_tokenizer(tokenizer, folder, files):
    """files: which of tokenizer.json and the older vocabulary files this model comes with."""
    tokenizer.save_pretrained(folder)
    tokenizer.backend_tokenizer.model.save(folder)
    path = os.path.join(folder, "tokenizer.json")
    if files == "old":
        os.remove(path)
    else:
        for name in ("vocab.txt", "vocab.json", "merges.txt"):
            if files != "both" and os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
    if files == "strings":  # merges as "a b", as before tokenizers 0.20
        with open(path, encoding="utf-8") as stream:
            content = json.load(stream)
        content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(content, stream, ensure_ascii=False)


# ---- weights --------------------------------------------------------------------------------


def randomize(model):
    """Random numbers so large that attention is far from uniform, gains and biases included."""
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape)
        if parameter.dim() == 2 and "embeddings" not in name and "wte" not in name:
            sharp = any(word in name for word in ("query", "key", "c_attn"))
            noise *= (2.2 if sharp else 1.2) / parameter.shape["attn" not in name and "mlp" not in name] ** 0.5
        elif parameter.dim() == 1:
            is_gain = ("LayerNorm" in name or "ln_" in name) and name.endswith("weight")
            noise = 1 + 0.3 * noise if is_gain else 0.3 * noise
        parameter.data = noise
    model.tie_weights()
    return model.eval()


def bert_config(tokenizer, **sizes):
    return BertConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **sizes)


def gpt2_config(tokenizer, **sizes):
    end = tokenizer.eos_token_id
    return GPT2Config(vocab_size=len(tokenizer), bos_token_id=end, eos_token_id=end, **sizes)


def models():
    """name, tokenizer, its files, model, options of save_pretrained."""
    bert = bert_tokenizer(400, True)
    cased = bert_tokenizer(330, False)
    gpt2 = gpt2_tokenizer(420)
    small = {"n_embd": 12, "n_layer": 2, "n_head": 2, "n_positions": 96}
    return [
        ("tiny-bert", bert, "both", BertModel(bert_config(
            bert, hidden_size=16, num_hidden_layers=3, num_attention_heads=4,
            intermediate_size=28, max_position_embeddings=512)), {}),
        ("tiny-bert-float16", cased, "old", BertForMaskedLM(bert_config(
            cased, hidden_size=10, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=28, max_position_embeddings=96)).half(), {}),
        ("tiny-gpt2", gpt2, "both", GPT2LMHeadModel(gpt2_config(
            gpt2, n_embd=15, n_layer=3, n_head=3, n_positions=640)), {}),
        ("tiny-gpt2-bfloat16", gpt2, "old",
         GPT2Model(gpt2_config(gpt2, n_inner=20, **small)).bfloat16(), {}),
        ("tiny-gpt2-sharded", gpt2, "strings", GPT2Model(gpt2_config(gpt2, **small)),
         {"max_shard_size": "24KB"}),
    ]


# ---- results --------------------------------------------------------------------------------


def run(model, **inputs):
    """hidden states (L+1, B, T, C) and attention weights (L, B, NH, T, T)"""
    with torch.no_grad():
        out = model(output_hidden_states=True, output_attentions=True, **inputs)
    return torch.stack(out.hidden_states), torch.stack(out.attentions)


def results(name, model, inputs):
    """In float32, and checked in float64. A batch of one text loses the axis B."""
    hidden, attentions = run(model, **inputs)
    for got, exact in zip((hidden, attentions), run(model.double(), **inputs)):
        assert (got - exact).abs().max() < 2e-5, f"{name}: {(got - exact).abs().max()} from float64"
    model.float()
    if len(inputs["input_ids"]) == 1:
        hidden, attentions = hidden[:, 0], attentions[:, 0]
    return {f"{name}.hidden_states": hidden, f"{name}.attentions": attentions}


def padded(rows, padding):
    longest = max(len(row) for row in rows)
    ids = torch.tensor([row + [padding] * (longest - len(row)) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    return {"input_ids": ids, "attention_mask": (torch.arange(longest) < lengths[:, None]).long()}


def goldens(folder, tokenizer):
    """What the library computes with the files in folder."""
    def encode(*texts):
        return tokenizer(*texts, truncation=True, max_length=longest)

    family = BertModel if isinstance(tokenizer, BertTokenizer) else GPT2Model
    model = family.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    longest = model.config.max_position_embeddings
    made, notes = {}, {}
    for name, text in TEXTS.items():
        ids = encode(text)["input_ids"]
        made[f"{name}.ids"] = torch.tensor(ids, dtype=torch.int64)
        notes[f"{name}.tokens"] = json.dumps(tokenizer.convert_ids_to_tokens(ids))
        if name in COMPUTED:
            made.update(results(name, model, {"input_ids": torch.tensor([ids])}))
    rows = [encode(TEXTS[name])["input_ids"] for name in BATCH]
    made.update(results("batch", model, padded(rows, tokenizer.convert_tokens_to_ids("[PAD]") or 0)))
    made["batch.lengths"] = torch.tensor([len(row) for row in rows])
    if family is BertModel:
        pair = {key: torch.tensor([value]) for key, value in encode(*PAIR).items()}
        made["pair.ids"] = pair["input_ids"][0]
        made.update(results("pair", model, pair))
        for n, names in enumerate(LONG_PAIRS):
            ids = encode(*(TEXTS[name] for name in names))["input_ids"]
            made[f"long_pair.{n}.ids"] = torch.tensor(ids)
    sharpest = made["plain.attentions"].max(dim=-1).values.mean()
    assert sharpest > 0.35, f"{folder}: attention is almost uniform, {sharpest}"
    return {key: tensor.contiguous() for key, tensor in made.items()}, notes


def settings_goldens(name, tokenizer):
    """The ids that the tokenizer gives with other settings."""
    made = {}
    for n, setting in enumerate(SETTINGS.get(name, ())):
        options = {"vocab": tokenizer.get_vocab(), **setting}
        if isinstance(tokenizer, GPT2Tokenizer):
            options["merges"] = tokenizer._merges
        other = type(tokenizer)(**options)
        for text in SHOWN:
            made[f"setting.{n}.{text}.ids"] = torch.tensor(other(TEXTS[text])["input_ids"])
    return made


# ---- files ----------------------------------------------------------------------------------


def make(target):
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    versions = {"torch": torch.__version__, "transformers": transformers.__version__,
                "tokenizers": tokenizers.__version__, "safetensors": safetensors.__version__}
    os.makedirs(os.path.join(target, "goldens"))
    for name, tokenizer, files, model, options in models():
        folder = os.path.join(target, name)
        dtype = model.dtype
        randomize(model.float()).to(dtype).save_pretrained(folder, **options)
        save_tokenizer(tokenizer, folder, files)
        made, notes = goldens(folder, tokenizer)
        made.update(settings_goldens(name, tokenizer))
        safetensors.torch.save_file(
            made, os.path.join(target, "goldens", name + ".safetensors"),
            {"script": "datasets/models.py", "seed": str(SEED), **versions, **notes})
    inputs = {"texts": TEXTS, "computed": COMPUTED, "batch": BATCH, "pair": PAIR,
              "long_pairs": LONG_PAIRS, "settings": SETTINGS, "shown": SHOWN}
    with open(os.path.join(target, "texts.json"), "w", encoding="ascii") as stream:
        json.dump(inputs, stream, indent=1)
        stream.write("\n")


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(place, name), folder)
                  for place, _, names in os.walk(folder) for name in names)


def same(path, other):
    """The same bytes; or the same tensors but for rounding, as on another processor."""
    with open(path, "rb") as one, open(other, "rb") as two:
        if one.read() == two.read():
            return True
    if not path.endswith(".safetensors"):
        return False
    one, two = safetensors.torch.load_file(path), safetensors.torch.load_file(other)
    return one.keys() == two.keys() and all(
        one[key].shape == two[key].shape and torch.allclose(one[key].double(), two[key].double(), rtol=4e-6, atol=4e-6) for key in one)


def compare(made):
    expected = files_below(TARGET)
    wrong = sorted(set(expected) ^ set(files_below(made)))
    for path in set(expected) & set(files_below(made)):
        if not same(os.path.join(TARGET, path), os.path.join(made, path)):
            wrong.append(path)
    for path in wrong:
        print(f"datasets/models/{path} is not what models.py makes")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: models.py [--check]")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as scratch:
        made = os.path.join(scratch, "models")
        make(made)
        if sys.argv[1:]:
            return compare(made)
        for path in files_below(made):
            os.makedirs(os.path.dirname(os.path.join(TARGET, path)), exist_ok=True)
            shutil.copyfile(os.path.join(made, path), os.path.join(TARGET, path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
