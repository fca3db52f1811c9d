#!/bin/sh
# test_attnmap.sh - build/attnmap: every format it reads, everything it writes, bad files.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
attnmap=$B/attnmap
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/attnmap.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
NO_COLOR=1 LC_ALL=C.UTF-8 TMPDIR=$work/temporary
export NO_COLOR LC_ALL TMPDIR
mkdir "$work/files" "$TMPDIR"
python3 grader/tests/attnmap/files.py "$work/files" || exit 1
cd "$work/files" || exit 1
here=$OLDPWD
attnmap=$here/$attnmap

# ---- reading -------------------------------------------------------------------------------------

# same FILE OPTION...: FILE holds the numbers of a.npy
same() {
    "$attnmap" "$@" --out "$work/same.npy" && cmp a.npy "$work/same.npy"
}
"$attnmap" a.npy --out "$work/same.npy" && mv "$work/same.npy" a.npy # our header, not Python's
for file in version2.npy double.npy fortran.npy a.safetensors layers.safetensors; do
    claim "$file holds the weights of a.npy" same "$file"
done
claim "the sequence of a batch can be chosen" same batch.npy --batch 1
claim "one that was not chosen is named" says 0 "2 sequences; this is number 0" "$attnmap" batch.npy --layer 0 --head 0
claim "a tensor can be chosen by name" same two.safetensors --tensor probs
if ldd "$attnmap" | grep -q libarchive; then
    claim "an .npz file holds the weights of a.npy" same a.npz
else
    echo "ok - an .npz file holds the weights of a.npy # SKIP built without libarchive"
fi
# close FILE: the numbers differ from a.npy's, by less than bfloat16's 8 bits
close() {
    "$attnmap" "$1" --out "$work/close.npy" && python3 - "$work/close.npy" <<'END'
import struct, sys
read = lambda path: struct.unpack("<96f", open(path, "rb").read()[-384:])
ours, theirs = read(sys.argv[1]), read("a.npy")
sys.exit(any(abs(x - y) > y / 127 for x, y in zip(ours, theirs)) or ours == theirs)
END
}
for file in half.npy half.safetensors bfloat.safetensors; do
    claim "$file holds the weights, rounded" close "$file"
done
# one FILE OPTION...: its only map is head 0 of layer 0
"$attnmap" a.npy --layer 0 --head 0 --out "$work/one.tsv"
one() {
    "$attnmap" "$@" --out "$work/other.tsv" && cmp "$work/one.tsv" "$work/other.tsv"
}
for file in one.npy one.txt one.csv; do
    claim "$file holds one map" one "$file"
done
claim "a text file may hold a head in each paragraph" one heads.txt --head 0
claim "--axes names the axes" one bnts.npy --axes B,NH,T,S --head 0
claim "names in a text file become tokens" sh -c \
    "'$attnmap' named.csv | grep -q 'the *cat *sat *down'"

# ---- what is drawn -------------------------------------------------------------------------------

claim "--help lists the options" says 0 "--compare FILE2" "$attnmap" --help
claim "the terminal shows the weights of a head" says 0 "1.00" "$attnmap" a.safetensors --layer 1 --head 2
claim "the terminal shows the tokens" says 0 "it" "$attnmap" a.safetensors --layer 1 --head 2
claim "a forbidden cell is blank" says 0 "---" "$attnmap" a.npy --layer 0 --head 0
claim "the terminal shows a few maps, and says so" says 0 "--out maps.html" "$attnmap" large.npy
last_line() { tail -n 1 "${claim_said%/*}/said" | grep -q "^attnmap: these are the first 6 of "; }
claim "behind the maps, where it does not scroll away" last_line
claim "cross-attention has two lists of tokens" says 0 "vier" \
    "$attnmap" cross.npy --tokens a,b --key-tokens eins,zwei,drei,vier
mean_of_heads() {
    "$attnmap" a.npy --layer 0 --head mean --out "$work/mean.npy" && python3 - "$work/mean.npy" <<'END'
import struct, sys
a = struct.unpack("<96f", open("a.npy", "rb").read()[-384:])
mean = struct.unpack("<16f", open(sys.argv[1], "rb").read()[-64:])
sys.exit(any(abs(m - (a[i] + a[16 + i] + a[32 + i]) / 3) > 1e-6 for i, m in enumerate(mean)))
END
}
claim "--head mean is the mean of the heads" mean_of_heads
nothing_left() {
    "$attnmap" a.npy --compare a.npy --out "$work/zero.npy" && python3 - "$work/zero.npy" <<'END'
import sys
sys.exit(any(open(sys.argv[1], "rb").read()[-384:]))
END
}
claim "--compare with the same file leaves zeros" nothing_left
for ending in png svg pdf; do
    claim "a grid of heads is drawn as $ending" "$attnmap" a.npy --out "$work/grid.$ending"
    claim "one head is drawn as $ending" "$attnmap" a.safetensors --layer 0 --head 1 --out "$work/head.$ending"
    claim "a difference is drawn as $ending" "$attnmap" a.npy --compare half.npy --out "$work/difference.$ending"
done
claim "a PNG is a PNG" sh -c "head -c 8 '$work/grid.png' | od -An -tx1 | grep -q '89 50 4e 47'"
claim "a PDF is a PDF" sh -c "head -c 5 '$work/head.pdf' | grep -q '%PDF-'"
claim "an SVG shows a weight under the pointer" grep -q "query .*cat" "$work/head.svg"
claim "a log scale is drawn" "$attnmap" a.npy --log --out "$work/log.png"
claim "on a terminal the title says what its numbers are" says 0 "(log10 of the weights)" "$attnmap" a.npy --log --head 0 --layer 0
claim "drawing prints nothing" sh -c "[ -z \"\$('$attnmap' a.npy --out '$work/grid.png' 2>&1)\" ]"
claim "no temporary file is left" sh -c "[ -z \"\$(ls -A '$TMPDIR')\" ]"

# ---- frames --------------------------------------------------------------------------------------

# frames COUNT FILE: a GIF of so many pictures
frames() {
    python3 - "$1" "$2" <<'END'
import sys
gif = open(sys.argv[2], "rb").read()
sys.exit(not gif.startswith(b"GIF89a") or gif.count(b"\x21\xf9\x04") != int(sys.argv[1]))
END
}
"$attnmap" a.npy --head 1 --out "$work/layers.gif" 2>"$work/said"
claim "and nothing is said about it" [ ! -s "$work/said" ]
claim "a GIF shows the layers one after the other" frames 2 "$work/layers.gif"
"$attnmap" a.npy half.npy double.npy --layer 0 --head 1 --out "$work/files.gif" 2>"$work/said"
claim "a GIF shows the same head of several files" frames 3 "$work/files.gif"
claim "a frame is one map" says 1 "each frame is one map" "$attnmap" a.npy half.npy --out "$work/no.gif"
claim "frames have one size" says 1 "each frame is one map" "$attnmap" a.npy large.npy --layer 0 --head 0 --out "$work/no.gif"

# ---- measures ------------------------------------------------------------------------------------

# measured NAME: the map of a.npy is what Python computes, a row for each layer, a column for each head
measured() {
    "$attnmap" a.npy --tokens the,cat,the,sat --measure "$1" --src solutions --out "$work/measured.npy" &&
        python3 - "$1" "$work/measured.npy" <<'END'
import math, struct, sys
name, read = sys.argv[1], lambda path, n: struct.unpack("<%df" % n, open(path, "rb").read()[-4 * n:])
L, NH, T = 2, 3, 4
numbers, got = read("a.npy", L * NH * T * T), read(sys.argv[2], L * NH)
def measure(w):
    cells = [(t, s) for t in range(T) for s in range(T)]
    if name == "previous": return sum(w[t][t - 1] for t in range(1, T)) / (T - 1)
    if name == "next": return sum(w[t][t + 1] for t in range(T - 1)) / (T - 1)
    if name == "first": return sum(w[t][0] for t in range(T)) / T
    if name == "entropy": return -sum(w[t][s] * math.log(w[t][s]) for t, s in cells if w[t][s]) / T
    if name == "distance": return sum(w[t][s] * abs(t - s) for t, s in cells) / T
    return w[2][1] # induction: only "the" comes again, and "cat" followed
for n in range(L * NH):
    head = [numbers[(n * T + t) * T:(n * T + t + 1) * T] for t in range(T)]
    assert abs(measure(head) - got[n]) < 1e-5, (n, measure(head), got[n])
END
}
for name in previous next first entropy distance induction; do
    claim "--measure $name is what its formula gives" measured $name
done
printf '1 nan nan\n0.5 0.5 nan\n0.25 0.25 0.5\n' >"$work/blank.txt"
printf '1 0 0\n0.5 0.5 0\n0.25 0.25 0.5\n' >"$work/zero.txt"
blanks_are_zeros() { # MEASURE
    for name in blank zero; do
        "$attnmap" "$work/$name.txt" $1 --src solutions --out "$work/$name.tsv" >"$work/said" 2>&1 || return 1
        [ $name = zero ] || grep -q "blank cells count as 0" "$work/said" || return 1
    done
    cmp "$work/blank.tsv" "$work/zero.tsv"
}
for name in '--measure entropy' '--measure distance' --rollout; do
    claim "$name counts a blank cell as 0" blanks_are_zeros "$name"
done
printf '1e30 2\n3 4\n' >huge.txt
claim "a huge measure is drawn" says 0 "    0  -3e+31" "$attnmap" huge.txt --measure entropy --src solutions
claim "also as a picture" "$attnmap" huge.txt --measure entropy --src solutions --out "$work/huge.png"
claim "and a huge weight" says 0 "    0   1e+30    2.00" "$attnmap" huge.txt
claim "a measure is drawn" "$attnmap" a.npy --measure entropy --src solutions --out "$work/entropy.svg"
claim "its axes are layers and heads" sh -c "grep -q '>layer<' '$work/entropy.svg' && grep -q '>head<' '$work/entropy.svg'"
rows_sum_to_1() {
    "$attnmap" a.npy --rollout --src solutions --out "$work/rollout.npy" && python3 - "$work/rollout.npy" <<'END'
import struct, sys
rollout = struct.unpack("<16f", open(sys.argv[1], "rb").read()[-64:])
sys.exit(any(abs(sum(rollout[4 * t:4 * t + 4]) - 1) > 1e-3 or rollout[5 * t] < 0.25 for t in range(4)))
END
}
claim "--rollout mixes the layers: rows sum to 1, and a quarter stays on each token" rows_sum_to_1
claim "a measure of code that is not written names the exercise" \
    says 1 "11.6 attention_entropy: not written yet" "$attnmap" a.npy --measure entropy --src labs
claim "induction needs tokens" says 1 "induction needs the tokens" "$attnmap" a.npy --measure induction --src solutions
claim "an unknown measure is refused" says 2 "previous, next" "$attnmap" a.npy --measure no
claim "an unknown folder of code is refused" says 2 "no folder" "$attnmap" a.npy --measure next --src "$work/no"
claim "one of measure and rollout" says 2 "--measure or --rollout" "$attnmap" a.npy --measure next --rollout

# Weights of a small GPT-2: token 0 sees itself alone.
measure=$here/$B/measure
"$here/$B/read_model" --src solutions "$here/datasets/models/tiny-gpt2" --text "The cat sat." \
    --out "$work/gpt2.safetensors" >"$work/said" 2>&1
key_is_the_mean_of_a_column() {
    "$measure" --src solutions "$work/gpt2.safetensors" first >"$work/first" &&
        "$measure" --src solutions "$work/gpt2.safetensors" key --key 0 | cmp - "$work/first"
}
claim "build/measure key: of all queries, the mean of a column" key_is_the_mean_of_a_column
all_weights_are() { # NUMBER KEY
    "$measure" --src solutions "$work/gpt2.safetensors" key --query 0 --key "$2" >"$work/said" &&
        grep -q "$1" "$work/said" && ! sed "s/$1//g" "$work/said" | grep -q '[0-9]'
}
claim "build/measure key: token 0 attends to itself" all_weights_are 1.0000 0
claim "build/measure key: and to no other token" all_weights_are 0.0000 1
claim "build/measure key needs a key of the file" \
    says 1 "no such token" "$measure" --src solutions "$work/gpt2.safetensors" key --key 99

# ---- the page ------------------------------------------------------------------------------------

claim "a page is written" "$attnmap" a.safetensors --out "$work/page.html" --title 'A "title" & <i>more</i>'
claim "a token cannot become HTML" sh -c "! grep -q '<b>sat' '$work/page.html' && grep -q 'u003cb>sat' '$work/page.html'"
claim "a title cannot become HTML" sh -c "! grep -q '<i>more' '$work/page.html'"
claim "a page loads nothing" sh -c "! grep -E 'https?://' '$work/page.html' | grep -qv 'www.w3.org/2000/svg'"
# page_holds PAGE FILE TOLERANCE: the page's weights are those of the .npy file
page_holds() {
    python3 - "$1" "$2" "$3" <<'END'
import base64, json, re, struct, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
part = lambda name: re.search('<script id="%s"[^>]*>(.*?)</script>' % name, page, re.S).group(1)
about = json.loads(part("about-data"))
data = zlib.decompress(base64.b64decode(part("weights-data")))
count = len(about["maps"]) * about["T"] * about["S"]
file = open(sys.argv[2], "rb").read()
weights = struct.unpack("<%df" % count, file[len(file) - 4 * count:])
if about["levels"] == 0:
    page = struct.unpack("<%df" % count, data)
else:
    page = [about["high"] * (b / about["levels"]) ** 2 if b < 255 else 0 for b in data]
assert len(page) == count
page = [0 if x != x else x for x in page] # a forbidden cell
sys.exit(any(abs(x - y) > float(sys.argv[3]) * (y + 1e-4) ** 0.5 for x, y in zip(page, weights)))
END
}
claim "a small page holds the weights exactly" page_holds "$work/page.html" a.npy 0
claim "a page of many weights is written" "$attnmap" large.npy --out "$work/large.html"
claim "it holds them in steps" page_holds "$work/large.html" large.npy 0.005
claim "it is small" sh -c "[ \$(wc -c <'$work/large.html') -lt 1500000 ]"
if command -v chromium >/dev/null; then
    opened() {
        HOME=$work timeout 120 chromium --headless --no-sandbox --disable-gpu --timeout=20000 \
            --dump-dom "file://$work/$1" 2>/dev/null >"$work/dom" && grep -q "$2" "$work/dom"
    }
    claim "a browser shows a page" opened page.html 'layer 0, head 0'
else
    echo "ok - a browser shows a page # SKIP chromium is not installed"
fi

# ---- bad input -----------------------------------------------------------------------------------

# refused FILE: exit status 1, one line of less than 1000 characters that names the file, no output
refused() {
    "$attnmap" "$1" --out "$work/refused.png" >"$work/said" 2>&1
    got=$?
    head -n 5 "$work/said"
    [ "$got" -eq 1 ] && [ ! -e "$work/refused.png" ] && head -n 1 "$work/said" | grep -qF "$1" &&
        [ "$(wc -l <"$work/said")" -eq 1 ] && [ "$(wc -c <"$work/said")" -lt 1000 ]
}
for file in wrong-*; do
    case $file in
    *.npz) ldd "$attnmap" | grep -q libarchive || continue ;;
    esac
    claim "$file is refused" refused "$file"
done
claim "a missing file is refused" refused no-such-file.npy
claim "a folder is refused" refused .
claim "a wrong number of tokens is refused" says 1 "4 queries, but 2 tokens" "$attnmap" a.npy --tokens a,b
claim "a tensor that is not there is refused" says 1 "probs (2,3,4,4)" "$attnmap" two.safetensors --tensor no
claim "several tensors of different shapes need a name" says 1 "--tensor NAME" "$attnmap" two.safetensors
claim "files of other sizes are not compared" says 1 "--compare" "$attnmap" a.npy --compare large.npy
claim "a layer that is not there is refused" says 2 "there are 2 layers" "$attnmap" a.npy --layer 2
claim "two layers are refused" says 2 "--layer takes one value: it is given twice" "$attnmap" a.npy --layer 0 --layer 1
claim "a head that is not there is refused" says 2 "there are 3 heads" "$attnmap" a.npy --head 3
claim "a sequence that is not there is refused" says 2 "there is 1 sequence, numbered" "$attnmap" a.npy --batch 1
claim "an unknown format is refused" says 2 "must end in .png" "$attnmap" a.npy --out a.jpg
claim "no file is refused" says 2 "name a file" "$attnmap"
claim "two files are refused" says 2 "--compare" "$attnmap" a.npy one.npy
claim "a model needs a text" says 2 "--model needs --text" "$attnmap" --model .
claim "a model and a file are too much" says 2 "there is no file to read" "$attnmap" a.npy --model . --text a
claim "a folder without a model is refused" says 1 "config.json" "$attnmap" --model . --text a --src solutions
claim "unknown axes are refused" says 2 "B,NH,T,S" "$attnmap" a.npy --axes A,B,C,D
claim "NaN weights are reported" says 0 "1 weight is NaN" "$attnmap" strange.npy
claim "rows that do not sum to 1 are reported" says 0 "do not sum to 1; the first is query" "$attnmap" strange.npy
claim "a folder that cannot be written is an error" says 1 "No such file" "$attnmap" a.npy --out "$work/no/a.png"
echo old >"$work/old.html"
claim "a full disk is an error" sh -c "! (trap '' XFSZ; ulimit -f 8; '$attnmap' large.npy --out '$work/old.html')"
claim "the older file stays" grep -qx old "$work/old.html"
escape() { printf 'a\033[31m,b,c,d' >"$work/tokens" && "$attnmap" one.npy --tokens "$(cat "$work/tokens")" >"$work/said" 2>&1 && ! grep -q "$(printf '\033')" "$work/said"; }
claim "control characters in a token do not reach the terminal" escape

exit $status
