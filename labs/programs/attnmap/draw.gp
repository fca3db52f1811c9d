# draw.gp - one map, or a few side by side, with their tokens; build/attnmap calls it.
#
#   gnuplot -c draw.gp FOLDER 1 COLUMNS FORMAT TITLE KIND BAR VALUES AXES
#
# FOLDER/0.tsv, 1.tsv ... are the maps, FOLDER/names has a title for each. FORMAT is png, svg, pdf, gif
# (written to FOLDER/picture.FORMAT; a gif shows one map after the other) or terminal. VALUES is auto, on or off.
# AXES is "query key" or "layer head".

ATTNMAP = system('dirname "'.ARG0.'"')
PLOT = ATTNMAP."/../plot"
load PLOT."/style.gp"

A_COUNT = int(ARG3)
array FIG_FILE[A_COUNT]
array FIG_NAME[A_COUNT]
do for [n = 1:A_COUNT] {
    FIG_FILE[n] = sprintf("%s/%d.tsv", ARG1, n - 1)
    FIG_NAME[n] = (A_COUNT == 1 ? "" : system(sprintf("sed -n %dp ", n).quoted(ARG1."/names")))
}
FIG_TITLE = ARG5
FIG_KIND = ARG6
FIG_BAR = ARG7
FIG_VALUES = ARG8
FIG_ROWS = word(ARG9, 1); FIG_COLS = word(ARG9, 2)
FIG_TERMINAL = (ARG4 eq "terminal")
FIG_OUT = (FIG_TERMINAL ? "" : ARG1."/picture")
FIG_FORMATS = ARG4
load PLOT."/maps.gp"
