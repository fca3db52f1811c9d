# plot.gp - draws what explore.c of lab 6 wrote.
#
#   gnuplot -c labs/06_copy_task/plot.gp DATADIR OUTDIR
#
# Each picture comes as PNG and as SVG; open the SVG in a browser and point at a cell, a dot or
# a bar to read its value. make experiment draws longer runs.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"
INVISIBLE = 'hypertext point pointtype 7 pointsize 1 linecolor rgb "#ff000000"'

# ---- the heads before training -------------------------------------------------------------

FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 0
array FIG_NAME[4] = ["head 0", "head 1", "head 2", "head 3"]
array FIG_FILE[4] = [DATA."/before0.tsv", DATA."/before1.tsv", DATA."/before2.tsv", DATA."/before3.tsv"]
FIG_TITLE = "Before training: every head spreads its weight"
FIG_OUT = OUT."/heads_before"
load PLOT."/maps.gp"

# ---- the heads afterwards ------------------------------------------------------------------

FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 0
array FIG_NAME[4] = ["head 0", "head 1", "head 2", "head 3"]
array FIG_FILE[4] = [DATA."/after0.tsv", DATA."/after1.tsv", DATA."/after2.tsv", DATA."/after3.tsv"]
FIG_TITLE = "After 50 steps of the copy task: heads begin to look at their own token"
FIG_OUT = OUT."/heads_after"
load PLOT."/maps.gp"

# ---- the loss ------------------------------------------------------------------------------

FILE = DATA."/loss.tsv"
FIG_W = 860; FIG_H = 400
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/loss"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    set multiplot
    eval CURVES
    set label 1 "Fifty steps of the copy task, 32 sequences, Adam 0.001" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set tmargin at screen 0.80; set bmargin at screen 0.17
    set xrange [0:51]
    set xlabel "step" textcolor rgb GREY

    set lmargin at screen 0.08; set rmargin at screen 0.47
    set label 2 "loss on the batch" at graph 0, 1.06 left textcolor rgb INK
    set yrange [0:2.8]
    set arrow 1 from graph 0, first log(10) to graph 1, first log(10) nohead dashtype (10, 6) linewidth 1.5 linecolor rgb "#555555"
    set label 3 "guessing: log 10 = 2.303" at graph 0.98, first log(10) right offset 0, 0.7 textcolor rgb "#555555"
    plot FILE skip 1 using 1:2 with linespoints pointtype 7 pointsize 0.4 linewidth 2 linecolor rgb BLUE, \
        FILE skip 1 using 1:2:(sprintf("step %d\nloss %.5f", $1, $2)) with labels @INVISIBLE

    unset arrow 1
    set lmargin at screen 0.57; set rmargin at screen 0.97
    set label 2 "right tokens in the batch before the step, %" at graph 0, 1.06 left textcolor rgb INK
    set yrange [0:104]; set ytics 0, 20, 100
    set label 3 "guessing: 10 %" at graph 0.98, first 10 right offset 0, 0.7 textcolor rgb "#555555"
    set arrow 1 from graph 0, first 10 to graph 1, first 10 nohead dashtype (10, 6) linewidth 1.5 linecolor rgb "#555555"
    plot FILE skip 1 using 1:(100 * $3) with linespoints pointtype 7 pointsize 0.4 linewidth 2 linecolor rgb GREEN, \
        FILE skip 1 using 1:(100 * $3):(sprintf("step %d\nright %.1f %%", $1, 100 * $3)) with labels @INVISIBLE
    unset multiplot
    unset output
}

# ---- how long the gradients are ------------------------------------------------------------

FILE = DATA."/gradients.tsv"
FIG_W = 760; FIG_H = 480
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/gradients"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set label 1 "How long the gradient of each tensor is: step 1 (orange), step 50 (blue)" at screen 0.03, 0.95 left font FONT.",15" textcolor rgb INK
    set tmargin at screen 0.88; set bmargin at screen 0.14
    set lmargin at screen 0.18; set rmargin at screen 0.95
    set logscale x; set format x "%g"
    set yrange [15.7:-0.7]
    set xlabel "length of the gradient" textcolor rgb GREY
    set ytics scale 0
    plot FILE skip 1 using 2:0:ytic(1) with points pointtype 7 pointsize 1 linecolor rgb ORANGE, \
        FILE skip 1 using 2:0:($3 - $2):(0) with vectors nohead linewidth 1.5 linecolor rgb "#bbbbbb", \
        FILE skip 1 using 2:0 with points pointtype 7 pointsize 1 linecolor rgb ORANGE, \
        FILE skip 1 using 3:0 with points pointtype 7 pointsize 1 linecolor rgb BLUE, \
        FILE skip 1 using 2:0:(sprintf("%s\nstep 1: %.4f\nstep 50: %.4f", strcol(1), $2, $3)) with labels @INVISIBLE
    unset output
}
