#!/bin/sh
# test_train.sh - build/train works as documented: a run can be stopped, killed and resumed, a
# checkpoint is never lost, and every error gets one line.
set -u
cd "$(dirname "$0")/../.." || exit 1

B=${BUILD:-build}
train=$B/trainer/solutions/train
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch" "$B/trainer$scratch" "$B/explore/obj$scratch" build/gpu/*"$scratch"' EXIT
claim_said=$scratch/out
. grader/tests/claim.sh
unset NO_COLOR
export ASAN_OPTIONS=verify_asan_link_order=0 # kills.c is loaded in front of it

# fails STATUS PATTERN OPTIONS...: train ends with that status and prints one line that matches.
fails() {
    expected=$1 pattern=$2
    shift 2
    timeout 20 "$train" --quiet "$@" >"$scratch/printed" 2>"$scratch/error" </dev/null
    got=$?
    cat "$scratch/printed" "$scratch/error"
    echo "exit status $got"
    [ $got -eq "$expected" ] && [ "$(wc -l <"$scratch/error")" -eq 1 ] &&
        grep -qE -e "$pattern" "$scratch/error"
}
quiet() {
    "$train" --quiet --rows 640 --held-out 8 "$@"
}
same() {
    cmp "$scratch/$1" "$scratch/$2"
}

# ---- help, without building anything ------------------------------------------------------

the_programs_text() { # PROGRAM FILE
    "$B/$1" --help | diff "labs/programs/help/$2.txt" -
}
claim "labs/programs/help has the text of train --help" the_programs_text trainer/solutions/train train
for name in train-language generate generate-cached; do
    claim "labs/programs/help has the text of $name --help" \
        the_programs_text "trainer/solutions/$name" "$name"
done
for name in read_model measure; do
    claim "labs/programs/help has the text of $name --help" the_programs_text "reader/solutions/$name" "$name"
done
helps_without_make() { # WORDS...: the launcher prints the help although there is no make
    mkdir -p "$scratch/no-make"
    printf '#!/bin/sh\necho make was called >&2\nexit 1\n' >"$scratch/no-make/make"
    chmod +x "$scratch/no-make/make"
    PATH="$scratch/no-make:$PATH" "$@" --help | grep "^usage: "
}
claim "build/train --help compiles nothing" helps_without_make "$B/train"
claim "build/train --lab 8 --help compiles nothing" helps_without_make "$B/train" --lab 8
claim "build/generate --help compiles nothing" helps_without_make "$B/generate"
claim "build/read_model --help compiles nothing" helps_without_make "$B/read_model"

# ---- a stopped and resumed run gives the same numbers --------------------------------------

some="--task sort --layers 2 --dropout 0.2 --clip 0.5 --batch 8"
quiet $some --steps 40 --save "$scratch/whole" --log "$scratch/whole.tsv"
quiet $some --steps 17 --save "$scratch/part"
cp "$scratch/part" "$scratch/first"
quiet --resume "$scratch/part" --steps 40 --save "$scratch/part" --log "$scratch/part.tsv"
claim "17 steps and 23 after a resume equal 40 steps, bit for bit, even with dropout" same whole part
tail -n 23 "$scratch/whole.tsv" | cut -f 1-2 >"$scratch/a"
tail -n 23 "$scratch/part.tsv" | cut -f 1-2 >"$scratch/b"
claim "the losses in the log are the same" same a b
quiet $some --steps 40 --save "$scratch/again" --save-every 3 --every 7
claim "saving and measuring do not change the numbers" same whole again

# ---- Ctrl-C, kill -9, full disks ------------------------------------------------------------

# After the first measurement the run is interrupted. The loop also reads the lines after that.
mkfifo "$scratch/pipe"
"$train" --every 100 --save "$scratch/stopped" --steps 10000000 >"$scratch/pipe" 2>&1 &
trained=$!
while read -r line; do
    echo "$line"
    case $line in step*) kill -INT $trained 2>"$scratch/late" ;; esac
done <"$scratch/pipe" >"$scratch/words"
wait $trained
interrupted=$?
claim "Ctrl-C ends it with status 130" [ $interrupted -eq 130 ]
at=$(sed -n 's/^stopped after step \([0-9]*\);.*/\1/p' "$scratch/words")
claim "the message tells how to continue" [ -n "$at" ]
"$train" --quiet --every 100 --steps "${at:-1}" --save "$scratch/straight"
claim "the checkpoint has the parameters of the step at which the run stopped" same stopped straight

claim "it says if the model was not saved" says 0 "the model was not saved; --save FILE keeps it" "$train" --steps 2
claim "one that is saved is named" says 0 "saved $scratch/kept" "$train" --steps 2 --save "$scratch/kept"
is_quiet() { ! grep -q 'not saved' "$scratch/said"; }
claim "and then nothing is said about the other" is_quiet

quiet --steps 5 --save "$scratch/good"
resume() { # FILE OPTIONS...
    file=$1
    shift
    timeout 20 "$train" --quiet --held-out 8 --resume "$scratch/$file" "$@"
}
# Killed at every point where it touches a file, and resumed each time.
${CC:-gcc} -shared -fPIC -o "$scratch/kills.so" grader/tests/train/kills.c -ldl || exit 1
# A run of 12 steps that saves after every third step, into FILE, FILE.tsv and FILE.maps.
run_of_12() { # FILE OPTIONS...
    name=$scratch/$1
    shift
    quiet --batch 8 --steps 12 --every 2 --save-every 3 --save "$name" --log "$name.tsv" \
        --map-log "$name.maps" --map-at 0,2,5,9,12 "$@"
}
killed_at() { # PLACE FILE OPTIONS...
    place=$1
    shift
    (LD_PRELOAD=$scratch/kills.so KILL_AT=$place run_of_12 "$@") 2>"$scratch/killed"
}
parses() { # TABLE COLUMNS: the table is complete and has every row from step 0 on
    awk -F '\t' -v columns="$2" '
        NF != columns || (NR > 1 && columns == 3 && $1 != NR - 2) { exit 1 }
        END { print NR - 2 }' "$1" && [ -z "$(tail -c 1 "$1")" ]
}
survives_kill() {
    run_of_12 unkilled || return 1
    place=0
    while :; do
        place=$((place + 1))
        rm -f "$scratch"/dead*
        killed_at $place dead && break # it reached its end
        if [ -e "$scratch/dead.tsv" ]; then
            last=$(parses "$scratch/dead.tsv" 3) && parses "$scratch/dead.maps" 8 >"$scratch/rows" ||
                [ ! -e "$scratch/dead.maps" ] || { echo "half a table after place $place"; return 1; }
        fi
        if [ -e "$scratch/dead" ]; then
            "$train" --best --resume "$scratch/dead" || return 1
            at=$(LC_ALL=C grep -ao '"step":"[0-9]*"' "$scratch/dead" | tr -dc 0-9)
            [ "$last" -ge "$at" ] || { echo "step $at is saved, the log ends with $last"; return 1; }
            set -- --resume "$scratch/dead"
        else
            set --
        fi
        run_of_12 dead "$@" && same unkilled dead && same unkilled.tsv dead.tsv &&
            same unkilled.maps dead.maps || { echo "killed at place $place"; return 1; }
    done
    echo "$place places"
    [ $place -gt 30 ]
}
claim "killed at every place, the resumed run has the same checkpoint, log and maps" survives_kill
survives_kills() { # one run that is killed several times, each time a little later
    rm -f "$scratch"/dead*
    set --
    place=7
    until killed_at $place dead "$@"; do
        place=$((place + 5))
        [ ! -e "$scratch/dead" ] || set -- --resume "$scratch/dead"
    done
    same unkilled dead && same unkilled.tsv dead.tsv && same unkilled.maps dead.maps
}
claim "a run that is killed again and again gives the same files" survives_kills
other_table() {
    cp "$scratch/part.tsv" "$scratch/other.tsv"
    fails 1 "other.tsv: it ends with step 40, and the checkpoint is at 41" --resume "$scratch/later" \
        --steps 42 --log "$scratch/other.tsv" && same part.tsv other.tsv || return 1
    head -n 20 "$scratch/whole.tsv" >"$scratch/other.tsv"
    fails 1 "ends with step 18" --resume "$scratch/whole" --steps 42 --log "$scratch/other.tsv" || return 1
    sed 5d "$scratch/whole.tsv" >"$scratch/other.tsv"
    fails 1 "not a table of build/train" --resume "$scratch/whole" --steps 42 --log "$scratch/other.tsv" || return 1
    cp "$scratch/dead.maps" "$scratch/other.tsv"
    fails 1 "not a table of build/train" --resume "$scratch/whole" --steps 42 --log "$scratch/other.tsv" &&
        same dead.maps other.tsv
}
quiet --resume "$scratch/whole" --steps 41 --save "$scratch/later"
claim "a log that does not belong to the run is refused and kept" other_table
logs_divergence() {
    fails 3 diverged --steps 100 --lr 10 --rows 640 --log "$scratch/steep.tsv" &&
        [ "$(parses "$scratch/steep.tsv" 3)" -ge 2 ]
}
claim "a run that diverges keeps its losses" logs_divergence
maps_after_resume() { # maps are written before the first step, which this run has passed, and after the last
    quiet --resume "$scratch/whole" --steps 42 --map-log "$scratch/two.maps" &&
        [ "$(cut -f 1 "$scratch/two.maps" | uniq | tr '\n' ' ')" = "step 42 " ]
}
claim "a resumed run writes the remaining maps" maps_after_resume

# Two kinds of files: those left by a killed run, and others with similar names. The others
# belong to a live run (this shell, or a process that holds the lock) or to another checkpoint,
# have another form of name, or are folders.
tidies() {
    sh -c 'exit 0' &
    gone=$!
    wait $gone
    left="run.$gone-0.tmp run.$gone-17.tmp"
    others="run.$$-0.tmp other.$gone-0.tmp run.$gone-0.tmp.tmp run.x-0.tmp run.$gone.tmp run.tmp"
    mkdir -p "$scratch/tidy/run.$gone-1.tmp"
    for name in $left $others run.$gone-2.tmp; do
        echo half >"$scratch/tidy/$name"
    done
    (
        flock 9
        quiet --steps 1 --save "$scratch/tidy/run"
    ) 9<"$scratch/tidy/run.$gone-2.tmp"
    ls "$scratch/tidy"
    for name in $left; do
        [ ! -e "$scratch/tidy/$name" ] || return 1
    done
    for name in $others "run.$gone-1.tmp" "run.$gone-2.tmp" run; do
        [ -e "$scratch/tidy/$name" ] || return 1
    done
}
claim "a run removes partial files that killed runs left beside its checkpoint, and nothing else" tidies
leaves_nothing() { # after the kills above
    (cd "$scratch" && ls dead*)
    [ "$(cd "$scratch" && echo dead*)" = "dead dead.maps dead.tsv" ]
}
claim "no file of the killed runs is left" leaves_nothing

cp "$scratch/whole" "$scratch/kept"
no_room() {
    (
        ulimit -f 100
        "$train" --quiet --resume "$scratch/kept" --steps 41 --save "$scratch/kept"
    ) 2>"$scratch/error"
    [ $? -eq 1 ] && cat "$scratch/error" && grep -q "no checkpoint was written: .*too large" \
        "$scratch/error" && same whole kept
}
claim "a file above the size limit: an error, and the old checkpoint stays" no_room
rm -f "$scratch"/*.tmp
full_disk() {
    mkdir "$scratch/disk" && mount -t tmpfs -o size=400k tmpfs "$scratch/disk" &&
        cp "$scratch/whole" "$scratch/disk/kept" || return 77
    "$train" --quiet --resume "$scratch/disk/kept" --steps 41 --save "$scratch/disk/kept" \
        2>"$scratch/error"
    code=$?
    cat "$scratch/error"
    [ $code -eq 1 ] && grep -q "No space left" "$scratch/error" && same whole disk/kept &&
        [ "$(ls "$scratch/disk")" = kept ]
}
if unshare -m true 2>/dev/null; then
    export scratch train
    claim "a full disk: an error, the old checkpoint stays, no partial file is left" \
        unshare -m sh -c "$(sed -n '/^same()/,/^}/p; /^full_disk()/,/^}/p' "$0")
            full_disk"
else
    echo "ok - a full disk # SKIP may not mount a small one here"
fi

# ---- divergence ----------------------------------------------------------------------------

claim "a diverging run stops with status 3 and a message" \
    fails 3 "step [0-9]+: the loss is (nan|inf).*--lr" --steps 100 --lr 1e30 --rows 640
cp "$scratch/whole" "$scratch/kept"
keeps_last_good() {
    fails 3 "diverged.*|no longer" --resume "$scratch/kept" --save "$scratch/kept" \
        --steps 100 --save-every 1 --lr 1e38 && "$train" --best --resume "$scratch/kept" &&
        fails 3 "diverged" --resume "$scratch/kept" --steps 200
}
claim "a run whose loss only grows stops with status 3" \
    fails 3 "the loss is [0-9.e+]+: training diverged" --steps 100 --lr 10 --rows 640
claim "a diverging run keeps a checkpoint without NaN" keeps_last_good

# ---- invalid options ------------------------------------------------------------------------

claim "an unknown task" fails 2 "task is copy, reverse, sort or add, not 'sing'" --task sing
claim "heads that do not divide the width" fails 2 "5 heads do not divide a width of 32" --heads 5
claim "a sequence longer than the positions" \
    fails 2 "16 tokens is longer than the table of positions, which has 8" --length 16 --max-length 8
claim "a vocabulary too small for the task" fails 2 "vocabulary of 1 is too small" --vocab 1
claim "fewer sequences than a batch" fails 2 "31 sequences are fewer than a batch of 32" --rows 31
claim "a model larger than the memory" \
    fails 2 "needs [0-9]+ GB of memory" --embed 4096 --heads 1 --layers 100 --length 1024 --batch 65536 --rows 65536
for word in -1 0 x 3.5 99999999999999999999 ''; do
    claim "--heads '$word'" fails 2 "heads takes a whole number from 1 to 4096" --heads "$word"
done
claim "dropout 1" fails 2 "dropout takes a number from 0 to below 1" --dropout 1
claim "an lr that is not a number" fails 2 "lr takes a number" --lr nan
claim "an unknown option" fails 2 "unknown option --hedas" --hedas 3
claim "an option without its value" fails 2 "heads needs a value" --heads
claim "steps that are not ascending" fails 2 "ascending" --map-at 5,3
for option in save log map-log; do
    claim "--$option in a missing folder is refused before training" \
        fails 1 "cannot write $scratch/none/x: No such file" --$option "$scratch/none/x" \
        --steps 10000000
done
claim "--save onto a folder" fails 1 "cannot write $scratch: Is a directory" --save "$scratch"

# ---- faulty checkpoints ---------------------------------------------------------------------

claim "a missing checkpoint" fails 1 "none: No such file" --resume "$scratch/none"
claim "another number of heads" \
    fails 1 "another shape: the number of heads .* is 4 there, not 8" \
    --resume "$scratch/whole" --heads 8
claim "another width" fails 1 "another shape: the width .* is 32 there, not 64" \
    --resume "$scratch/whole" --embed 64
claim "other positions" fails 1 "another shape: its positions are learned, not none" \
    --resume "$scratch/whole" --positions none
claim "a sequence longer than the checkpoint's positions" \
    fails 2 "longer than the table of positions" --resume "$scratch/whole" --length 9
claim "steps before the checkpoint's" fails 2 "is at step 40" --resume "$scratch/whole" --steps 39
claim "another file of tensors" fails 1 "not a checkpoint of build/train" \
    --resume datasets/goldens/lab01.safetensors
head -c 2000 "$scratch/whole" >"$scratch/bad"
claim "a checkpoint cut in its header" fails 1 "bad: " --resume "$scratch/bad"
head -c 100000 "$scratch/whole" >"$scratch/bad"
claim "a checkpoint cut in its numbers" fails 1 "bad: " --resume "$scratch/bad"
: >"$scratch/bad"
claim "an empty checkpoint" fails 1 "bad: " --resume "$scratch/bad"
# Flips some bits all over the file, and some in the numbers.
flipped() {
    size=$(wc -c <"$scratch/whole")
    "$train" --best --resume "$scratch/whole" >"$scratch/a" || return 1
    named=0
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29; do
        at=$((i < 20 ? size / 20 * i + 13 * i : 190 * i)) # the header has a few thousand bytes
        cp "$scratch/whole" "$scratch/bad"
        old=$(od -An -tu1 -j $at -N 1 "$scratch/bad")
        # shellcheck disable=SC2059 # the byte, as an octal number
        printf "\\$(printf %03o $((old ^ (1 << i % 8))))" |
            dd of="$scratch/bad" bs=1 seek=$at conv=notrunc 2>"$scratch/words"
        if "$train" --best --resume "$scratch/bad" >"$scratch/b" 2>"$scratch/error"; then
            same a b || { echo "bit $((i % 8)) of byte $at"; return 1; }
        else
            [ "$(wc -l <"$scratch/error")" -eq 1 ] || { cat "$scratch/error"; return 1; }
            ! grep -q "bad: damaged: tensor '[a-z_.]*' has the checksum" "$scratch/error" ||
                named=$((named + 1))
        fi
    done
    echo "$named of 30 are named"
    [ $named -ge 18 ]
}
claim "a damaged checkpoint is refused with the tensor's name" flipped
# Without checksums, as other programs write it: it is accepted.
LC_ALL=C sed 's/"crc32/"other/g' "$scratch/whole" >"$scratch/plain"
claim "a checkpoint without checksums can be read" \
    quiet --resume "$scratch/plain" --steps 40 --save "$scratch/sealed"
claim "a checkpoint has checksums when it is written again" same whole sealed
# The same length but different content: impossible sizes, kinds and numbers.
damaged() { # WHAT SED-SCRIPT PATTERN
    LC_ALL=C sed "$2" "$scratch/plain" >"$scratch/bad"
    cmp -s "$scratch/plain" "$scratch/bad" && echo "not ok - nothing was damaged: $1"
    claim "a checkpoint with $1" fails 1 "bad: .*$3" --resume "$scratch/bad"
}
damaged "a step that is no number" 's/"step":"40"/"step":"4x"/' "should be a number"
damaged "a task that is none" 's/"task":"sort"/"task":"soft"/' "unknown"
damaged "another kind" 's/workbook, 1/workbook, 2/' "should be"
damaged "7 heads" 's/"NH":"4"/"NH":"7"/' "7 heads do not divide"
damaged "a width that its tensors do not have" 's/"C":"32"/"C":"36"/' "token_table"
damaged "a generator that is none" 's/"generator.next":"[0-9]/"generator.next":"9/' "generator"
{
    head -c "$(($(wc -c <"$scratch/plain") - 4))" "$scratch/plain"
    printf '\377\377\377\377'
} >"$scratch/bad"
claim "a checkpoint with NaN" fails 1 "bad: damaged: .* not finite" --resume "$scratch/bad"

# ---- the best possible accuracy --------------------------------------------------------------

# All sequences of T tokens out of V are counted one by one. Sequences that look alike up to t
# get the same prediction, the most common answer. order: 0 knows x[t] and how often each other
# token has occurred.
count_all() { # TASK V T ORDER
    awk -v task="$1" -v V="$2" -v T="$3" -v order="$4" '
        function sorted(from, to,    i, s, c) { # tokens as counts
            for (i = 0; i < V; i++) c[i] = 0
            for (i = from; i <= to; i++) c[x[i]]++
            for (i = 0; i < V; i++) s = s c[i] ","
            return s
        }
        function rank(t,    v, n, i) {
            for (v = 0; v < V; v++) {
                for (i = 0; i < T; i++) n += (x[i] == v)
                if (n > t) return v
            }
        }
        BEGIN {
            for (number = 0; number < V ^ T; number++) {
                rest = number; seen = ""
                for (t = 0; t < T; t++) { x[t] = rest % V; rest = int(rest / V) }
                for (t = 0; t < T; t++) {
                    seen = seen x[t] ","
                    if (task == "reverse") y = x[T - 1 - t]
                    else if (task == "sort") y = rank(t)
                    else if (task == "add" && t > 0) y = (x[t] + x[t - 1]) % V
                    else y = x[t]
                    key = t " " (order ? seen : x[t] " " sorted(0, t))
                    if (++answers[key, y] > most[key]) most[key] = answers[key, y]
                }
            }
            for (key in most) right += most[key]
            printf "%.6f\n", right / V ^ T / T
        }
    '
}
best_is_counted() {
    for task in copy reverse sort add; do
        for sizes in "2 1" "3 5" "2 6"; do
            # shellcheck disable=SC2086 # two words
            set -- $sizes
            for order in 0 1; do
                positions=$([ $order = 1 ] && echo learned || echo none)
                told=$("$train" --best --task $task --vocab "$1" --length "$2" \
                    --positions $positions | awk '$1 == "all" { print $2 }')
                counted=$(count_all $task "$1" "$2" $order)
                echo "$task V=$1 T=$2 $positions: $told, counted $counted"
                [ "$told" = "$counted" ] || return 1
            done
        done
    done
}
claim "the best possible accuracy equals a count over all sequences" best_is_counted
close_to_counted() { # drawn, because there are too many multisets to count
    "$train" --best --task sort --vocab 40 --length 9 >"$scratch/drawn"
    awk '$1 == 8 && $2 != 1 { exit 1 } $1 == 6 && !($3 > 0 && $3 < 0.002) { exit 1 }' \
        "$scratch/drawn"
}
claim "an estimate from drawn sequences has a standard error" close_to_counted

# ---- output ----------------------------------------------------------------------------------

"$train" --steps 3 --maps --rows 64 >"$scratch/words"
claim "the maps show --- above the diagonal" grep -qE \
    "^ +T0  1\.000( +---){7}$" "$scratch/words"
claim "progress without a terminal is plain lines" sh -c \
    "grep -qE '^step +3  loss' '$scratch/words' && ! grep -q \"\$(printf '\\r')\" '$scratch/words'"
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    on_terminal() { # PATTERN to find, PATTERN not to find
        script -qec "env TERM=xterm $3 $train --steps 30 --rows 64" /dev/null \
            </dev/null >"$scratch/words" 2>&1
        sed -n l "$scratch/words" | grep -aqE "$1" && ! sed -n l "$scratch/words" | grep -qE "$2"
    }
    claim "progress on a terminal is one colored line" on_terminal '\\r.*\\033\[32m' 'x^' ''
    claim "NO_COLOR turns color off" on_terminal '\\r' '\\033\[3' NO_COLOR=1
else
    echo "ok - on a terminal # SKIP there is no script(1), or no terminal for it"
fi

# ---- on the GPU ------------------------------------------------------------------------------

few="--steps 3 --batch 4 --rows 64 --held-out 8 --layers 2 --dropout 0.2 --clip 0.5"
"$B/train" $few --quiet --log "$scratch/cpu.tsv"
"$B/train" --gpu $few --quiet --log "$scratch/gpu.tsv"
same_losses() {
    paste "$scratch/cpu.tsv" "$scratch/gpu.tsv" | tee "$scratch/both" | awk '
        $1 + 0 > 0 && $1 == $4 { far = $2 - $5; rows += (far * far < 1e-10) }
        END { exit rows != 3 }' || { cat "$scratch/both" && false; }
}
claim "--gpu computes the same losses on the GPU" same_losses
mkdir "$scratch/kernels"
cp -R solutions/* "$scratch/kernels"
awk -f grader/tools/skeleton.awk solutions/06_copy_task/optimizer.cu \
    >"$scratch/kernels/06_copy_task/optimizer.cu"
names_the_check() {
    "$B/train" --gpu --src "$scratch/kernels" $few >"$scratch/words" 2>&1
    [ $? -eq 1 ] && cat "$scratch/words" &&
        grep -q "the step on the GPU: not written yet.*make check GPU=1" "$scratch/words"
}
claim "--gpu names the check for a kernel that is not written yet" names_the_check
claim "build/lib/train has no --gpu" fails 2 "--gpu is for build/train" --gpu

# ---- --src -----------------------------------------------------------------------------------

mkdir "$scratch/tree"
cp -R solutions/* "$scratch/tree"
awk -f grader/tools/skeleton.awk solutions/06_copy_task/gradients.c |
    sed 's/return lab_todo(dx, dw, dbias, dy, x, w, N, I, O);/return LAB_OK;/
        s/return lab_todo(dscores, dweights, weights, N, S);/return LAB_OK;/' \
        >"$scratch/tree/06_copy_task/gradients.c"
# 6.11 calls them, but is written.
names_the_exercises() {
    "$B/train" --src "$scratch/tree" --steps 5 >"$scratch/words" 2>&1
    [ $? -eq 1 ] && cat "$scratch/words" && grep -qx "train: 6.7 attention_backward, 6.8 layernorm_backward, \
6.9 gelu_backward, 6.10 embedding_backward: not written yet; see make check LAB=6" "$scratch/words"
}
claim "--src names all functions that are not written yet, in one line" names_the_exercises
wrong_but_running() { # dx of layernorm_backward without its last term
    cp solutions/06_copy_task/gradients.c "$scratch/tree/06_copy_task/gradients.c"
    sed -i 's/- norm \* dnorm_norm_mean)/- 0 * norm * dnorm_norm_mean)/' \
        "$scratch/tree/06_copy_task/gradients.c"
    "$B/train" --src "$scratch/tree" --steps 5 --rows 64 >"$scratch/words" 2>"$scratch/error"
    [ $? -eq 0 ] && cat "$scratch/words" "$scratch/error" && grep -q '^5 steps' "$scratch/words" &&
        grep -q '^note: 6.8 does not pass yet .*LAB=6' "$scratch/error"
}
claim "--src names wrong exercises and still trains" wrong_but_running
right_is_silent() {
    cp solutions/06_copy_task/gradients.c "$scratch/tree/06_copy_task/gradients.c"
    "$B/train" --src "$scratch/tree" --steps 5 --rows 64 2>&1 >"$scratch/words" |
        tee "$scratch/error"
    [ ! -s "$scratch/error" ]
}
claim "with right exercises --src prints no note" right_is_silent
keeps_nothing() { # a correct block that keeps the second norm in the buffer of the first
    cp solutions/06_copy_task/*.c "$scratch/tree/06_copy_task"
    sed -i 's/layernorm(z->ln2, z->ln2_mean, z->ln2_rstd/layernorm(z->ln1, z->ln1_mean, z->ln1_rstd/
        s/z->ln2, &params->mlp/z->ln1, \&params->mlp/' "$scratch/tree/05_transformer_block/block.c"
    "$B/grade" check --src "$scratch/tree" --exercise 5.6 | grep 'points  seed' &&
        "$B/grade" check --src "$scratch/tree" --exercise 6.11 | grep '6.11 .*z.ln2 are not written'
}
claim "exercise 6.11 reports a block that does not keep the values for its backward pass" keeps_nothing
many_by_number() {
    cp labs/02_batching/*.c "$scratch/tree/02_batching"
    cp labs/06_copy_task/*.c "$scratch/tree/06_copy_task"
    ! "$B/train" --src "$scratch/tree" --quiet --no-mask >"$scratch/words" 2>&1 && cat "$scratch/words" &&
        grep -qx "train: 2.1, 2.2, 2.3, 2.4, 6.1, .*, 6.11, 6.12, 6.14: not written yet; see make check LAB=2" "$scratch/words"
}
claim "of many that are not written, --src names the exercises" many_by_number
claim "--src needs a folder" sh -c "! '$B/train' --src /none >'$scratch/words' 2>&1 &&
    grep -q \"no folder '/none'\" '$scratch/words'"
"$B/train" --src solutions --quiet --rows 640 --held-out 8 $some --steps 40 --save "$scratch/again"
claim "build/train without options runs the same program" same whole again

# ---- models with other options ----------------------------------------------------------------

variants=${train%train}variants
gradients_of_24_blocks() { # pre-norm's gradients shrink from the first block to the last, post-norm's stay the same
    "$variants" depth "$scratch/depth" && "$variants" depth "$scratch/depth2" &&
        same depth depth2 && awk -F '\t' '
            NR == 2 { pre = $2; post = $3 }
            NR > 1 { blocks++ }
            END { exit !(blocks == 24 && $2 < pre / 3 && $3 > post / 2 && $2 > 0) }
        ' "$scratch/depth"
}
claim "gradients of 24 blocks shrink as lab 5 says, and two runs agree" gradients_of_24_blocks
no_variant() {
    "$variants" width "$scratch/x" 2>"$scratch/error"
    [ $? -eq 2 ] && grep -q '^usage: variants' "$scratch/error" && [ ! -e "$scratch/x" ]
}
claim "an unknown experiment" no_variant
nowhere() {
    "$variants" depth "$scratch/none/x" 2>"$scratch/error"
    [ $? -eq 1 ] && grep -q "cannot write $scratch/none/x: No such file" "$scratch/error"
}
claim "a table in a missing folder" nowhere

# ---- make train ----------------------------------------------------------------------------

recipe() { # LINE VARIABLES...: make train with these variables would run that line
    line=$1
    shift
    MAKEFLAGS='' make -s -n B="$B" train SRC=solutions ARGS=--quiet "$@" >"$scratch/recipe" 2>&1
    tail -n 3 "$scratch/recipe"
    grep -qxF "trap 'exit 0' INT;grader/tools/run_program.sh train '' 'solutions' $line" "$scratch/recipe"
}
claim "make train uses the CPU" recipe "$train --quiet"
claim "make train GPU=0 uses the CPU" recipe "$train --quiet" GPU=0
claim "make train GPU=1 runs every step on the GPU" \
    recipe "$train-gpu --quiet" GPU=1

exit $status
