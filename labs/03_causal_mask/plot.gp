# plot.gp - draws what explore.c of lab 3 wrote.
#
#   gnuplot -c labs/03_causal_mask/plot.gp DATADIR OUTDIR
#
# Each picture comes as PNG and as SVG; open the SVG in a browser and point at a cell or a
# dot to read its value. The maps with and without the mask are printed on the terminal too.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../common/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"

# ---- the same sentence with and without the mask -------------------------------------------

array FIG_FILE[2] = [DATA."/open.tsv", DATA."/masked.tsv"]
array FIG_NAME[2] = ["without a mask", "with the causal mask"]
FIG_TITLE = "The mask hides the future; what is left of each row still sums to 1"
FIG_OUT = OUT."/causal"
FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 1
load PLOT."/maps.gp"

# ---- masks ---------------------------------------------------------------------------------

FIG_KIND = "mask"; FIG_TERMINAL = 0
array FIG_FILE[3] = [DATA."/mask_square.tsv", DATA."/mask_last.tsv", DATA."/mask_long.tsv"]
array FIG_NAME[3] = ["T = 6, S = 6", "T = 3, S = 6", "T = 6, S = 3"]
FIG_TITLE = "Aligned at the end: the last query sees every key (blue: may attend)"
FIG_OUT = OUT."/alignment"
load PLOT."/maps.gp"

array FIG_FILE[3] = [DATA."/padding0.tsv", DATA."/padding1.tsv", DATA."/padding2.tsv"]
array FIG_NAME[3] = ["length 6", "length 4", "length 2"]
FIG_TITLE = "Causal mask and padding together: nobody attends to <pad> (blue: may attend)"
FIG_OUT = OUT."/padding"
load PLOT."/maps.gp"

# ---- a finite number in place of minus infinity --------------------------------------------

FILE = DATA."/finite.tsv"
FIG_W = 760; FIG_H = 420
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/finite"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.84; set bmargin at screen 0.17
    set lmargin at screen 0.11; set rmargin at screen 0.80
    set label 1 "−10 000 is not minus infinity: scores of that size let the future in" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set logscale x 10
    set xrange [90:1.1e6]
    set xtics ("100" 100, "1000" 1e3, "10 000" 1e4, "100 000" 1e5, "1 000 000" 1e6)
    set yrange [0:1.03]
    set xlabel "largest score" textcolor rgb GREY
    set ylabel "share of the worst row on forbidden keys" textcolor rgb GREY
    set label 2 "−10 000 added" at 1.1e6, 1 offset 0.8, 0.5 left textcolor rgb ORANGE
    set label 3 "−10 000 filled in" at 1.1e6, 1 offset 0.8, -0.6 left textcolor rgb GREEN
    set label 4 "−∞" at 1.1e6, 0 offset 0.8, 0 left textcolor rgb BLUE
    plot FILE skip 1 using 1:4 with linespoints pointtype 5 pointsize 0.6 linewidth 2 linecolor rgb ORANGE, \
        FILE skip 1 using 1:3 with linespoints pointtype 9 pointsize 0.7 linewidth 2 linecolor rgb GREEN, \
        FILE skip 1 using 1:2 with linespoints pointtype 7 pointsize 0.6 linewidth 2 linecolor rgb BLUE, \
        for [way = 2:4] FILE skip 1 using 1:(column(way)):(sprintf("largest score %.0f\n%s: %.4f", $1, word("−∞ filled added", way - 1), column(way))) with labels hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000"
    unset output
}
