# plot.gp - draws the data that explore.c of lab 3 writes.
#
#   gnuplot -c labs/03_causal_mask/plot.gp DATADIR OUTDIR
#
# Each picture is written as PNG and as SVG. Open the SVG in a browser and point at a cell
# or a dot to read its value. The maps with and without the mask are also printed on the
# terminal.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"

# ---- the same sentence with and without the mask -------------------------------------------

array FIG_FILE[2] = [DATA."/open.tsv", DATA."/masked.tsv"]
array FIG_NAME[2] = ["without a mask", "with the causal mask"]
FIG_TITLE = "The mask hides the future, and each row still sums to 1 (random weights)"
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

# ---- padding -------------------------------------------------------------------------------

FIG_KIND = "mask"; FIG_TERMINAL = 0
array FIG_FILE[3] = [DATA."/padding0.tsv", DATA."/padding1.tsv", DATA."/padding2.tsv"]
array FIG_NAME[3] = ["length 6", "length 4", "length 2"]
FIG_TITLE = "Causal mask and padding together: no query attends to <pad> (blue: may attend)"
FIG_OUT = OUT."/padding"
load PLOT."/maps.gp"

# ---- a finite number instead of minus infinity ---------------------------------------------

FILE = DATA."/finite.tsv"
FIG_W = 760; FIG_H = 420
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/finite"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.84; set bmargin at screen 0.17
    set lmargin at screen 0.11; set rmargin at screen 0.80
    set label 1 "A finite number hides a key only while the allowed scores are larger" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set logscale x 10
    set xrange [80:1.2e10]
    set xtics ("−100" 100, "−10⁴" 1e4, "−10⁶" 1e6, "−10⁸" 1e8, "−10¹⁰" 1e10)
    set yrange [-0.03:1.03]
    set xlabel "allowed scores" textcolor rgb GREY
    set ylabel "weight on the forbidden key" textcolor rgb GREY
    # A curve that jumps is named beside the jump, one that does not at its end.
    jump(column) = system(sprintf("awk 'NR > 1 && $%d > 0.5 { print $1; exit }' %s", column, quoted(FILE)))
    do for [i = 1:3] {
        NAME = word("−10⁴ −10⁹ −∞", i)
        COLOR = word(ORANGE." ".GREEN." ".BLUE, i)
        if (strlen(jump(i + 1))) {
            set label i + 1 "filled with ".NAME at real(jump(i + 1)), 0.55 - 0.1 * i offset -2, 0 right textcolor rgb COLOR
        } else {
            set label i + 1 "filled with ".NAME at 1.2e10, last_within(FILE, i + 1, 0, 1) offset 0.8, 0 left textcolor rgb COLOR
        }
    }
    plot for [i = 1:3] FILE skip 1 using 1:(column(i + 1)) with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb word(ORANGE." ".GREEN." ".BLUE, i), \
        for [i = 1:3] FILE skip 1 using 1:(column(i + 1)):(sprintf("allowed scores about −%g\nfilled with %s\nweight %.4f", $1, word("−10⁴ −10⁹ −∞", i), column(i + 1))) with labels hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000"
    unset output
}
