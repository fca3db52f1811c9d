# grid.gp - many maps as a grid: a row for each layer, a column for each head; build/attnmap calls
# it.
#
#   gnuplot -c grid.gp FOLDER ROWS COLUMNS FORMAT TITLE KIND BAR VALUES "LOW HIGH T S"
#
# FOLDER/0.txt, 1.txt ... are T x S matrices of numbers from LOW to HIGH; -1e30 is a blank cell.
# FORMAT is png, svg or pdf, written to FOLDER/picture.FORMAT. All maps share one scale of colors,
# so that a strong head looks strong.

ATTNMAP = system('dirname "'.ARG0.'"')
PLOT = ATTNMAP."/../plot"
load PLOT."/style.gp"

G_ROWS = int(ARG2); G_COLUMNS = int(ARG3)
FIG_KIND = ARG6
FIG_OUT = ARG1."/picture"
g_file(n) = sprintf("%s/%d.txt", ARG1, n)

# ---- the scale ---------------------------------------------------------------------------
FIG_LOW = real(word(ARG9, 1)); FIG_HIGH = real(word(ARG9, 2))
G_TALL = int(word(ARG9, 3)); G_WIDE = int(word(ARG9, 4))
if (FIG_KIND eq "weights" && FIG_LOW >= 0 && FIG_HIGH <= 1) {
    FIG_LOW = 0
    if (FIG_HIGH > 0.5) { FIG_HIGH = 1 }
}
if (FIG_KIND eq "signed") { FIG_HIGH = largest(abs(FIG_LOW), abs(FIG_HIGH)); FIG_LOW = -FIG_HIGH }
if (FIG_LOW >= FIG_HIGH) { FIG_HIGH = FIG_LOW + largest(1, abs(FIG_LOW)) }
G_ROOT = (FIG_KIND eq "weights" && largest(G_TALL, G_WIDE) > 12)

# ---- the layout, in pixels ---------------------------------------------------------------
G_SPAN = (G_COLUMNS <= 6 ? 150. : G_COLUMNS <= 12 ? 92. : 60.)      # the longest side of a map
G_CELL = G_SPAN / largest(G_TALL, G_WIDE)
G_W = G_CELL * G_WIDE; G_H = G_CELL * G_TALL; G_GAP = 8
G_LEFT = 74; G_TOP = 64; G_BAR = 104
FIG_W = int(largest(G_LEFT + G_COLUMNS * (G_W + G_GAP) + G_BAR, strlen(ARG5) * 9.6 + 40))
FIG_H = int(G_TOP + G_ROWS * (G_H + G_GAP) + 16)
px(x) = real(x) / FIG_W
py(y) = 1 - real(y) / FIG_H

eval (ARG4 eq "png" ? OPEN_PNG : ARG4 eq "svg" ? OPEN_SVG : OPEN_PDF)
eval RESET
eval (FIG_KIND eq "signed" ? SIGNED : G_ROOT ? VIRIDIS_ROOT : VIRIDIS)
set cbrange [FIG_LOW:FIG_HIGH]
unset key; unset tics
set border 15 lw 0.6 lc rgb "#999999"
set object 1 rectangle from graph 0, 0 to graph 1, 1 fillcolor rgb BLANK fillstyle solid noborder behind
set xrange [-0.5:G_WIDE - 0.5]
set yrange [G_TALL - 0.5:-0.5]
set multiplot
do for [r = 0:G_ROWS - 1] {
    do for [c = 0:G_COLUMNS - 1] {
        G_X = G_LEFT + c * (G_W + G_GAP)
        G_Y = G_TOP + r * (G_H + G_GAP)
        set lmargin at screen px(G_X); set rmargin at screen px(G_X + G_W)
        set tmargin at screen py(G_Y); set bmargin at screen py(G_Y + G_H)
        unset label
        if (r == 0 && c == 0) {
            set label 1 ARG5 at screen px(12), py(22) left font FONT.",15" textcolor rgb INK
        }
        if (r == 0 && G_COLUMNS > 1) {
            set label 2 sprintf(c == 0 ? "head %d" : "%d", c) at screen px(G_X + G_W / 2.), py(G_TOP - 14) center textcolor rgb GREY
        }
        if (c == 0 && G_ROWS > 1) {
            set label 3 sprintf(r == 0 ? "layer %d" : "%d", r) at screen px(G_LEFT - 10), py(G_Y + G_H / 2.) right textcolor rgb GREY
        }
        if (r == G_ROWS - 1 && c == G_COLUMNS - 1) {
            G_BARH = smallest(260., G_ROWS * (G_H + G_GAP) - G_GAP)
            set colorbox user origin px(G_X + G_W + 18), py(G_TOP + G_BARH) size px(16), G_BARH / FIG_H front noborder
            set cblabel ARG7 textcolor rgb GREY offset 0.5, 0
            set cbtics scale 0.4 textcolor rgb INK
        } else {
            unset colorbox
        }
        plot g_file(r * G_COLUMNS + c) matrix using 1:2:($3 < -1e29 ? NaN : $3) with image pixels
    }
}
unset multiplot
unset output
