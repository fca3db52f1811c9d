# plot.gp - draws the data that explore.c of lab 2 writes.
#
#   gnuplot -c labs/02_batching/plot.gp DATADIR OUTDIR
#
# Each picture is written as PNG and as SVG. Open the SVG in a browser and point at a cell
# or a dot to read its value. The maps are also printed on the terminal.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"

# ---- one batch, three maps, one scale ------------------------------------------------------

array FIG_FILE[3] = [DATA."/sequence0.tsv", DATA."/sequence1.tsv", DATA."/sequence2.tsv"]
array FIG_NAME[3] = ["sequence 0", "sequence 1", "sequence 2"]
FIG_TITLE = "Three sequences of a batch, three independent maps (random weights)"
FIG_OUT = OUT."/batch"
FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 1
load PLOT."/maps.gp"

# ---- one large product against many small ones ---------------------------------------------

eval RESET
FILE = DATA."/throughput.tsv"
SETUP = system("head -n 1 ".quoted(DATA."/throughput_setup.txt"))
stats FILE skip 1 using (largest($2, $3)) nooutput name "SPEED"
stats FILE skip 1 every ::7::7 using 2 nooutput name "ONE"
stats FILE skip 1 every ::7::7 using 3 nooutput name "MANY"
stats FILE skip 1 every ::4::7 using ($2 / $3) nooutput name "RATIO"   # B = 16 ... 128
FIG_W = 700; FIG_H = 440
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/throughput"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.80; set bmargin at screen 0.16
    set lmargin at screen 0.12; set rmargin at screen 0.79
    set label 1 sprintf("From B = 16 on, one product of B·T rows is %.1f times as fast as B of T rows", RATIO_median) at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set label 2 SETUP at screen 0.03, 0.87 left font FONT.",11" textcolor rgb GREY
    set logscale x 2
    set xrange [0.9:144]
    set yrange [0:1.08 * SPEED_max]
    set xlabel "B, sequences in the batch" textcolor rgb GREY
    set ylabel "GFLOP/s" textcolor rgb GREY
    APART = apart(ONE_max, MANY_max, 0.07 * SPEED_max)
    set label 3 "one product" at 144, ONE_max + APART offset 0.8, 0 left textcolor rgb BLUE
    set label 4 "B products" at 144, MANY_max - APART offset 0.8, 0 left textcolor rgb ORANGE
    plot FILE skip 1 using 1:2 with linespoints pointtype 7 pointsize 0.8 linewidth 2.5 linecolor rgb BLUE, \
        FILE skip 1 using 1:3 with linespoints pointtype 5 pointsize 0.8 linewidth 2.5 linecolor rgb ORANGE, \
        for [way = 2:3] FILE skip 1 using 1:(column(way)):(sprintf("B = %d\n%s: %.1f GFLOP/s\nratio %.2f", $1, word("one B", way - 1).(way == 2 ? " product" : " products"), column(way), $2 / $3)) with labels hypertext point pointtype 7 pointsize 1.4 linecolor rgb "#ff000000"
    unset output
}
