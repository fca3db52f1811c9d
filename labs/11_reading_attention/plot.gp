# plot.gp - draws the data that explore.c of lab 11 writes.
#
#   gnuplot -c labs/11_reading_attention/plot.gp DATADIR OUTDIR
#
# Each picture is written as PNG and as SVG. Open the SVG in a browser and point at a cell to read its
# value. A picture whose exercise is not written yet is left out.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"
INVISIBLE = 'hypertext point pointtype 5 pointsize 2 linecolor rgb "#ff000000"'
there(name) = (system("test -r ".quoted(DATA."/".name)." && echo yes") eq "yes")

# ---- the measures of all heads ---------------------------------------------------------------

# A map for each measure: a row for each layer, a column for each head. The shares have one color
# scale; entropy and distance each have their own.
array MEASURE[6] = ["previous", "next", "first", "induction", "entropy", "distance"]
array SAYS[6] = ["previous token", "next token", "first token", "induction", "entropy, nats", "distance, characters"]
array TABLE[2] = ["measures.tsv", "bert.tsv"]
array PICTURE[2] = ["measures", "bert"]
array TITLE[2] = ["What the heads of the story model do: a row for each layer, a column for each head", "A real BERT: many heads rest on the first token, [CLS]"]
array SHOWN[2] = ["1 2 3 4 5 6", "3 5"]  # of MEASURE
array SHARES_TO[2] = [0.5, 1]            # the end of the shares' color scale
array COLORS[2] = ["Dark is low, bright is high. The shares have one scale, 0 to %g; entropy and distance each have their own.", "Rows are layers, columns are heads. Dark is low, bright is high. The share has the scale 0 to %g; entropy has its own."]
of(n, value) = (strcol(1) eq MEASURE[n] ? value : NaN)
CELL_W = 46.; CELL_H = 30.
px(x) = real(x) / FIG_W
py(y) = 1 - real(y) / FIG_H
do for [F = 1:2] {
    FILE = DATA."/".TABLE[F]
    DRAWN = there(TABLE[F])
    LAYERS = (DRAWN ? int(last(FILE, 2)) + 1 : 1); HEADS = (DRAWN ? int(last(FILE, 3)) + 1 : 1)
    ACROSS = smallest(3, words(SHOWN[F])); DOWN = (words(SHOWN[F]) + 2) / 3
    FIG_W = int(40 + ACROSS * (HEADS * CELL_W + 50)); FIG_H = int(64 + DOWN * (LAYERS * CELL_H + 76))
    do for [FIG_FORMAT in (DRAWN ? "png svg" : "")] {
        FIG_OUT = OUT."/".PICTURE[F]
        eval RESET
        eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
        set multiplot
        set border 0; set key noautotitle; unset colorbox
        eval VIRIDIS
        set style fill solid 1 noborder
        set xtics scale 0 0, 1 textcolor rgb INK offset 0, 0.4; set ytics scale 0 0, 1 textcolor rgb INK
        do for [i = 1:words(SHOWN[F])] {
            n = int(word(SHOWN[F], i))
            set autoscale
            stats FILE skip 1 using (of(n, $4)) nooutput name "ONE"
            LOW = (n <= 4 ? 0 : ONE_min); HIGH = (n <= 4 ? SHARES_TO[F] : ONE_max)
            set cbrange [LOW:HIGH]
            set xrange [-0.5:HEADS - 0.5]; set yrange [LAYERS - 0.5:-0.5]
            LEFT = 58 + (i - 1) % 3 * (HEADS * CELL_W + 50); TOP = 92 + (i - 1) / 3 * (LAYERS * CELL_H + 76)
            set lmargin at screen px(LEFT); set rmargin at screen px(LEFT + HEADS * CELL_W)
            set tmargin at screen py(TOP); set bmargin at screen py(TOP + LAYERS * CELL_H)
            unset label
            if (i == 1) {
                set label 1 TITLE[F] at screen px(24), py(26) left font FONT.",15" textcolor rgb INK
                set label 3 sprintf(COLORS[F], SHARES_TO[F]) at screen px(24), py(50) left font FONT.",11" textcolor rgb GREY
            }
            set label 2 SAYS[n] at graph 0, 1 left offset 0, 0.7 textcolor rgb INK
            plot FILE skip 1 using (of(n, $3)):2:(0.48):(0.46):4 with boxxyerror linecolor palette, \
                FILE skip 1 using (of(n, $3)):2:(sprintf($4 >= 9.95 ? "%.1f" : "%.2f", $4)):(($4 - LOW) / (HIGH - LOW) < 0.55 ? 0xffffff : 0x111111) with labels font FONT.",10" textcolor rgb variable, \
                FILE skip 1 using (of(n, $3)):2:(sprintf("layer %d, head %d\n%s %.4f", $2, $3, strcol(1), $4)) with labels @INVISIBLE
        }
        unset multiplot
        unset output
    }
}

# ---- one layer, and all of them --------------------------------------------------------------

array FIG_FILE[2] = [DATA."/last.tsv", DATA."/rollout.tsv"]
array FIG_NAME[2] = ["the last layer, mean of its heads", "rollout of all layers"]
FIG_TITLE = "Where a character comes from: the last layer alone, and all layers"
FIG_OUT = OUT."/rollout"; FIG_KIND = "weights"; FIG_BAR = "share"
load (there("rollout.tsv") ? PLOT."/maps.gp" : "/dev/null")

# ---- two GELUs -------------------------------------------------------------------------------

FILE = DATA."/gelu.tsv"
FIG_W = 760; FIG_H = 340
do for [FIG_FORMAT in (there("gelu.tsv") ? "png svg" : "")] {
    FIG_OUT = OUT."/gelu"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set label 1 "GELU with tanh (11.5) minus GELU with erf (5.2)" at screen 0.03, 0.93 left font FONT.",15" textcolor rgb INK
    set tmargin at screen 0.84; set bmargin at screen 0.15
    set lmargin at screen 0.11; set rmargin at screen 0.97
    set xrange [-6:6]; set xtics 1
    set xlabel "x" textcolor rgb GREY
    set ylabel "difference" textcolor rgb GREY
    plot FILE skip 1 using 1:($3 - $2) with lines linewidth 2.5 linecolor rgb BLUE, \
        FILE skip 1 using 1:($3 - $2):(sprintf("x %.2f\nerf %.6f\ntanh %.6f", $1, $2, $3)) every 2 with labels @INVISIBLE
    unset output
}
