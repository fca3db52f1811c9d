# plot.gp - draws the data that explore.c of lab 1 writes.
#
#   gnuplot -c labs/01_simple_attention/plot.gp DATADIR OUTDIR
#
# Each picture is written as PNG and as SVG. Open the SVG in a browser and point at a cell
# or a dot to read its value. The attention map is also printed on the terminal.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"

# ---- three tokens --------------------------------------------------------------------------

array FIG_FILE[1] = [DATA."/weights.tsv"]
array FIG_NAME[1] = [""]
FIG_TITLE = "Where three tokens look (random weights)"
FIG_OUT = OUT."/attention"
FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 1
load PLOT."/maps.gp"

# ---- an average ----------------------------------------------------------------------------

array FIG_FILE[1] = [DATA."/averaging.tsv"]
array FIG_NAME[1] = [""]
FIG_TITLE = "An average of the past is attention too"
FIG_OUT = OUT."/averaging"
FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 0
load PLOT."/maps.gp"

# ---- symmetric and not ---------------------------------------------------------------------

array FIG_FILE[2] = [DATA."/scores_xx.tsv", DATA."/scores_qk.tsv"]
array FIG_NAME[2] = ["x xᵀ / √d: symmetric", "q kᵀ / √d: not symmetric"]
FIG_TITLE = "With two projections, token 1 looks at 3 more than 3 looks at 1 (random weights)"
FIG_OUT = OUT."/symmetry"
FIG_KIND = "signed"; FIG_BAR = "score"; FIG_TERMINAL = 0
load PLOT."/maps.gp"

# ---- why divide by the square root of d ----------------------------------------------------

FILE = DATA."/why_scale.tsv"
FIG_W = 900; FIG_H = 400
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/why_scale"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set multiplot
    set logscale x 2
    set xrange [0.9:1400]
    set xtics 4
    set xlabel "d, width of a query" textcolor rgb GREY
    set tmargin at screen 0.84; set bmargin at screen 0.17

    set lmargin at screen 0.105; set rmargin at screen 0.46
    set label 1 "The variance of q·k grows like d …" at screen 0.02, 0.94 left font FONT.",15" textcolor rgb INK
    set logscale y 2
    set yrange [0.7:1600]
    set ytics 4
    set label 2 "variance = d" at 64, 40 offset 0.6, -0.4 textcolor rgb GREY
    set ylabel "variance of q·k" textcolor rgb GREY
    plot x title "" with lines linecolor rgb GREY dashtype 2 linewidth 1.5, \
        FILE skip 1 using 1:2 with points pointtype 7 pointsize 0.8 linecolor rgb BLUE, \
        FILE skip 1 using 1:2:(sprintf("d %d\nvariance %.2f", $1, $2)) with labels hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000"

    unset label
    set lmargin at screen 0.575; set rmargin at screen 0.87
    set label 1 "… and without 1/√d one key takes nearly all" at screen 0.52, 0.94 left font FONT.",15" textcolor rgb INK
    unset logscale y
    set yrange [0:4.7]
    set ytics 1
    set ylabel "entropy of the weights (nats)" textcolor rgb GREY
    set arrow 1 from 0.9, log(64) to 1400, log(64) nohead linecolor rgb GREY dashtype 2
    set label 2 "ln 64: all equal" at 1, log(64) offset 0, 0.6 left textcolor rgb GREY
    SCALED = last_within(FILE, 4, 0, 4.7); PLAIN = last_within(FILE, 3, 0, 4.7)
    # Right scores keep it at 3.7; other scores are not what this name says.
    set label 3 (abs(last(FILE, 4) - 3.7) > 0.2 ? "your 1.3" : "q·k / √d") at 1400, SCALED + apart(SCALED, PLAIN, 0.4) offset 0.8, 0 left textcolor rgb BLUE
    set label 4 "q·k" at 1400, PLAIN - apart(SCALED, PLAIN, 0.4) offset 0.8, 0 left textcolor rgb ORANGE
    # Wider, so that it can be seen below the other one where the division is missing.
    plot FILE skip 1 using 1:4 with linespoints pointtype 7 pointsize 1.1 linewidth 5 linecolor rgb BLUE, \
        FILE skip 1 using 1:3 with linespoints pointtype 5 pointsize 0.7 linewidth 2 linecolor rgb ORANGE, \
        FILE skip 1 using 1:4:(sprintf("d %d\nentropy %.3f\nlargest weight %.3f", $1, $4, $6)) with labels hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000", \
        FILE skip 1 using 1:3:(sprintf("d %d\nentropy %.3f\nlargest weight %.3f", $1, $3, $5)) with labels hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000"
    unset multiplot
    unset output
}

# ---- the dictionary ------------------------------------------------------------------------

FILE = DATA."/dictionary.tsv"
FIG_W = 640; FIG_H = 420
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/dictionary"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.84; set bmargin at screen 0.16
    set lmargin at screen 0.12; set rmargin at screen 0.84
    set label 1 "The longer the query, the more weight goes to the key it points at" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set logscale x 2
    set xrange [0.22:70]
    set yrange [0:1.03]
    set xlabel "length of the query" textcolor rgb GREY
    set ylabel "weight" textcolor rgb GREY
    OWN = last_within(FILE, 4, 0, 1.03); OTHERS = last_within(FILE, 2, 0, 1.03)
    set label 2 "key 2" at 70, OWN + apart(OWN, OTHERS, 0.08) offset 0.8, 0 left textcolor rgb BLUE
    set label 3 "the others" at 70, OTHERS - apart(OWN, OTHERS, 0.08) offset 0.8, 0 left textcolor rgb GREY
    plot for [key in "0 1 3"] FILE skip 1 using 1:(column(int(key) + 2)) with lines linewidth 1.5 linecolor rgb GREY, \
        FILE skip 1 using 1:4 with linespoints pointtype 7 pointsize 0.7 linewidth 2.5 linecolor rgb BLUE, \
        for [key = 0:3] FILE skip 1 using 1:(column(key + 2)):(sprintf("length %g\nkey %d\nweight %.4f", $1, key, column(key + 2))) with labels hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000"
    unset output
}
