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
claim "as wide as both" [ "$(width "$work/plots/causal.beside.png")" -gt \
    "$(($(width "$work/plots/causal.png") * 3 / 2))" ]
cp "$work/plots"/*.png "$work/right" && rm -f "$work/right"/*.beside.png
claim "if none differs, it says so" says 0 "They look the same as with the right code" plot "$work/right"
plot >/dev/null
claim "it goes when the code is right" [ "$(besides)" -eq 0 ]

# ---- code that is not finished -----------------------------------------------------------------

# An explore program that stops after its first tables.
mkdir -p "$work/explore/labs"
stops() { # TABLES...
    cat >"$work/explore/labs/03" <<END
#!/bin/sh
for table in $*; do cp "$work/data/\$table" "\$1"; done
echo "3.5 padding_mask: not written yet; see make check LAB=3" >&2
exit 1
END
    chmod +x "$work/explore/labs/03"
    rm -f "$work/some"/*
    grader/tools/plot.sh labs/03_causal_mask/plot.gp "$work/explore/labs/03" "$work/tables" "$work/some" "$work/right"
}
claim "where the code stops, it names the exercise" says 1 "3.5 padding_mask: not written yet" stops finite.tsv
claim "and draws the picture whose table is there" sh -c '[ -s "$1/finite.png" ] && [ ! -e "$1/padding.png" ]' sh "$work/some"
no_tables() { # only the line of explore
    ! stops >"$work/said" 2>&1 && [ "$(wc -l <"$work/said")" -eq 1 ]
}
claim "without a table there is no picture, and no other message" no_tables

# Lab 1 but for 1.6, which the first of its pictures needs.
mkdir -p "$work/mine"
cp -r solutions/01_simple_attention "$work/mine"
awk '/BEGIN SOLUTION 1.6/ { print "    // TODO 1.6: the rest\n    return lab_todo(\"1.6\");"; skip = 1 }
    !skip { print }
    /END SOLUTION 1.6/ { skip = 0 }' solutions/01_simple_attention/attention.c >"$work/mine/01_simple_attention/attention.c"
unfinished() { make --no-print-directory SETUP=skip B="$B" plot LAB=1 SRC="$work/mine"; }
claim "a function that is missing leaves out only the pictures that need it" says 2 "01/why_scale.png" unfinished
claim "it is named once" [ "$(grep -c "1.6 simple_attention: not written yet" "$work/out")" -eq 1 ]
exit $status
