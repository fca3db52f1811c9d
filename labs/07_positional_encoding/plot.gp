# plot.gp - draws what explore.c of lab 7 wrote.
#
#   gnuplot -c labs/07_positional_encoding/plot.gp DATADIR OUTDIR
#
# Each picture comes as PNG and as SVG; open the SVG in a browser and point at a cell or a
# dot to read its value. The maps of the sentence are printed on the terminal too.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"

# ---- the same sentence without and with positions ------------------------------------------

array FIG_FILE[2] = [DATA."/without.tsv", DATA."/with.tsv"]
array FIG_NAME[2] = ["without positions", "with sines and cosines added"]
FIG_TITLE = "Without positions both “the” attend alike; with positions they differ (random embeddings)"
FIG_OUT = OUT."/sentence"
FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 1
load PLOT."/maps.gp"
FIG_TERMINAL = 0

# ---- the bias of each head -----------------------------------------------------------------

array FIG_FILE[4] = [DATA."/alibi0.tsv", DATA."/alibi1.tsv", DATA."/alibi2.tsv", DATA."/alibi3.tsv"]
array FIG_NAME[4] = ["head 0, slope 1/4", "head 1, slope 1/16", "head 2, slope 1/64", "head 3, slope 1/256"]
FIG_TITLE = "Each head lowers its scores with the distance, at its own slope"
FIG_OUT = OUT."/alibi"
FIG_KIND = "values"; FIG_BAR = "bias"
load PLOT."/maps.gp"

# ---- how far each head reaches -------------------------------------------------------------

array FIG_FILE[4] = [DATA."/reach0.tsv", DATA."/reach1.tsv", DATA."/reach2.tsv", DATA."/reach3.tsv"]
array FIG_NAME[4] = ["head 0, slope 1/4", "head 1, slope 1/16", "head 2, slope 1/64", "head 3, slope 1/256"]
FIG_TITLE = "When all scores are equal: each weight divided by that of the query's own key"
FIG_OUT = OUT."/reach"
FIG_KIND = "weights"; FIG_BAR = "share of the largest"
load PLOT."/maps.gp"

# ---- a row for each position ---------------------------------------------------------------

array FIG_FILE[2] = [DATA."/sines.tsv", DATA."/cosines.tsv"]
array FIG_NAME[2] = ["even channels: sines", "odd channels: cosines"]
FIG_TITLE = "A row for each position: fast pairs on the left, slow ones on the right"
FIG_OUT = OUT."/encoding"
FIG_KIND = "signed"; FIG_BAR = "sine or cosine"; FIG_ROWS = "position"; FIG_COLS = "channel"
load PLOT."/maps.gp"

# ---- rotating pairs ------------------------------------------------------------------------

FILE = DATA."/circles.tsv"
FIG_W = 920; FIG_H = 280
array TURN_NAME[4] = ["pair 0: 1 radian per position", "pair 1: 0.1", "pair 2: 0.01", "pair 3: 0.001"]
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/circles"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    unset key; unset border; unset tics
    set multiplot
    set xrange [-1.3:1.3]; set yrange [-1.3:1.3]
    set size ratio -1
    do for [pair = 0:3] {
        set lmargin at screen 0.015 + pair * 0.245; set rmargin at screen 0.25 + pair * 0.245
        set tmargin at screen 0.82; set bmargin at screen 0.01
        unset label; unset object; unset arrow
        if (pair == 0) {
            set label 1 "After twelve positions the first pair has turned almost twice, the last has hardly moved" at screen 0.02, 0.945 left font FONT.",15" textcolor rgb INK
        }
        set label 2 TURN_NAME[pair + 1] at 0, 1.4 center textcolor rgb INK
        set object 1 circle at 0, 0 size 1 fillstyle empty border linecolor rgb "#cccccc" linewidth 1
        set arrow 1 from -1.08, 0 to 1.08, 0 nohead linecolor rgb "#dddddd" linewidth 1
        set arrow 2 from 0, -1.08 to 0, 1.08 nohead linecolor rgb "#dddddd" linewidth 1
        # The later the position, the darker the dot; numbers only where they do not overlap.
        numbered(i, t) = (i == pair && (i == 0 || (i == 1 && int(t) % 3 == 0) || t == 12 || (t == 0 && i == 2)))
        shade(t) = int(220 - 17 * t) * 65536 + int(235 - 10 * t) * 256 + int(245 - 6 * t)
        plot FILE skip 1 using ($1 == pair ? $3 : NaN):4 with lines linewidth 1.5 linecolor rgb "#c7d9e8", \
            FILE skip 1 using ($1 == pair ? $3 : NaN):4:(shade($2)) with points pointtype 7 pointsize 1.1 linecolor rgb variable, \
            FILE skip 1 using (numbered($1, $2) ? $3 * 1.18 : NaN):($4 * 1.18):(sprintf("%d", $2)) with labels font FONT.",11" textcolor rgb GREY, \
            FILE skip 1 using ($1 == pair ? $3 : NaN):4:(sprintf("position %d\nchannel %d: %.4f\nchannel %d: %.4f", $2, 2 * pair, $3, 2 * pair + 1, $4)) with labels hypertext point pointtype 7 pointsize 1.2 linecolor rgb "#ff000000"
    }
    unset multiplot
    unset output
}

# ---- a score against the offset ------------------------------------------------------------

FILE = DATA."/scores.tsv"
FIG_W = 840; FIG_H = 350
array START[3] = ["0", "37", "500"]
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/offset"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    stats FILE skip 1 using (smallest($2, smallest($3, smallest($4, $5)))) nooutput name "LOW"
    stats FILE skip 1 using (largest($2, largest($3, largest($4, $5)))) nooutput name "HIGH"
    set multiplot
    set xrange [0:60]
    set yrange [LOW_min - 0.3:HIGH_max + 0.3]
    set xlabel "positions from the key to the query" textcolor rgb GREY
    set tmargin at screen 0.84; set bmargin at screen 0.17
    do for [side = 0:1] {
        set lmargin at screen 0.08 + side * 0.43; set rmargin at screen 0.42 + side * 0.43
        unset label
        set label 1 (side == 0 ? "Added: the absolute position matters …" : "… rotated: all three curves are equal") at screen 0.02 + side * 0.46, 0.94 left font FONT.",15" textcolor rgb INK
        if (side == 0) { set ylabel "score q·k / √hs" textcolor rgb GREY } else { unset ylabel }
        if (side == 1) {
            set label 2 "key at 0" at screen 0.87, 0.66 left textcolor rgb GREEN
            set label 3 "key at 37" at screen 0.87, 0.60 left textcolor rgb ORANGE
            set label 4 "key at 500" at screen 0.87, 0.54 left textcolor rgb BLUE
        }
        C1 = 2 + 3 * side
        plot FILE skip 1 using 1:(column(C1)) with lines linewidth (side == 0 ? 2 : 8) linecolor rgb (side == 0 ? GREEN : "#8fd3bd"), \
            FILE skip 1 using 1:(column(C1 + 1)) with lines linewidth (side == 0 ? 2 : 4) linecolor rgb ORANGE, \
            FILE skip 1 using 1:(column(C1 + 2)) with lines linewidth (side == 0 ? 2 : 1) linecolor rgb BLUE, \
            for [i = 0:2] FILE skip 1 using 1:(column(C1 + i)):(sprintf("offset %d\nkey at position %s\nscore %.4f", $1, START[i + 1], column(C1 + i))) with labels hypertext point pointtype 7 pointsize 1.0 linecolor rgb "#ff000000"
    }
    unset multiplot
    unset output
}

# ---- what a distance does to a score -------------------------------------------------------

FIG_W = 840; FIG_H = 350
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/distance"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set multiplot
    set xrange [0:200]
    set xlabel "distance" textcolor rgb GREY
    set tmargin at screen 0.84; set bmargin at screen 0.17

    FILE = DATA."/distance.tsv"
    set lmargin at screen 0.09; set rmargin at screen 0.43
    set yrange [0:1.05]
    set ylabel "product, divided by the one at 0" textcolor rgb GREY
    set label 1 "Sines and rotations: down, and up again …" at screen 0.02, 0.94 left font FONT.",15" textcolor rgb INK
    set label 2 "64 channels; dots: rope" at 100, 0.73 center textcolor rgb ORANGE
    set label 3 "512 channels" at 150, 0.14 center textcolor rgb BLUE
    plot FILE skip 1 using 1:2 every ::::200 with lines linewidth 1.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:4 every 4::::200 with points pointtype 7 pointsize 0.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:3 every ::::200 with lines linewidth 2.5 linecolor rgb BLUE, \
        for [way = 2:3] FILE skip 1 using 1:(column(way)):(sprintf("distance %d\n%.4f", $1, column(way))) every ::::200 with labels hypertext point pointtype 7 pointsize 0.8 linecolor rgb "#ff000000"

    FILE = DATA."/slopes.tsv"
    unset label
    set lmargin at screen 0.56; set rmargin at screen 0.89
    set yrange [-20:0]
    set ylabel "bias" textcolor rgb GREY
    set label 1 "… ALiBi: a straight line in every head" at screen 0.49, 0.94 left font FONT.",15" textcolor rgb INK
    do for [h = 3:5] {
        set label 10 + h sprintf("head %d", h) at 200, -100. / 2 ** h offset 0.6, 0 left textcolor rgb GREY
    }
    set label 16 "heads 6, 7" at 200, -1.1 offset 0.6, 0 left textcolor rgb GREY
    set label 10 "0" at 34, -17 offset -0.6, 0 right textcolor rgb GREY
    set label 11 "1" at 68, -17 offset -0.6, 0 right textcolor rgb GREY
    set label 12 "2" at 136, -17 offset -0.6, 0 right textcolor rgb GREY
    plot for [h = 0:7] FILE skip 1 using 1:(column(h + 2)) every ::::200 with lines linewidth 2 linecolor rgb BLUE, \
        for [h = 0:7] FILE skip 1 using 1:(column(h + 2)):(sprintf("head %d\ndistance %d\nbias %.4f", h, $1, column(h + 2))) every 4::::200 with labels hypertext point pointtype 7 pointsize 0.8 linecolor rgb "#ff000000"
    unset multiplot
    unset output
}
