"""Writes models with one mistake each, for test_reading.sh, and some that are only unusual.

    python3 grader/tests/reading/hostile.py FOLDER

For each wrong model, FOLDER/NAME/ holds its files, and FOLDER/NAME.says holds words that the error
message must contain, one group on each line. For each unusual model, FOLDER/NAME.same holds the name
of the model that gives the same numbers.
"""

import json
import os
import shutil
import struct
import sys

MODELS = "datasets/models"
FOLDER = sys.argv[1]


def change(name, base, *says):
    """A copy of the model base. Returns its folder."""
    folder = os.path.join(FOLDER, name)
    shutil.copytree(f"{MODELS}/{base}", folder)
    with open(folder + ".says", "w", encoding="utf-8") as stream:
        stream.write("".join(words + "\n" for words in says))
    return folder


def write(folder, file, content):
    with open(os.path.join(folder, file), "wb") as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())


def read(folder, file):
    with open(os.path.join(folder, file), "rb") as stream:
        return stream.read()


def edit_json(folder, file, edit):
    content = json.loads(read(folder, file))
    edit(content)
    write(folder, file, json.dumps(content))


def config(name, base, key, value, *says):
    edit_json(change(name, base, *says), "config.json",
              lambda content: content.update({key: value}))


def tokenizer(name, base, edit, *says):
    edit_json(change(name, base, *says), "tokenizer.json", edit)


# ---- weights --------------------------------------------------------------------------------


def split(folder, file="model.safetensors"):
    content = read(folder, file)
    (length,) = struct.unpack_from("<Q", content)
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def joined(header, data):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def weights(name, base, edit, *says):
    """edit changes the header."""
    folder = change(name, base, *says)
    header, data = split(folder)
    edit(header)
    write(folder, "model.safetensors", joined(header, data))


def rename(header, old, new):
    header[new] = header.pop(old)


def reshape(header, name, shape):
    header[name]["shape"] = shape


QUERY = "encoder.layer.1.attention.self.query.weight"
weights("key-missing", "tiny-bert", lambda h: rename(h, QUERY, "other"),
        f"'{QUERY}' or 'bert.{QUERY}'", "(16, 16)")
weights("shape-wrong", "tiny-bert", lambda h: reshape(h, QUERY, [8, 32]),
        f"'{QUERY}' has the shape (8, 32)", "(16, 16)")
weights("axes-wrong", "tiny-bert", lambda h: reshape(h, QUERY, [256]), f"'{QUERY}'", "(256)", "(16, 16)")
weights("type-wrong", "tiny-bert",
        lambda h: h[QUERY].update({"dtype": "I64", "shape": [8, 16]}), f"'{QUERY}'")
weights("prefixed-key-missing", "tiny-gpt2", lambda h: rename(h, "transformer.h.2.mlp.c_fc.bias", "x"),
        "'transformer.h.2.mlp.c_fc.bias'", "(60)")
weights("header-lies", "tiny-bert", lambda h: h[QUERY].update({"data_offsets": [0, 1024]}),
        "model.safetensors", "expected")
folder = change("weights-cut", "tiny-bert", "model.safetensors")
write(folder, "model.safetensors", read(folder, "model.safetensors")[:-100])
folder = change("header-long", "tiny-bert", "model.safetensors: bytes 0-7")
write(folder, "model.safetensors", struct.pack("<Q", 1 << 62) + read(folder, "model.safetensors")[8:])
folder = change("weights-empty", "tiny-bert", "model.safetensors")
write(folder, "model.safetensors", b"")
folder = change("weights-missing", "tiny-bert", "there is no model.safetensors")
os.remove(f"{folder}/model.safetensors")
folder = change("weights-pickled", "tiny-bert", "there is no model.safetensors", "save_pretrained")
os.rename(f"{folder}/model.safetensors", f"{folder}/pytorch_model.bin")

INDEX = "model.safetensors.index.json"
folder = change("shard-elsewhere", "tiny-gpt2-sharded", "weight_map", "wte.weight")
edit_json(folder, INDEX, lambda c: c["weight_map"].update({"wte.weight": "../../secret"}))
folder = change("shard-missing", "tiny-gpt2-sharded", "model-00002-of-00002.safetensors: No such file")
os.remove(f"{folder}/model-00002-of-00002.safetensors")
folder = change("shard-lacks-key", "tiny-gpt2-sharded", "'h.0.ln_1.weight'")
header, data = split(folder, "model-00002-of-00002.safetensors")
if "h.0.ln_1.weight" in header:
    rename(header, "h.0.ln_1.weight", "x")
    write(folder, "model-00002-of-00002.safetensors", joined(header, data))
else:
    header, data = split(folder, "model-00001-of-00002.safetensors")
    rename(header, "h.0.ln_1.weight", "x")
    write(folder, "model-00001-of-00002.safetensors", joined(header, data))
folder = change("no-shards", "tiny-gpt2-sharded", "weight_map")
write(folder, INDEX, '{"weight_map": {}}')

# ---- config.json ----------------------------------------------------------------------------

config("heads-do-not-divide", "tiny-bert", "num_attention_heads", 5, "5 heads", "16")
config("heads-zero", "tiny-bert", "num_attention_heads", 0, "num_attention_heads", "from 1")
config("layers-negative", "tiny-bert", "num_hidden_layers", -1, "num_hidden_layers")
config("layers-many", "tiny-bert", "num_hidden_layers", 4000000, "'encoder.layer.3.")
config("width-huge", "tiny-gpt2", "n_embd", 3 << 60, "n_embd")
config("vocabulary-huge", "tiny-bert", "vocab_size", 1 << 40, "vocab_size")
config("width-half", "tiny-bert", "hidden_size", 16.5, "hidden_size")
config("width-word", "tiny-bert", "hidden_size", "16", "hidden_size")
config("width-missing", "tiny-gpt2", "n_embd", None, "n_embd is missing")
config("family-unknown", "tiny-bert", "model_type", "llama", '"llama"', '"bert"')
config("family-number", "tiny-bert", "model_type", 7, "model_type should be a string")
config("other-activation", "tiny-bert", "hidden_act", "relu", '"relu"', '"gelu"')
config("exact-gelu", "tiny-gpt2", "activation_function", "gelu", '"gelu"', '"gelu_new"')
config("other-eps", "tiny-bert", "layer_norm_eps", 1e-5, "1e-05", "1e-12")
config("decoder", "tiny-bert", "is_decoder", True, "is_decoder")
config("scaled-by-layer", "tiny-gpt2", "scale_attn_by_inverse_layer_idx", True,
       "scale_attn_by_inverse_layer_idx")
for name, content, says in (
        ("config-deep", '{"a":' + "[" * 10000 + "]" * 10000 + "}", "depth"),
        ("config-cut", '{"model_type": "be', "line 1"),
        ("config-empty", "", "line 1"),
        ("config-list", "[1, 2]", "object"),
        ("config-twice", '{"model_type": "bert", "model_type": "gpt2"}', "duplicate"),
        ("config-latin1", b'{"model_type": "b\xe9rt"}', "line 1"),
        ("config-not-finite", '{"model_type": "bert", "hidden_size": 1e999}', "line 1")):
    write(change(name, "tiny-bert", "config.json", says), "config.json", content)
folder = change("config-missing", "tiny-bert", "there is no config.json")
os.remove(f"{folder}/config.json")
folder = change("config-pipe", "tiny-bert", "config.json: not a regular file")
os.remove(f"{folder}/config.json")
os.mkfifo(f"{folder}/config.json")
folder = change("config-folder", "tiny-bert", "config.json: not a regular file")
os.remove(f"{folder}/config.json")
os.mkdir(f"{folder}/config.json")

# ---- tokenizers -----------------------------------------------------------------------------

vocabulary = lambda content: content["model"]["vocab"]
write(change("tokenizer-deep", "tiny-bert", "tokenizer.json", "depth"), "tokenizer.json",
      '{"model":' * 10000 + "1" + "}" * 10000)
tokenizer("same-number", "tiny-bert", lambda c: vocabulary(c).update({"the": 9}), "'the'", "same number, 9")
tokenizer("number-large", "tiny-bert", lambda c: vocabulary(c).update({"new": 405}), "'new'", "405")
tokenizer("number-negative", "tiny-bert", lambda c: vocabulary(c).update({"new": -1}), "'new'")
tokenizer("number-word", "tiny-bert", lambda c: vocabulary(c).update({"new": "x\x1b[31m"}), "'new'")
tokenizer("number-and-escape", "tiny-bert", lambda c: vocabulary(c).update({"n\x1b[31mew": -1}), "'n?[31mew'")
tokenizer("vocabulary-list", "tiny-bert", lambda c: c["model"].update({"vocab": [["a", -1.5]]}), "vocabulary")
tokenizer("added-number-large", "tiny-gpt2", lambda c: c["added_tokens"][0].update({"id": 99999}),
          "'<|endoftext|>'")
tokenizer("added-stripped", "tiny-bert", lambda c: c["added_tokens"][4].update({"lstrip": True}),
          "'[MASK]'", "lstrip")
tokenizer("other-model", "tiny-bert", lambda c: c["model"].update({"type": "Unigram"}), "Unigram", "WordPiece")
tokenizer("other-normalizer", "tiny-bert", lambda c: c.update({"normalizer": {"type": "NFKC"}}), "NFKC")
tokenizer("other-pieces", "tiny-bert", lambda c: c["model"].update({"continuing_subword_prefix": "@@"}), "##")
tokenizer("merges-ignored", "tiny-gpt2", lambda c: c["model"].update({"ignore_merges": True}), "ignore_merges")
tokenizer("no-regex", "tiny-gpt2", lambda c: c["pre_tokenizer"].update({"use_regex": False}), "use_regex")
edit_json(change("other-class", "tiny-bert-float16", '"BertJapaneseTokenizer"', "BertTokenizer"),
          "tokenizer_config.json", lambda c: c.update({"tokenizer_class": "BertJapaneseTokenizer"}))
tokenizer("no-unknown", "tiny-bert", lambda c: (
    vocabulary(c).pop("[UNK]"), c["added_tokens"].pop(1)), "no token [UNK]")
tokenizer("no-byte", "tiny-gpt2", lambda c: (vocabulary(c).pop("!"), c["model"].update({"merges": []})),
          "the byte 33")
tokenizer("merge-unknown", "tiny-gpt2", lambda c: c["model"]["merges"].append(["q", "zzz"]),
          "merge 171", "'zzz'")
tokenizer("merge-result-unknown", "tiny-gpt2", lambda c: c["model"]["merges"].append(["q", "z"]),
          "merge 171", "'qz'")
tokenizer("merge-of-three", "tiny-gpt2", lambda c: c["model"]["merges"].append(["a", "b", "c"]), "merge 171")
tokenizer("merge-number", "tiny-gpt2", lambda c: c["model"]["merges"].append(7), "merge 171")
tokenizer("merge-words", "tiny-gpt2-sharded", lambda c: c["model"]["merges"].append("a b c"), "merge 171", "'a b c'")
folder = change("merge-line", "tiny-gpt2-bfloat16", "merges.txt", "merge 171", "'alone'")
write(folder, "merges.txt", read(folder, "merges.txt") + b"alone\n")
folder = change("merges-missing", "tiny-gpt2-bfloat16", "merges.txt in this folder")
os.remove(f"{folder}/merges.txt")
folder = change("vocabulary-missing", "tiny-bert-float16", "vocab.txt in this folder")
os.remove(f"{folder}/vocab.txt")
folder = change("vocabulary-long", "tiny-bert-float16", "vocab.txt", "more than vocab_size = 335 lines")
write(folder, "vocab.txt", read(folder, "vocab.txt") + b"one more\n")
write(change("vocabulary-empty", "tiny-bert-float16", "no token [UNK]"), "vocab.txt", "")
folder = change("vocabulary-not-utf8", "tiny-bert-float16", "vocab.txt: line 1 is not UTF-8")
write(folder, "vocab.txt", b"caf\xe9\n" + read(folder, "vocab.txt"))
folder = change("vocabulary-zero", "tiny-bert-float16", "vocab.txt: line 1 is not UTF-8")
write(folder, "vocab.txt", b"a\0b\n" + read(folder, "vocab.txt"))

# ---- unusual models -------------------------------------------------------------------------


def unusual(name, base):
    folder = change(name, base)
    os.rename(folder + ".says", folder + ".same")
    with open(folder + ".same", "w", encoding="utf-8") as stream:
        stream.write(base + "\n")
    return folder


def old_names(header):
    for name in list(header):
        if "LayerNorm" in name:
            rename(header, name, name.replace("weight", "gamma").replace("bias", "beta"))


folder = unusual("old-names", "tiny-bert")
header, data = split(folder)
old_names(header)
write(folder, "model.safetensors", joined(header, data))

# Tensors that lab 11 does not use, of types that no weight has.
folder = unusual("more-tensors", "tiny-gpt2")
header, data = split(folder)
for name, dtype, size in (("h.0.attn.bias", "BOOL", 1), ("h.0.attn.masked_bias", "I32", 4), ("x", "U16", 2)):
    header[name] = {"dtype": dtype, "shape": [1, 3], "data_offsets": [len(data), len(data) + 3 * size]}
    data += bytes(3 * size)
write(folder, "model.safetensors", joined(header, data))

# Line ends of Windows, and a file without the last one.
folder = unusual("windows", "tiny-bert-float16")
write(folder, "vocab.txt", read(folder, "vocab.txt").replace(b"\n", b"\r\n"))
folder = unusual("no-last-line-end", "tiny-gpt2-bfloat16")
write(folder, "merges.txt", read(folder, "merges.txt").rstrip(b"\n").replace(b"\n", b"\r\n"))

# A NaN in a bias of layer 1. Not refused, but said.
folder = os.path.join(FOLDER, "not-a-number")
shutil.copytree(f"{MODELS}/tiny-bert", folder)
header, data = split(folder)
at = header["encoder.layer.1.output.dense.bias"]["data_offsets"][0]
write(folder, "model.safetensors", joined(header, data[:at] + struct.pack("<f", float("nan")) + data[at + 4 :]))
