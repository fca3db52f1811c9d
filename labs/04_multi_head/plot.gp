# plot.gp - draws the data that explore.c of lab 4 writes.
#
#   gnuplot -c labs/04_multi_head/plot.gp DATADIR OUTDIR
#
# Each picture is written as PNG and as SVG. Open the SVG in a browser and point at a cell
# or a dot to read its value. The maps of the heads are also printed on the terminal.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"

# ---- one sentence, four heads, one scale ---------------------------------------------------

array FIG_FILE[4] = [DATA."/head0.tsv", DATA."/head1.tsv", DATA."/head2.tsv", DATA."/head3.tsv"]
array FIG_NAME[4] = ["head 0", "head 1", "head 2", "head 3"]
FIG_TITLE = "One sentence, four heads: each looks in its own way (random weights, one color scale)"
FIG_OUT = OUT."/heads"
FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 1
load PLOT."/maps.gp"

# ---- the published trace -------------------------------------------------------------------

FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 0
array FIG_FILE[3] = [DATA."/published0.tsv", DATA."/published1.tsv", DATA."/published2.tsv"]
array FIG_NAME[3] = ["head 0", "head 1", "head 2"]
FIG_TITLE = "The weights that a public notebook printed (sequence 0)"
FIG_OUT = OUT."/trace_published"
load PLOT."/maps.gp"

# ---- the same, computed --------------------------------------------------------------------

FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 0
array FIG_FILE[3] = [DATA."/right0.tsv", DATA."/right1.tsv", DATA."/right2.tsv"]
array FIG_NAME[3] = ["head 0", "head 1", "head 2"]
FIG_TITLE = "The right weights for the same input and projections"
FIG_OUT = OUT."/trace_right"
load PLOT."/maps.gp"

# ---- one projection or three ---------------------------------------------------------------

eval RESET
FILE = DATA."/fused.tsv"
SETUP = system("head -n 1 ".quoted(DATA."/fused_setup.txt"))
stats FILE skip 1 using ($4 / $2) nooutput name "FUSED"
stats FILE skip 1 using ($4 / $3) nooutput name "SPLIT"
stats FILE skip 1 every ::9::9 using ($4 / $2) nooutput name "LAST_FUSED"
stats FILE skip 1 every ::9::9 using ($4 / $3) nooutput name "LAST_SPLIT"
FIG_W = 760; FIG_H = 440
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/fused"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.80; set bmargin at screen 0.16
    set lmargin at screen 0.11; set rmargin at screen 0.76
    set label 1 "Above 1, one projection to 3C is faster than three projections to C" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set label 2 SETUP at screen 0.03, 0.87 left font FONT.",11" textcolor rgb GREY
    set logscale x 2
    set xrange [0.9:576]
    set yrange [0:1.1 * largest(FUSED_max, SPLIT_max)]
    set xlabel "B·T, number of rows" textcolor rgb GREY
    set ylabel "time of three / time of one" textcolor rgb GREY
    set arrow 1 from 0.9, 1 to 576, 1 nohead linewidth 1.5 linecolor rgb GREY
    # Where the two lines end close together, their names are moved apart.
    GAP = 0.06 * largest(FUSED_max, SPLIT_max)
    LOW = smallest(LAST_FUSED_max, LAST_SPLIT_max)
    HIGH = largest(LAST_FUSED_max, LOW + GAP)
    set label 3 "one, not split" at 576, HIGH offset 0.8, 0 left textcolor rgb BLUE
    set label 4 "one, split into q, k, v" at 576, LAST_SPLIT_max offset 0.8, 0 left textcolor rgb ORANGE
    plot FILE skip 1 using 1:($4 / $2) with linespoints pointtype 7 pointsize 0.8 linewidth 2.5 linecolor rgb BLUE, \
        FILE skip 1 using 1:($4 / $3) with linespoints pointtype 5 pointsize 0.8 linewidth 2.5 linecolor rgb ORANGE, \
        for [way = 2:3] FILE skip 1 using 1:($4 / column(way)):(sprintf("%d rows\n%s: %.1f us\nthree: %.1f us\nratio %.2f", $1, (way == 2 ? "one, not split" : "one, split"), column(way), $4, $4 / column(way))) with labels hypertext point pointtype 7 pointsize 1.4 linecolor rgb "#ff000000"
    unset output
}
