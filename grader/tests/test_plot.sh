#!/bin/sh
# test_plot.sh - make plot: pictures of wrong code beside those of right code.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d build/tmp/plot.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

plot() { # [RIGHT]
    grader/tools/plot.sh labs/03_causal_mask/plot.gp "$B/explore/solutions/03" "$work/data" "$work/plots" "$@"
}
besides() { ls "$work/plots" | grep -c '\.beside\.png$'; }
width() { od -An -v -tu1 -j16 -N4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }

claim "pictures of right code stand alone" says 0 "causal.png .svg" plot
claim "there is none beside another" [ "$(besides)" -eq 0 ]

# The same pictures, except one.
mkdir "$work/right"
cp "$work/plots"/*.png "$work/right"
cp "$work/right/finite.png" "$work/right/causal.png"
claim "one that differs is drawn beside the right one" says 0 "causal.beside.png" plot "$work/right"
claim "only that one" [ "$(besides)" -eq 1 ]
height() { od -An -v -tu1 -j20 -N4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }
# The text of a picture of 3600 pixels cannot be read on a screen.
claim "wide ones above each other: as high as both" [ "$(height "$work/plots/causal.beside.png")" -gt \
    "$(($(height "$work/plots/causal.png") * 3 / 2))" ]
claim "and not wider than one" [ "$(width "$work/plots/causal.beside.png")" -eq "$(width "$work/plots/causal.png")" ]
narrow=docs/figures/01_simple_attention
grader/tools/beside.sh $narrow/attention.png $narrow/averaging.png "$work/narrow.png"
claim "narrow ones beside each other: as wide as both" [ "$(width "$work/narrow.png")" -eq \
    "$(($(width $narrow/attention.png) + $(width $narrow/averaging.png)))" ]
cp "$work/plots"/*.png "$work/right" && rm -f "$work/right"/*.beside.png
claim "if none differs, it says so" says 0 "They look the same as with the right code" plot "$work/right"
plot >/dev/null
claim "it goes when the code is right" [ "$(besides)" -eq 0 ]

# The scores of wrong code are not those of the label.
curve_of() { # COLUMN LABEL NOT-THIS-LABEL: with the entropies of this column of the table as those of 1.3
    mkdir -p "$work/named" "$work/named-data"
    "$B/explore/solutions/01" "$work/named-data" >/dev/null 2>&1
    awk -F '\t' -v OFS='\t' -v column="$1" 'NR > 1 { $4 = $column } 1' "$work/named-data/why_scale.tsv" >"$work/why"
    mv "$work/why" "$work/named-data/why_scale.tsv"
    gnuplot -c labs/01_simple_attention/plot.gp "$work/named-data" "$work/named" >/dev/null 2>&1
    grep -q "$2" "$work/named/why_scale.svg" && ! grep -q "$3" "$work/named/why_scale.svg"
}
claim "a curve of scores without the division is called yours" curve_of 3 'your 1\.3' 'q·k / √d'
claim "one of right scores is named by its formula" curve_of 4 'q·k / √d' 'your 1\.3'

# Lab 10: the handout's picture is of fast code.
costs() { # FLASH: milliseconds of flash attention at each size, where standard attention takes 2
    mkdir -p "$work/explore/labs"
    cat >"$work/explore/labs/10" <<END2
#!/bin/sh
printf 'T\tstandard_bytes\tflash_bytes\tstandard\tflash\tcausal\n' >"\$1/cost.tsv"
for T in 256 512 1024 2048; do printf '%d\t1000000\t100000\t2\t$1\t1\n' \$T >>"\$1/cost.tsv"; done
exit 3
END2
    chmod +x "$work/explore/labs/10"
    grader/tools/plot.sh labs/10_flash_attention/plot.gp "$work/explore/labs/10" "$work/data10" "$work/plots10" 2>&1
}
claim "where flash attention is slower, it says that the handout's picture is of fast code" \
    says 0 "SRC=solutions/fast. Plain loops" costs 3
faster() { costs 1.5 >"$work/said" && grep -q cost.png "$work/said" && ! grep -q "Plain loops" "$work/said"; }
claim "where it is faster, it does not" faster

# ---- programs that measure ---------------------------------------------------------------------

one_thread() { # Two threads of OpenBLAS wait for each other longer than they compute, on a busy machine.
    for program in $(grep -l 'lab_.*seconds()' labs/*/explore.c); do
        grep -q 'openblas_set_num_threads(1)' "$program" || { echo "$program"; return 1; }
    done
}
claim "explore programs that measure time use one thread of OpenBLAS" one_thread

# This compiler saves the file that it has just read, and only then writes its object.
tree=build/tmp/saved.$$
mkdir -p "$tree/01_simple_attention"
trap 'rm -rf "$work" "$tree"' EXIT
cp solutions/01_simple_attention/attention.c "$tree/01_simple_attention/"
cat >"$work/cc" <<END2
#!/bin/sh
gcc "\$@" || exit
touch $tree/01_simple_attention/attention.c
while [ "\$1" != -o ]; do shift; done
touch "\$2"
END2
chmod +x "$work/cc"
saved_meanwhile() {
    set -- env BUILD_LOCK=held make SETUP=skip CC="$work/cc" B="$work/b" "$work/b/$1/obj/$tree/01_simple_attention/attention.o"
    "$@" || return 1
    "$@" -q
    [ $? -eq 1 ]
}
claim "a file that is saved while make explore compiles it is compiled again" saved_meanwhile explore
claim "and for make unit" saved_meanwhile unit

# ---- code that is not finished -----------------------------------------------------------------

# An explore program that stops after its first tables.
mkdir -p "$work/explore/labs"
stops() { # TABLES...
    cat >"$work/explore/labs/03" <<END
#!/bin/sh
for table in $*; do cp "$work/data/\$table" "\$1"; done
echo "3.5 padding_mask: not written yet; see make check LAB=3" >&2
exit ${code:-3}
END
    chmod +x "$work/explore/labs/03"
    rm -f "$work/some"/*
    grader/tools/plot.sh labs/03_causal_mask/plot.gp "$work/explore/labs/03" "$work/tables" "$work/some" "$work/right"
}
claim "where the code stops, it names the exercise" says 0 "3.5 padding_mask: not written yet" stops finite.tsv
claim "and lists the pictures that it does not draw" grep -qx "not drawn: alignment.png causal.png padding.png" "$work/said"
claim "and draws the picture whose table is there" sh -c '[ -s "$1/finite.png" ] && [ ! -e "$1/padding.png" ]' sh "$work/some"
touch "$work/some/text.png" "$work/some/padding.png" "$work/some/padding.svg" "$work/tables/padding.tsv"
again() { # as stops, in a folder with pictures
    grader/tools/plot.sh labs/03_causal_mask/plot.gp "$work/explore/labs/03" "$work/tables" "$work/some" "$work/right"
}
claim "in a folder with pictures of an earlier run it draws the same" says 0 "They look the same as with the right code" again
claim "what an earlier run drew is gone" [ "$(ls "$work/some" "$work/tables" | grep -c padding)" -eq 0 ]
claim "but not the picture of a text" [ -e "$work/some/text.png" ]
code=1
stops finite.tsv >"$work/said" 2>&1
claim "after a crash, nobody says that the pictures show no mistake" [ "$(grep -c 'They look the same' "$work/said")" -eq 0 ]
claim "after a failure it draws the same, and fails" says 1 "finite.png" stops finite.tsv
code=
cat >"$work/grade" <<'END'
#!/bin/sh
echo "Lab 3  Causal mask  (labs/03_causal_mask)  20 of 100 points"
echo "  ✓ 3.1  causal_mask              20/20"
echo "  ✗ 3.2  masked_fill               0/15  wrong: nothing is filled"
echo "  · 3.10 causal_attention          0/25  todo: builds on 3.4, also todo"
echo "  · 3.4  masked_softmax            0/25  todo"
echo "  judged with the workbook's own lab 2 instead of 2.1 and 2.3, which are todo"
END
chmod +x "$work/grade"
no_tables() { # two lines: what is to be written, also of earlier labs, and where to begin
    GRADE=$work/grade stops >"$work/said" 2>&1
    got=$?
    cat "$work/said"
    [ $got -eq 0 ] && [ "$(wc -l <"$work/said")" -eq 2 ] &&
        grep -qx "No picture yet. To write, in the order of work: 2.1, 2.3, 3.4, 3.5, 3.10" "$work/said" &&
        grep -qx "Begin with: make hint EX=2.1" "$work/said"
}
claim "without a table there is no picture, two lines say what to write, and make does not fail" no_tables
fresh_tree() { make --no-print-directory SETUP=skip B="$B" plot LAB=3; }
claim "in a fresh tree that begins in the lab before" says 0 "Begin with: make hint EX=2.1" fresh_tree
fails_without_tables() { # not because something is unwritten: only the line of explore
    code=1
    ! stops >"$work/said" 2>&1 && [ "$(wc -l <"$work/said")" -eq 1 ]
}
claim "nor after a failure, and no other message" fails_without_tables
code=

# If explore stops, each section of plot.gp is drawn by itself. So none may use a name that another one defines.
complains_at_the_end() {
    mkdir -p "$work/8" && grader/tools/plot.sh labs/08_language_model/plot.gp "$B/explore/solutions/08" "$work/8/data" "$work/8/plots" || return
    cat >"$work/explore/labs/08" <<END
#!/bin/sh
cp "$work/8/data"/* "\$1"
exit 1
END
    chmod +x "$work/explore/labs/08"
    ! grader/tools/plot.sh labs/08_language_model/plot.gp "$work/explore/labs/08" "$work/8/again" "$work/8/some"
}
claim "lab 8 is drawn section by section" complains_at_the_end
claim "and the pictures are the same" diff -r -x "*.svg" "$work/8/plots" "$work/8/some"

# Lab 1 without one of its exercises. 1.6, which some pictures need, is the last.
mkdir -p "$work/mine"
without() { # EXERCISE
    cp -r solutions/01_simple_attention "$work/mine"
    awk -v id="$1" 'index($0, "BEGIN SOLUTION " id) { print "    return lab_todo(\"" id "\");"; skip = 1 }
        !skip { print }
        index($0, "END SOLUTION " id) { skip = 0 }' solutions/01_simple_attention/attention.c >"$work/mine/01_simple_attention/attention.c"
}
without 1.6
unfinished() { make --no-print-directory SETUP=skip B="$B" plot LAB=1 SRC="$work/mine"; }
claim "a function that is missing leaves out only the pictures that need it" says 0 "01/why_scale.png" unfinished
claim "nothing after the list of pictures: make has no error to report" sh -c 'tail -n 1 "$1" | grep -q "^  .*png"' sh "$work/said"
claim "it is named once" [ "$(grep -c "1.6 simple_attention: not written yet" "$work/said")" -eq 1 ]
without 1.2
claim "without 1.2, the averaging map is drawn, which needs the softmax only" says 0 "01/averaging.png" unfinished
claim "but not the maps of q and k" [ "$(grep -c -e 01/attention.png -e 01/symmetry.png "$work/said")" -eq 0 ]

# 1.6 is wrong: it swaps queries and keys. What its parts compute is right.
sed 's/attention_scores(scores, q, k, T, T, d)/attention_scores(scores, k, q, T, T, d)/' \
    solutions/01_simple_attention/attention.c >"$work/mine/01_simple_attention/attention.c"
claim "the wrong one is another file" sh -c '! cmp -s "$1" "$2"' sh solutions/01_simple_attention/attention.c "$work/mine/01_simple_attention/attention.c"
claim "a picture shows a mistake in 1.6" says 0 "01/attention.beside.png" unfinished

# What make check accepts compiles in the other programs, too, and without other warnings.
sed 's|^#include <math.h>|&\nstatic inline double turn(double angle, int unused) { return angle + M_PI; }|' \
    solutions/01_simple_attention/attention.c >"$work/mine/01_simple_attention/attention.c"
compiles() { # TARGET
    make --no-print-directory SETUP=skip B="$B" "$1" LAB=1 SRC="$work/mine" >"$work/said" 2>&1
    got=$?
    grep -n "warning\|error" "$work/said"
    [ $got -eq 0 ] && ! grep -q "warning\|error" "$work/said"
}
grep -q 'M_PI' "$work/mine/01_simple_attention/attention.c" || status=1
for target in check unit explore; do
    claim "M_PI and an unused parameter compile without a warning: make $target" compiles $target
done

# Lab 6 without 6.3, which a function that is written calls.
cp -r solutions/0[1-6]* "$work/mine"
awk '/BEGIN SOLUTION 6.3 / { print "    // TODO 6.3: the mean loss\n    return lab_todo(loss, probabilities, logits, targets, N, V);"; skip = 1 }
    !skip { print }
    /END SOLUTION 6.3/ { skip = 0 }' solutions/06_copy_task/loss.c >"$work/mine/06_copy_task/loss.c"
explores() { make --no-print-directory SETUP=skip B="$B" explore LAB=6 SRC="$work/mine"; }
claim "explore names the function that is not written, not the one that calls it" \
    says 0 "6.11 model_forward calls 6.3 cross_entropy, which is not written yet: make check EX=6.3" explores
claim "so does the place where the rest is missing" grep -q "^    (the rest needs 6.3 cross_entropy)$" "$work/said"
claim "and model_forward is nowhere said to be unwritten" [ "$(grep -c "model_forward: not written" "$work/said")" -eq 0 ]

# ---- code that writes nothing -------------------------------------------------------------------

# The handout's examples, computed by a lab 1 in which this function writes nothing.
mkdir "$work/nothing" && cp -r solutions/01_simple_attention "$work/nothing"
writes_nothing() { # FUNCTION TITLE: what explore shows below this title
    awk -v name="$1" 'index($0, "lab_status " name "(") == 1 { inside = 1 }
        { print }
        inside && /^{/ { print "    if (1) { return LAB_OK; }"; inside = 0 }' \
        solutions/01_simple_attention/attention.c >"$work/nothing/01_simple_attention/attention.c"
    make --no-print-directory SETUP=skip B="$B" explore LAB=1 SRC="$work/nothing" 2>&1 |
        grep -A 2 -x -F "$2" | tee "$work/said"
    [ "$(grep -c 'nan' "$work/said")" -eq 1 ]
}
claim "explore shows nan where nobody wrote, not the result of the call before" \
    writes_nothing matmul_nt "1.1  the same with b stored transposed"
claim "also for a function that is called again" writes_nothing linear "1.2  x w^T"
whole() { writes_nothing simple_attention "(none)" || make --no-print-directory SETUP=skip B="$B" explore LAB=1 SRC="$work/nothing" 2>&1; }
claim "a difference from numbers that nobody wrote is none of 0" says 0 "differs by at most nan" whole

# An array that two functions fill, one after the other.
mkdir "$work/half" && cp -r solutions/[01]* "$work/half"
half_writes_nothing() {
    awk 'index($0, "lab_status float16_to_float(") == 1 { inside = 1 }
        { print }
        inside && /^{/ { print "    if (1) { return LAB_OK; }"; inside = 0 }' \
        solutions/11_reading_attention/numbers.c >"$work/half/11_reading_attention/numbers.c"
    make --no-print-directory SETUP=skip B="$B" explore LAB=11 SRC="$work/half" >"$work/said" 2>&1
    grep '^    half ' "$work/said"
    [ "$(grep -c '^    half .* nan$' "$work/said")" -eq 5 ] && [ "$(grep -c '^    bfloat16 .* nan$' "$work/said")" -eq 0 ]
}
claim "nor the result of another function" half_writes_nothing

# ---- code that crashes, or does not end ---------------------------------------------------------

cat >"$work/stops.c" <<'END'
#include "common/explore.h"

static void numbers(int section, int ending)
{
    explore_title("%d. Numbers", section);
    printf("line %d\n", section);
    volatile int loops = ending == SIGXCPU;
    while (loops) {
    }
    if (ending != 0) {
        raise(ending);
    }
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 1};
    explore_arguments(&e, argc, argv);
    explore_seconds = 1;
    EXPLORE_PART(&e, numbers(1, 0); numbers(2, SIGSEGV));
    EXPLORE_PART(&e, numbers(3, SIGXCPU));
    EXPLORE_PART(&e, numbers(4, 0));
    return explore_end(&e);
}
END
mkdir "$work/tables2"
cc -std=c17 -Wall -Wextra -Werror -I labs "$work/stops.c" "$B/lib/libcommon.a" -lm -o "$work/explore/labs/01"
claim "explore names the section in which the code crashes" says 139 \
    '"2. Numbers" stopped: the code crashed (signal 11); make check LAB=1 says where' "$work/explore/labs/01" "$work/tables2"
claim "and the one that does not end" grep -q \
    '^"3. Numbers" stopped: a call used more than 1 s of processor time; make check LAB=1 says where' "$work/said"
claim "what was printed before it stays" [ "$(grep -c '^line [1234]$' "$work/said")" -eq 4 ]
explores_stops() { timeout 60 grader/tools/explore.sh "$work/explore/labs/01" "$work/tables2"; }
claim "explore.sh says nothing of its own" says 139 '"2. Numbers" stopped: the code crashed' explores_stops
claim "about the signal" [ "$(grep -c 'signal' "$work/said")" -eq 1 ]
exit $status
