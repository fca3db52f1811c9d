# maps.gp - draws one or several maps side by side with one color scale: OUT.png, OUT.svg
# (with the values under the pointer) and, when asked, the same on the terminal.
#
# Set before loading, with style.gp loaded and PLOT the folder of this file:
#   array FIG_FILE[n]    map files (see map.awk)
#   array FIG_NAME[n]    a title for each
#   FIG_TITLE, FIG_OUT   the figure's title; where it goes, without .png
#   FIG_KIND             "weights" (0 to 1), "values" (smallest to largest), "signed" (zero in
#                        the middle), or "mask" (1 may, blank may not)
#   FIG_BAR              what the color bar measures
#   FIG_TERMINAL         1: print the maps on the terminal as well
#   FIG_ROWS, FIG_COLS   names of the axes, "query" and "key" if not set
#   FIG_FORMATS          "png svg" if not set; also pdf, and gif: one map after the other
#   FIG_VALUES           "on" writes numbers into the cells, "off" none; "auto" where they fit

if (!exists("FIG_ROWS")) FIG_ROWS = "query"
if (!exists("FIG_COLS")) FIG_COLS = "key"
if (!exists("FIG_TERMINAL")) FIG_TERMINAL = 0
if (!exists("FIG_FORMATS")) FIG_FORMATS = "png svg"
if (!exists("FIG_VALUES")) FIG_VALUES = "auto"
FIG_N = |FIG_FILE|
M_FRAMES = (FIG_FORMATS eq "gif")                              # one map at a time
map_part(file, options) = "awk ".options." -f ".quoted(PLOT."/map.awk")." < ".quoted(file)

# ---- every file is read once and checked -------------------------------------------------
array M_ROWS[FIG_N]; array M_COLS[FIG_N]
FIG_LOW = 1e300; FIG_HIGH = -1e300; M_ROW_NAME = 1; M_COL_NAME = 1
do for [n = 1:FIG_N] {
    if (system("test -f ".quoted(FIG_FILE[n])." && test -r ".quoted(FIG_FILE[n])." && echo yes") ne "yes") {
        print "plot: cannot read ".FIG_FILE[n]
        exit status 1
    }
    M_INFO = system(map_part(FIG_FILE[n], "-v part=check")." || true")
    if (M_INFO[1:5] eq "error") {
        print "plot: ".FIG_FILE[n].": ".M_INFO[8:*]
        exit status 1
    }
    M_ROWS[n] = int(word(M_INFO, 1)); M_COLS[n] = int(word(M_INFO, 2))
    FIG_LOW = smallest(FIG_LOW, real(word(M_INFO, 3)))
    FIG_HIGH = largest(FIG_HIGH, real(word(M_INFO, 4)))
    M_ROW_NAME = largest(M_ROW_NAME, int(word(M_INFO, 5)))
    M_COL_NAME = largest(M_COL_NAME, int(word(M_INFO, 6)))
}
# Weights start at 0 and end at 1, or at the largest one when all of them are small.
if (FIG_KIND eq "weights" && FIG_LOW >= 0 && FIG_HIGH <= 1) {
    FIG_LOW = 0
    if (FIG_HIGH > 0.5) { FIG_HIGH = 1 }
}
if (FIG_KIND eq "signed") { FIG_HIGH = largest(abs(FIG_LOW), abs(FIG_HIGH)); FIG_LOW = -FIG_HIGH }
if (FIG_LOW >= FIG_HIGH) { FIG_HIGH = FIG_LOW + largest(1, abs(FIG_LOW)) }  # + 1 alone is lost beside 1e30

# ---- the layout, in pixels ---------------------------------------------------------------
# Every map of a figure has cells of one size; the figure's size follows from the cells.
M_TALL = 1; M_WIDE = 1; M_SUM = 0
do for [n = 1:FIG_N] {
    M_TALL = largest(M_TALL, M_ROWS[n]); M_WIDE = largest(M_WIDE, M_COLS[n])
    M_SUM = (M_FRAMES ? largest(M_SUM, M_COLS[n]) : M_SUM + M_COLS[n])
}
M_BESIDE = (M_FRAMES ? 1 : FIG_N)                              # maps side by side
M_MOST = largest(M_TALL, M_WIDE)
M_SPAN = (M_BESIDE == 1 ? 460. : M_BESIDE == 2 ? 350. : 290.)        # pixels for the longest side
FIG_CELL = smallest(M_SPAN / M_MOST, 96.)
if (FIG_CELL > 4) { FIG_CELL = floor(FIG_CELL) * 1. }
# With many keys most weights are small, so the colors follow the square root.
M_ROOT = (FIG_KIND eq "weights" && M_MOST > 12)
M_SHOWN = (FIG_VALUES eq "on" || FIG_VALUES eq "auto" && M_MOST <= 12 && FIG_KIND ne "mask" && FIG_CELL >= 26)
M_CELL_FONT = int(smallest(15, FIG_CELL * 0.29))

M_LETTER = 9.2; M_LINE = 17.                                   # of the 13 point tick labels
# Column names are horizontal if they fit, otherwise vertical; if even that is too narrow, only
# every 2nd, 4th, ... is shown.
M_FLAT = (M_COL_NAME <= 4 || M_COL_NAME * M_LETTER + 6 <= FIG_CELL)
M_NEED = (M_FLAT ? M_COL_NAME * M_LETTER + 6 : M_LINE)
M_STEP = 1; while (M_STEP * FIG_CELL < M_NEED) { M_STEP = M_STEP * 2 }
M_ROW_STEP = 1; while (M_ROW_STEP * FIG_CELL < M_LINE) { M_ROW_STEP = M_ROW_STEP * 2 }

M_LEFT = 36 + smallest(M_ROW_NAME, 24) * M_LETTER              # room left of each map
M_TOP = 44 + (strlen(FIG_NAME[1]) ? 28 : 6)
M_FOOT = (M_FLAT ? M_LINE + 6 : smallest(M_COL_NAME, 24) * M_LETTER + 10) + 30
M_BAR = (FIG_KIND eq "mask" ? 24 : 104)                        # room for the color bar
FIG_W = int(12 + M_BESIDE * M_LEFT + M_SUM * FIG_CELL + (M_BESIDE - 1) * 14 + M_BAR)
FIG_W_TITLE = int(strlen(FIG_TITLE) * 9.6 + 40)
M_SHIFT = largest(0, (FIG_W_TITLE - FIG_W) / 2)                # a long title widens the figure
FIG_W = largest(FIG_W, FIG_W_TITLE)
FIG_H = int(M_TOP + M_TALL * FIG_CELL + M_FOOT + 8)
px(x) = real(x) / FIG_W
py(y) = 1 - real(y) / FIG_H                                    # rows counted from the top

# Dark cells get white numbers, bright cells black ones.
m_dark(v) = (FIG_KIND eq "signed" ? abs(v) > 0.62 * FIG_HIGH : (v - FIG_LOW) / (FIG_HIGH - FIG_LOW) < 0.55)
m_ink(v) = (m_dark(v) ? 0xffffff : 0x111111)
m_round(v) = (abs(v) < 0.005 ? 0. : v)                         # no -0.00
m_number(v) = (abs(v) >= 99999.5 ? sprintf("%.1g", v) : abs(v) >= 99.5 ? sprintf("%.0f", v) : abs(v) >= 9.95 ? sprintf("%.1f", v) : sprintf("%.2f", m_round(v)))
m_there(value, x) = (value eq "nan" ? NaN : x)                 # a blank cell is not drawn
m_hover(row, column, v) = FIG_ROWS." ".row."\n".FIG_COLS." ".column."\n".(v eq "nan" ? "not allowed" : \
    FIG_KIND eq "mask" ? "may attend" : sprintf("%s %.4g", FIG_BAR, real(v)))

do for [FIG_FORMAT in (strlen(FIG_OUT) ? FIG_FORMATS : "")] {
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : FIG_FORMAT eq "svg" ? OPEN_SVG : FIG_FORMAT eq "gif" ? OPEN_GIF : OPEN_PDF)
    do for [M_FIRST = 1:(M_FRAMES ? FIG_N : 1)] {
        M_LAST = (M_FRAMES ? M_FIRST : FIG_N)
        load PLOT."/maps_page.gp"
    }
    unset output
}
if (FIG_TERMINAL) { load PLOT."/maps_terminal.gp" }
