# maps_page.gp - the drawing part of maps.gp, for any gnuplot terminal.

eval RESET
eval (FIG_KIND eq "signed" ? SIGNED : M_ROOT ? VIRIDIS_ROOT : VIRIDIS)
set cbrange [FIG_LOW:FIG_HIGH]
unset key
set border 15 lw 1 lc rgb "#999999"
set tics scale 0 textcolor rgb INK
set style fill solid 1 noborder
set object 1 rectangle from graph 0, 0 to graph 1, 1 fillcolor rgb BLANK fillstyle solid noborder behind

set multiplot
M_X = 12 + M_SHIFT
do for [n = M_FIRST:M_LAST] {
    M_X0 = M_X + M_LEFT
    M_X1 = M_X0 + M_COLS[n] * FIG_CELL
    M_Y1 = M_TOP + M_ROWS[n] * FIG_CELL
    set lmargin at screen px(M_X0); set rmargin at screen px(M_X1)
    set tmargin at screen py(M_TOP); set bmargin at screen py(M_Y1)
    M_X = M_X1 + 14
    set xrange [-0.5:M_COLS[n] - 0.5]
    set yrange [M_ROWS[n] - 0.5:-0.5]                          # query 0 on top
    unset label
    if (n == M_FIRST) {
        set label 1 FIG_TITLE at screen px(12 + M_SHIFT), py(24) left font FONT.",15" textcolor rgb INK
    }
    set label 2 FIG_NAME[n] at screen px((M_X0 + M_X1) / 2.), py(M_TOP - 15) center textcolor rgb INK
    set label 3 FIG_COLS at screen px((M_X0 + M_X1) / 2.), py(M_Y1 + M_FOOT - 18) center textcolor rgb GREY
    set label 4 FIG_ROWS at screen px(M_X0 - M_LEFT + 14), py((M_TOP + M_Y1) / 2.) center rotate by 90 textcolor rgb GREY

    if (M_FLAT) { set xtics norotate offset 0, 0.3 } else { set xtics rotate by 90 right offset 0, 0 }
    set ytics offset 0.5, 0
    if (n == M_LAST && FIG_KIND ne "mask") {
        set colorbox user origin px(M_X1 + 18), py(M_Y1) size px(16), real(M_Y1 - M_TOP) / FIG_H front noborder
        set cblabel FIG_BAR textcolor rgb GREY offset 0.5, 0
        set cbtics scale 0.4
    } else {
        unset colorbox
    }

    M_CELLS = "< ".map_part(FIG_FILE[n], "-v part=cells")
    # Half a cell. A thin line separates large cells; small ones overlap slightly, or the
    # background would show between them.
    M_GAP = (FIG_CELL >= 12 ? 0.5 - 0.6 / FIG_CELL : 0.5 + 0.3 / FIG_CELL)
    M_TICKS = sprintf('"< ".map_part(FIG_FILE[n], "-v part=columns -v step=%d") \
 using 1:(NaN):xtic(2) with points title "keys", \
 "< ".map_part(FIG_FILE[n], "-v part=rows -v step=%d") using (NaN):1:ytic(2) with points title "queries"', M_STEP, M_ROW_STEP)
    M_PLOT = 'M_CELLS using (m_there(strcol(3), $1)):2:(M_GAP):(M_GAP):3 with boxxyerror fillcolor palette title "cells"'
    if (FIG_KIND eq "mask") {
        M_PLOT = 'M_CELLS using ($3 > 0 ? $1 : NaN):2:(M_GAP):(M_GAP):(0x0072B2) with boxxyerror fillcolor rgb variable title "may attend"'
    }
    if (M_ROWS[n] * M_COLS[n] > 10000) {                       # one picture, not 65536 boxes
        M_PLOT = 'M_CELLS using 1:2:3 with image title "cells"'
    }
    if (M_SHOWN) {
        M_PLOT = M_PLOT.', M_CELLS using (m_there(strcol(3), $1)):2:(m_number($3)):(m_ink($3)) \
 with labels font FONT.",".M_CELL_FONT textcolor rgb variable title "numbers"'
    }
    if (FIG_FORMAT eq "svg" && M_ROWS[n] * M_COLS[n] <= 4096) {
        # Invisible squares over the cells carry the hover text. A square of point size 1 is
        # 9.75 pixels wide at 13 points.
        M_POINT = FIG_CELL / 9.75
        M_PLOT = M_PLOT.', M_CELLS using 1:2:(m_hover(strcol(5), strcol(4), strcol(3))) \
 with labels hypertext point pointtype 5 pointsize M_POINT linecolor rgb "#ff000000" title "hover"'
    }
    eval "plot ".M_TICKS.", ".M_PLOT
}
unset multiplot
