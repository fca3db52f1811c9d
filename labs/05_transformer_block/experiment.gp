# experiment.gp - draws how long the gradient is in each block, pre-norm and post-norm.
#
#   gnuplot -c labs/05_transformer_block/experiment.gp NAME TABLE.tsv OUTDIR
#
# The table is that of labs/programs/variants/depth.c; make experiment NAME=depth calls this.

if (ARGC != 3) { print "usage: gnuplot -c experiment.gp NAME TABLE.tsv OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
NAME = ARG1; FILE = ARG2; OUT = ARG3
load PLOT."/style.gp"

FIG_W = 900; FIG_H = 430
INVISIBLE = 'hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000"'
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/".NAME
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    set multiplot
    eval CURVES
    set label 1 "The gradient in 24 blocks: even with post-norm, smaller and smaller with pre-norm" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set label 2 "before training, C = 64, 4 heads, a random gradient of length 1 at the end, mean of 8 draws" at screen 0.03, 0.875 left font FONT.",11" textcolor rgb GREY
    set tmargin at screen 0.75; set bmargin at screen 0.17
    set xrange [0.5:24.5]; set xtics 4
    set xlabel "block" textcolor rgb GREY

    set lmargin at screen 0.07; set rmargin at screen 0.38
    set label 3 "gradient of the parameters of the block" at graph 0, 1.06 left textcolor rgb INK
    set yrange [0:20.5]
    set label 4 "pre-norm" at 24.5, last(FILE, 2) offset 0.7, 0 left textcolor rgb BLUE
    set label 5 "post-norm" at 24.5, last(FILE, 3) offset 0.7, 0 left textcolor rgb ORANGE
    plot FILE skip 1 using 1:3 with linespoints pointtype 5 pointsize 0.5 linewidth 2.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:2 with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb BLUE, \
        for [way = 2:3] FILE skip 1 using 1:(column(way)):(sprintf("%s\nblock %d: %.2f", way == 2 ? "pre-norm" : "post-norm", $1, column(way))) with labels @INVISIBLE

    unset label 1; unset label 2
    set lmargin at screen 0.56; set rmargin at screen 0.87
    set label 3 "gradient of the stream into the block" at graph 0, 1.06 left textcolor rgb INK
    set yrange [0:1.9]
    set label 4 "pre-norm" at 24.5, last(FILE, 4) offset 0.7, 0 left textcolor rgb BLUE
    set label 5 "post-norm" at 24.5, last(FILE, 5) offset 0.7, 0 left textcolor rgb ORANGE
    plot FILE skip 1 using 1:5 with linespoints pointtype 5 pointsize 0.5 linewidth 2.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:4 with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb BLUE, \
        for [way = 4:5] FILE skip 1 using 1:(column(way)):(sprintf("%s\nblock %d: %.3f", way == 4 ? "pre-norm" : "post-norm", $1, column(way))) with labels @INVISIBLE
    unset multiplot
    unset output
}
