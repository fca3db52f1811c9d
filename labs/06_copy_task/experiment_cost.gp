# experiment_cost.gp - draws what a training step costs as T, C and L grow.
#
#   gnuplot -c labs/06_copy_task/experiment_cost.gp cost.tsv OUTDIR
#
# The table is that of grader/tools/bench_train.sh: what size here pytorch (microseconds).

if (ARGC != 2) { print "usage: gnuplot -c experiment_cost.gp cost.tsv OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
FILE = ARG1; OUT = ARG2
load PLOT."/style.gp"

array AXIS[3] = ["T", "C", "L"]
array NAME[3] = ["T tokens in a sequence", "C, the width", "L blocks"]
FIG_W = 960; FIG_H = 400
INVISIBLE = 'hypertext point pointtype 7 pointsize 1 linecolor rgb "#ff000000"'
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/cost"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set multiplot
    set datafile missing "nan"
    set label 1 "One training step, milliseconds: 32 sequences; T 8, C 32, L 1 unless varied (one thread)" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set tmargin at screen 0.84; set bmargin at screen 0.17
    set logscale xy
    set yrange [0.05:*]
    do for [n = 1:3] {
        set lmargin at screen 0.07 + (n - 1) * 0.32; set rmargin at screen 0.07 + (n - 1) * 0.32 + 0.25
        set xrange [*:*]; set yrange [*:*]
        stats FILE skip 1 using (strcol(1) eq AXIS[n] ? $2 : NaN) nooutput
        set xrange [STATS_min / 1.15:STATS_max * 1.15]
        set yrange [0.08:60]
        set xlabel NAME[n] textcolor rgb GREY
        set xtics (4, 8, 16, 32, 64, 128, 256, 1, 2)
        if (n == 1) { set key at graph 0.05, 0.97 left top Left reverse samplen 1.5 textcolor rgb INK } else { unset key }
        plot FILE skip 1 using (strcol(1) eq AXIS[n] ? $2 : NaN):($4 / 1000) with linespoints pointtype 7 pointsize 0.6 linewidth 2 linecolor rgb ORANGE title "PyTorch", \
            FILE skip 1 using (strcol(1) eq AXIS[n] ? $2 : NaN):($3 / 1000) with linespoints pointtype 7 pointsize 0.6 linewidth 2 linecolor rgb BLUE title "this workbook", \
            FILE skip 1 using (strcol(1) eq AXIS[n] ? $2 : NaN):($3 / 1000):(sprintf("%s = %d\nhere %.3f ms\nPyTorch %.3f ms", strcol(1), $2, $3 / 1000, $4 / 1000)) with labels @INVISIBLE notitle
        unset label 1
    }
    unset multiplot
    unset output
}
