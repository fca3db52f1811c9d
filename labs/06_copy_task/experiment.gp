# experiment.gp - draws the curves of one of lab 6's experiments.
#
#   gnuplot -c labs/06_copy_task/experiment.gp NAME TABLE.tsv OUTDIR
#
# The table is that of grader/tools/experiment.sh. A variant has one color and one thin line for
# each seed; dashed in the same color is the best that any model could do.

if (ARGC != 3) { print "usage: gnuplot -c experiment.gp NAME TABLE.tsv OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
NAME = ARG1; FILE = ARG2; OUT = ARG3
load PLOT."/style.gp"

VARIANTS = system("awk -F '\\t' 'NR > 1 && !($1 in seen) { seen[$1]; printf \"%s|\", $1 }' ".quoted(FILE))
N = int(system("printf %s ".quoted(VARIANTS)." | tr -cd '|' | wc -c"))
array VARIANT[N]
REST = VARIANTS
do for [n = 1:N] { VARIANT[n] = REST[1:strstrt(REST, "|") - 1]; REST = REST[strstrt(REST, "|") + 1:*] }
stats FILE skip 1 using 3 nooutput
LAST = int(STATS_max)
TICS = (LAST >= 1500 ? 500 : LAST >= 1000 ? 250 : LAST >= 600 ? 200 : 100)
array BEST[N]
do for [n = 1:N] {
    stats FILE skip 1 using (strcol(1) eq VARIANT[n] ? $6 : NaN) nooutput
    BEST[n] = STATS_max
}
array COLOR[4] = [BLUE, ORANGE, GREEN, "#CC79A7"]

TITLE = "?"
if (NAME eq "loss")      { TITLE = "The copy task: from guessing to all tokens right within 50 steps" }
if (NAME eq "mask")      { TITLE = "Reverse: under the causal mask the first half cannot be known" }
if (NAME eq "heads")     { TITLE = "Add with 1, 2, 4 and 8 heads and a total width of 32" }
if (NAME eq "width")     { TITLE = "Add with a width of 64: 16 heads of 4, or 4 heads of 16" }
if (NAME eq "tasks")     { TITLE = "Three tasks, and the best that any causal model can do (dashed)" }
if (NAME eq "positions") { TITLE = "Add: without positions the model cannot tell which token is the previous one" }
if (NAME eq "dropout")   { TITLE = "Reverse, trained on only 64 sequences: dropout helps on new ones" }

FIG_W = 860; FIG_H = 380
HOVER = 'sprintf("%s, seed %s\nstep %d\nloss %.4f\nright %.1f %%", strcol(1), strcol(2), $3, $4, 100 * $5)'
INVISIBLE = 'hypertext point pointtype 7 pointsize 0.8 linecolor rgb "#ff000000"'

do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/".NAME
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set multiplot
    set label 1 TITLE at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set tmargin at screen 0.80; set bmargin at screen 0.16
    set xrange [0:LAST]; set xtics 0, TICS
    set xlabel "step" textcolor rgb GREY
    set datafile missing "nan"

    # on the left the loss, which training minimises
    set lmargin at screen 0.085; set rmargin at screen 0.42
    set label 2 "loss on the batch" at graph 0, 1.06 left textcolor rgb INK
    set logscale y
    set format y "%g"
    set arrow 1 from graph 0, first log(10) to graph 1, first log(10) nohead dashtype (10, 6) linewidth 1.5 linecolor rgb "#555555"
    set label 3 "guessing: log 10 = 2.303" at graph 0.98, first log(10) right offset 0, 0.7 textcolor rgb "#555555"
    set yrange [*:6]
    unset key
    PART = ""
    do for [n = 1:N] {
        do for [SEED in "1 2 3"] {
            PART = PART.sprintf('%sFILE skip 1 using (strcol(1) eq VARIANT[%d] && strcol(2) eq "%s" ? $3 : NaN):4 with lines linewidth 1.6 linecolor rgb COLOR[%d] notitle', strlen(PART) ? ", " : "", n, SEED, n)
        }
    }
    eval "plot ".PART

    # on the right the accuracy
    unset logscale y; unset arrow 1; unset label 3
    set lmargin at screen 0.51; set rmargin at screen 0.785
    set label 2 "right tokens on unseen sequences, %" at graph 0, 1.06 left textcolor rgb INK
    set yrange [0:104]
    set ytics 0, 20, 100
    set key at screen 0.985, 0.78 right top Left reverse samplen 2 spacing 1.35 textcolor rgb INK
    PART = ""
    do for [n = 1:N] {
        do for [SEED in "1 2 3"] {
            PART = PART.sprintf('%sFILE skip 1 using (strcol(1) eq VARIANT[%d] && strcol(2) eq "%s" ? $3 : NaN):(100 * $5) with lines linewidth 1.6 linecolor rgb COLOR[%d] notitle', strlen(PART) ? ", " : "", n, SEED, n)
        }
        PART = PART.sprintf(', 100 * BEST[%d] with lines dashtype (10, 6) linewidth 1.5 linecolor rgb COLOR[%d] notitle', n, n)
        PART = PART.sprintf(', NaN with lines linewidth 3 linecolor rgb COLOR[%d] title VARIANT[%d]', n, n)
    }
    PART = PART.', NaN with lines dashtype (10, 6) linewidth 1.5 linecolor rgb "#555555" title "best possible"'
    if (FIG_FORMAT eq "svg") {
        PART = PART.', FILE skip 1 using 3:(100 * $5):('.HOVER.') with labels '.INVISIBLE.' notitle'
    }
    eval "plot ".PART
    unset multiplot
    unset output
}
