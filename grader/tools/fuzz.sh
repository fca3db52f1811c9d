#!/bin/sh
# fuzz.sh - lets libFuzzer invent bad files for the readers of files from anywhere: tensor files, maps,
# and the models of lab 11 (grader/tests/fuzz).
#
#   grader/tools/fuzz.sh                  every reader, 60 seconds each
#   grader/tools/fuzz.sh 600 map ...      these readers, 600 seconds each
#   READERS= grader/tools/fuzz.sh 0       builds only
#
# It needs clang with its runtime libraries (apt: clang libclang-rt-14-dev). What it finds stays in
# build/fuzz: corpus/READER holds files that reach different code, crash/READER those that crash. Put a
# crash into grader/tests/fuzz/corpus/READER; make test reads it from then on.
#
# Start reading at fuzz.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
clang=${CLANG:-clang}
out=build/fuzz
mkdir -p "$out/obj"

archive=
[ -e /usr/include/archive.h ] && archive=-DLAB_WITH_ARCHIVE
flags="-std=c17 -O1 -g -I labs -I solutions -I grader -DLAB_WITH_HALVES $archive"
flags="$flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
wrap='malloc calloc realloc aligned_alloc free strdup strndup exit'
wrap="$wrap archive_read_new archive_read_free"

sources() {
    for file in labs/common/*.c labs/programs/reading/*.c labs/programs/attnmap/*.c \
        grader/tests/fuzz/inside.c grader/tests/fuzz/readers.c grader/tests/fuzz/engine.c; do
        echo "$file"
    done
    # the labs that lab 11 uses, without lab 1, whose matmul is also lab 2's
    ls solutions/02_*/*.c solutions/03_*/*.c solutions/04_*/*.c solutions/05_*/*.c solutions/11_*/*.c
}

build() {
    objects=
    for source in $(sources); do
        object=$out/obj/$(echo "$source" | tr / _).o
        objects="$objects $object"
        # A change of a header also changes what is compiled.
        [ -z "$(find "$object" -newer "$source" 2>/dev/null)" ] ||
            [ -n "$(find labs solutions grader/tests/fuzz -name '*.h' -newer "$object")" ] || continue
        name=
        case $source in
        labs/programs/reading/main.c) name=-Dmain=read_model_main ;;
        labs/programs/attnmap/main.c) name=-Dmain=attnmap_main ;;
        esac
        "$clang" $flags $name -c -o "$object" "$source"
    done
    wraps=
    for name in $wrap; do
        wraps="$wraps -Wl,--wrap=$name"
    done
    "$clang" -fsanitize=fuzzer,address,undefined $wraps -o "$out/readers" $objects \
        -lcjson -ljansson -lutf8proc -lopenblas ${archive:+-larchive} -lz -lpthread -lm
}

# seed READER: puts right files into its corpus: libFuzzer changes files better than it invents them.
seed() {
    models=datasets/models
    case $1 in
    tensors | map*)
        python3 grader/tests/attnmap/files.py "$out/corpus/$1"
        rm -f "$out/corpus/$1/large.npy"
        ;;
    *-text) cp datasets/models/texts.json "$out/corpus/$1/" ;;
    *-config) cp "$models"/tiny-"${1%%-*}"/config.json "$out/corpus/$1/" ;;
    *-weights) cp "$models"/tiny-"${1%%-*}"-*16/model.safetensors "$out/corpus/$1/" ;;
    *-settings) cp "$models"/tiny-bert/tokenizer_config.json "$out/corpus/$1/" ;;
    *-tokenizer) cp "$models"/tiny-"${1%%-*}"/tokenizer.json "$out/corpus/$1/" ;;
    *-index) cp "$models"/*/model.safetensors.index.json "$out/corpus/$1/" ;;
    bert-vocabulary) cp "$models"/tiny-bert-float16/vocab.txt "$out/corpus/$1/" ;;
    gpt2-vocabulary) cp "$models"/tiny-gpt2-bfloat16/vocab.json "$out/corpus/$1/" ;;
    gpt2-merges) cp "$models"/tiny-gpt2-bfloat16/merges.txt "$out/corpus/$1/" ;;
    esac
}

# fuzz READER: exit status 1 if it crashed.
fuzz() {
    mkdir -p "$out/corpus/$1" "$out/crash/$1" "$out/tmp"
    [ -n "$(ls -A "$out/corpus/$1")" ] || seed "$1"
    seeds=
    [ -d "grader/tests/fuzz/corpus/$1" ] && seeds=grader/tests/fuzz/corpus/$1
    echo "== $1, $seconds seconds"
    READER=$1 TMPDIR=${TMPDIR:-$PWD/$out/tmp} OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE:-Prescott}" \
        ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1024 \
        "$out/readers" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$out/crash/$1/" "$out/corpus/$1" $seeds \
        >"$out/$1.log" 2>&1 || {
        grep -m 3 -E 'ERROR|runtime error|control character|left open|exit status' "$out/$1.log" ||
            tail -n 3 "$out/$1.log"
        return 1
    }
    grep -E 'number_of_executed_units' "$out/$1.log"
}

build
[ "$seconds" -gt 0 ] || exit 0
[ $# -gt 0 ] || set -- $(READER=? "$out/readers" 2>/dev/null || true)
status=0
for reader in "$@"; do
    fuzz "$reader" || status=1
done
exit $status
