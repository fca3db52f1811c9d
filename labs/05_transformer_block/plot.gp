# plot.gp - draws what explore.c of lab 5 wrote.
#
#   gnuplot -c labs/05_transformer_block/plot.gp DATADIR OUTDIR
#
# Each picture comes as PNG and as SVG; open the SVG in a browser and point at a dot or a bar
# to read its value.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"

SKY = "#56B4E9"; AMBER = "#E69F00"
INVISIBLE = 'hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000"'
TITLE = 'at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK'
BEFORE = "24 blocks before training, C = 64, 4 heads, random unit-size matrices, mean of 8 draws"

# ---- three curves called GELU --------------------------------------------------------------

FILE = DATA."/gelu.tsv"
FIG_W = 900; FIG_H = 430
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/gelu"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    set multiplot
    eval CURVES
    set tmargin at screen 0.80; set bmargin at screen 0.17
    set xlabel "x" textcolor rgb GREY

    eval "set label 1 'GELU is ReLU with a soft corner; its tanh form is too close to see' ".TITLE
    set lmargin at screen 0.07; set rmargin at screen 0.47
    set label 2 "the curves" at graph 0, 1.05 left textcolor rgb INK
    set xrange [-4:4]; set yrange [-0.5:4]
    set label 3 "ReLU" at -3.9, 0.17 left textcolor rgb GREY
    set label 4 "GELU" at -0.95, -0.29 left textcolor rgb BLUE
    set label 5 "tanh form, dotted" at 1.1, 0.75 left textcolor rgb ORANGE
    plot FILE skip 1 using 1:4 with lines linewidth 2 linecolor rgb "#b5b5b5", \
        FILE skip 1 using 1:2 with lines linewidth 3 linecolor rgb BLUE, \
        FILE skip 1 using 1:3 with lines linewidth 2 dashtype 3 linecolor rgb ORANGE, \
        FILE skip 1 every 4 using 1:2:(sprintf("x = %.2f\nGELU %.5f\ntanh form %.5f\nReLU %.5f", $1, $2, $3, $4)) with labels @INVISIBLE

    unset label
    set lmargin at screen 0.58; set rmargin at screen 0.97
    set label 2 "tanh form − GELU, 5000 times as tall as on the left" at graph 0, 1.05 left textcolor rgb INK
    set xrange [-6:6]; set yrange [-0.0003:0.0006]
    set ytics 0.0001 format "%.4f"
    set label 6 "0.00047 at −2.70" at -2.7, 0.000473 offset 0, 0.9 center textcolor rgb ORANGE
    set label 7 "0.00047 at 2.70" at 2.7, 0.000473 offset 0, 0.9 center textcolor rgb ORANGE
    set object 1 circle at -2.7, 0.000473 size 0.12 fillcolor rgb ORANGE fillstyle solid noborder front
    set object 2 circle at 2.7, 0.000473 size 0.12 fillcolor rgb ORANGE fillstyle solid noborder front
    set arrow 1 from -6, 0 to 6, 0 nohead linecolor rgb BLUE linewidth 1.5 back
    plot FILE skip 1 using 1:($3 - $2) with lines linewidth 2.5 linecolor rgb ORANGE, \
        FILE skip 1 every 3 using 1:($3 - $2):(sprintf("x = %.2f\ntanh form − GELU: %.6f", $1, $3 - $2)) with labels @INVISIBLE
    unset multiplot
    unset output
}

# ---- the stream in 24 blocks ---------------------------------------------------------------

eval RESET
FILE = DATA."/depth.tsv"
FIG_W = 900; FIG_H = 450
array LAST[6]                   # where the curves end, for their names
do for [n = 2:6] { stats FILE skip 1 every ::24::24 using n nooutput name "S"; LAST[n] = S_max }
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/depth"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    set multiplot
    eval CURVES
    set tmargin at screen 0.75; set bmargin at screen 0.17
    set xlabel "after block" textcolor rgb GREY
    set xrange [0:24.4]; set xtics 4

    eval "set label 1 'Pre-norm keeps the input in the stream; post-norm has lost it after eight blocks' ".TITLE
    set lmargin at screen 0.07; set rmargin at screen 0.40
    set label 6 BEFORE at screen 0.03, 0.875 left font FONT.",11" textcolor rgb GREY
    set label 2 "size of the stream" at graph 0, 1.06 left textcolor rgb INK
    set logscale y 10
    set yrange [0.7:2000]; set ytics (1, 10, 100, 1000)
    set label 3 "no norm" at 12, 600 offset 1.6, 0 left textcolor rgb GREY
    set label 4 "pre-norm" at 24.4, LAST[2] offset 0.7, 0 left textcolor rgb BLUE
    set label 5 "post-norm" at 24.4, LAST[3] offset 0.7, 0 left textcolor rgb ORANGE
    plot FILE skip 1 using 1:($4 < 2000 ? $4 : NaN) with linespoints pointtype 9 pointsize 0.6 linewidth 2 linecolor rgb GREY, \
        FILE skip 1 using 1:3 with linespoints pointtype 5 pointsize 0.5 linewidth 2.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:2 with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb BLUE, \
        for [way = 2:3] FILE skip 1 using 1:(column(way)):(sprintf("%s\nblock %d: size %.2f", way == 2 ? "pre-norm" : "post-norm", $1, column(way))) with labels @INVISIBLE

    unset label
    unset logscale y
    set lmargin at screen 0.57; set rmargin at screen 0.88
    set label 2 "cosine between stream and input" at graph 0, 1.06 left textcolor rgb INK
    set yrange [-0.06:1.03]; set ytics 0.2
    set arrow 1 from 0, 0 to 24.4, 0 nohead linecolor rgb "#999999" back
    set label 4 "pre-norm" at 24.4, LAST[5] offset 0.7, 0 left textcolor rgb BLUE
    set label 5 "post-norm" at 24.4, LAST[6] offset 0.7, 0 left textcolor rgb ORANGE
    plot FILE skip 1 using 1:6 with linespoints pointtype 5 pointsize 0.5 linewidth 2.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:5 with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb BLUE, \
        for [way = 5:6] FILE skip 1 using 1:(column(way)):(sprintf("%s\nblock %d: %.3f", way == 5 ? "pre-norm" : "post-norm", $1, column(way))) with labels @INVISIBLE
    unset multiplot
    unset output
}

# ---- what each branch adds -----------------------------------------------------------------

eval RESET
FILE = DATA."/change.tsv"
FIG_W = 760; FIG_H = 440
array LAST[5]
do for [n = 2:5] { stats FILE skip 1 every ::23::23 using n nooutput name "S"; LAST[n] = S_max }
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/change"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.81; set bmargin at screen 0.17
    set lmargin at screen 0.11; set rmargin at screen 0.74
    set label 6 BEFORE at screen 0.03, 0.875 left font FONT.",11" textcolor rgb GREY
    eval "set label 1 'In a pre-norm stack, later blocks change the stream less and less' ".TITLE
    set xlabel "block" textcolor rgb GREY
    set ylabel "size of a branch, relative to the stream" textcolor rgb GREY
    set xrange [0.5:24.5]; set xtics (1, 4, 8, 12, 16, 20, 24)
    set yrange [0:1.25]; set ytics 0.2
    set label 2 "post-norm, attention" at 24.5, LAST[4] offset 0.7, 0 left textcolor rgb ORANGE
    set label 3 "post-norm, MLP" at 24.5, LAST[5] offset 0.7, 0 left textcolor rgb AMBER
    set label 4 "pre-norm, attention" at 24.5, LAST[2] offset 0.7, 0.5 left textcolor rgb BLUE
    set label 5 "pre-norm, MLP" at 24.5, LAST[3] offset 0.7, -0.5 left textcolor rgb SKY
    plot FILE skip 1 using 1:4 with linespoints pointtype 5 pointsize 0.5 linewidth 2 linecolor rgb ORANGE, \
        FILE skip 1 using 1:5 with linespoints pointtype 5 pointsize 0.5 linewidth 2 linecolor rgb AMBER, \
        FILE skip 1 using 1:3 with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb SKY, \
        FILE skip 1 using 1:2 with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb BLUE, \
        for [way = 2:5] FILE skip 1 using 1:(column(way)):(sprintf("%s\nblock %d: %.3f of the stream", word("pre-norm,attention pre-norm,MLP post-norm,attention post-norm,MLP", way - 1), $1, column(way))) with labels @INVISIBLE
    unset output
}

# ---- where eps counts ----------------------------------------------------------------------

FILE = DATA."/eps.tsv"
FIG_W = 700; FIG_H = 400
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/eps"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.82; set bmargin at screen 0.18
    set lmargin at screen 0.11; set rmargin at screen 0.96
    eval "set label 1 'The position of eps matters only for small numbers' ".TITLE
    set xlabel "size: the row is (1, 2, 3, 6) · size" textcolor rgb GREY
    set ylabel "last number, normalized" textcolor rgb GREY
    set logscale x 10; set xrange [1e-5:10]
    set xtics ("10" 10, "1" 1, "0.1" 0.1, "0.01" 0.01, "0.001" 0.001, "0.0001" 1e-4, "0.00001" 1e-5)
    set yrange [0:1.85]
    set label 2 "no eps" at 1e-5, 1.6036 offset 0.7, 0.8 left textcolor rgb GREY
    set label 3 "eps outside the root" at 1.4e-5, 1.1 offset 0.7, 0 left textcolor rgb ORANGE
    set label 4 "eps inside the root" at 1.2e-3, 0.8 offset 0.9, 0 left textcolor rgb BLUE
    plot FILE skip 1 using 1:4 with lines linewidth 1.5 dashtype 2 linecolor rgb GREY, \
        FILE skip 1 using 1:3 with linespoints pointtype 5 pointsize 0.4 linewidth 2 linecolor rgb ORANGE, \
        FILE skip 1 using 1:2 with linespoints pointtype 7 pointsize 0.5 linewidth 2.5 linecolor rgb BLUE, \
        for [way = 2:3] FILE skip 1 using 1:(column(way)):(sprintf("%s\nsize %g: %.5f", way == 2 ? "eps inside" : "eps outside", $1, column(way))) with labels @INVISIBLE
    unset output
}

# ---- where the parameters are --------------------------------------------------------------

FILE = DATA."/share.tsv"
FIG_W = 820; FIG_H = 360
array PART[4] = ["token embedding", "attention", "MLP", "positions and norms"]
array COLOR[4] = [AMBER, BLUE, GREEN, "#444444"]
part(n) = (n == 1 ? $3 : n == 2 ? $5 : n == 3 ? $6 : $4 + $7)
before(n) = (n == 1 ? 0 : n == 2 ? $3 : n == 3 ? $3 + $5 : $3 + $5 + $6)
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/share"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set border 0; unset grid
    set tmargin at screen 0.74; set bmargin at screen 0.10
    set lmargin at screen 0.20; set rmargin at screen 0.96
    eval "set label 1 'Where the parameters of GPT-2 are: two thirds of a block belong to the MLP' ".TITLE
    do for [n = 1:4] {
        set label 10 + n PART[n] at screen (n == 1 ? 0.235 : n == 2 ? 0.435 : n == 3 ? 0.575 : 0.67), 0.83 left textcolor rgb INK
        set object 10 + n rectangle at screen (n == 1 ? 0.22 : n == 2 ? 0.42 : n == 3 ? 0.56 : 0.655), 0.83 size screen 0.014, 0.032 fillcolor rgb COLOR[n] fillstyle solid noborder
    }
    set xrange [0:100]; set yrange [3.6:-0.6]
    set xtics ("0" 0, "25 %%" 25, "50 %%" 50, "75 %%" 75, "100 %%" 100) scale 0
    set xtics format "%g"
    unset ytics
    set style fill solid 1 noborder
    plot for [n = 1:4] FILE skip 1 using (0):0:(100 * before(n) / $2):(100 * (before(n) + part(n)) / $2):($0 - 0.32):($0 + 0.32) with boxxyerror linecolor rgb COLOR[n], \
        for [n = 1:3] FILE skip 1 using (100 * (before(n) + part(n) / 2) / $2):0:(sprintf("%.0f", 100. * part(n) / $2)) with labels textcolor rgb (n == 1 ? "#111111" : "#ffffff"), \
        FILE skip 1 using (0):0:(sprintf("%s   %.0f M", strcol(1), $2 / 1e6)) with labels right offset -1, 0 textcolor rgb INK, \
        for [n = 1:4] FILE skip 1 using (100 * (before(n) + part(n) / 2) / $2):0:(sprintf("GPT-2 %s\n%s: %.1f million, %.1f %%", strcol(1), PART[n], part(n) / 1e6, 100. * part(n) / $2)) with labels @INVISIBLE
    unset output
}
