# maps_terminal.gp - the text-terminal part of maps.gp. It prints numbers if a map has at most
# 12 columns, otherwise shades: in 256 colors on a terminal, plain if the output goes to a file
# or NO_COLOR is set (see no-color.org).

system "test -t 1"
T_COLOR = (GPVAL_SYSTEM_ERRNO == 0 && system('printf %s "$NO_COLOR"') eq "")
T_LOCALE = system('printf %s "${LC_ALL:-${LC_CTYPE:-$LANG}}"')
T_SHADE = (strstrt(T_LOCALE, "UTF-8") || strstrt(T_LOCALE, "utf8") ? "·░▒▓█" : ".:-=+*#%@")
T_SIDE = 32
T_LAST = strlen(T_SHADE)
t_part(v) = largest(0, (v - FIG_LOW) / (FIG_HIGH - FIG_LOW))
t_level(v) = smallest(T_LAST, 1 + int(T_LAST * (M_ROOT ? sqrt(t_part(v)) : t_part(v))))
t_shade(v) = T_SHADE[t_level(v):t_level(v)].T_SHADE[t_level(v):t_level(v)]
t_short(name, room) = (strlen(name) > room ? name[1:room - 1]."~" : name)

eval RESET
eval (M_ROOT ? TERMINAL_ROOT : TERMINAL)
set cbrange [FIG_LOW:FIG_HIGH]
unset colorbox; unset border; unset tics; unset key
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0

do for [n = 1:FIG_N] {
    T_FIGURES = (M_COLS[n] <= 12)
    T_MOST = largest(abs(FIG_LOW), abs(FIG_HIGH))
    T_CELL = (T_FIGURES ? largest(T_MOST >= 99999.5 ? 8 : 6, smallest(10, M_COL_NAME + 2)) : 2)
    T_ROW_NAME = largest(strlen(FIG_ROWS), smallest(M_ROW_NAME, 16)) + 2
    T_BLOCK = 1
    while (!T_FIGURES && largest(M_ROWS[n], M_COLS[n]) > T_BLOCK * T_SIDE) { T_BLOCK = T_BLOCK + 1 }
    T_W = T_ROW_NAME + T_CELL * int(ceil(real(M_COLS[n]) / T_BLOCK)) + 2
    T_HEAD = (FIG_N == 1 ? FIG_TITLE : FIG_NAME[n])
    # The title of all maps, in two lines if it is longer than 78 characters.
    T_BREAK = strlen(FIG_TITLE)
    if (T_BREAK > 78) { T_BREAK = 78; while (T_BREAK > 1 && FIG_TITLE[T_BREAK:T_BREAK] ne " ") { T_BREAK = T_BREAK - 1 } }
    T_FIRST = FIG_TITLE[1:T_BREAK]; T_SECOND = FIG_TITLE[T_BREAK + 1:*]
    T_ABOVE = (FIG_N > 1 && n == 1 ? (strlen(T_SECOND) ? 3 : 2) : 0)
    if (T_BLOCK > 1) { T_HEAD = T_HEAD.sprintf(" (mean of %d x %d cells)", T_BLOCK, T_BLOCK) }
    T_W = largest(T_W, 2 + largest(strlen(T_HEAD), T_ABOVE ? strlen(T_FIRST) : 0))
    T_H = int(ceil(real(M_ROWS[n]) / T_BLOCK)) + 5 + T_ABOVE

    # The form feed that dumb prints before a picture would clear some terminals. Its empty line
    # before the picture and its spaces after it carry no information.
    set output "| sed -e 's/\\f//g' -e 's/ *$//' -e '/./,$!d' 2>/dev/null"
    if (T_COLOR) { set terminal dumb size T_W, T_H ansi256 noenhanced } else { set terminal dumb size T_W, T_H mono noenhanced }
    set xrange [0:T_W - 1]
    set yrange [T_H - 1 - T_ABOVE:-T_ABOVE]
    if (T_ABOVE) { set label 4 T_FIRST at 1, 1 - T_ABOVE left; set label 5 T_SECOND at 1, -1 left }
    set label 1 T_HEAD at 1, 1 left
    set label 2 FIG_ROWS at T_ROW_NAME - 2, 3 right
    set label 3 FIG_COLS at T_ROW_NAME + T_CELL - 2, 2 right
    if (T_FIGURES) {
        T_CELLS = "< ".map_part(FIG_FILE[n], "-v part=cells")
        T_COLUMN = "< ".map_part(FIG_FILE[n], "-v part=columns")
        T_ROW = "< ".map_part(FIG_FILE[n], "-v part=rows")
        plot T_COLUMN using (T_ROW_NAME + T_CELL * ($1 + 1) - 2):(3):(t_short(strcol(2), T_CELL - 1)) with labels right, \
            T_ROW using (T_ROW_NAME - 2):(4 + $1):(t_short(strcol(2), T_ROW_NAME - 1)) with labels right, \
            T_CELLS using (T_ROW_NAME + T_CELL * ($1 + 1) - 2):(4 + $2):(strcol(3) eq "nan" ? "---" : m_number($3)):3 with labels right textcolor palette
    } else {
        T_CELLS = "< ".map_part(FIG_FILE[n], sprintf("-v part=shades -v side=%d", T_SIDE))
        T_ROW = "< ".map_part(FIG_FILE[n], sprintf("-v part=rows -v step=%d", T_BLOCK))
        plot T_ROW using (T_ROW_NAME - 2):(4 + $1 / T_BLOCK):(t_short(strcol(2), T_ROW_NAME - 1)) with labels right, \
            T_CELLS using (T_ROW_NAME + T_CELL * $1):(4 + $2):(strcol(3) eq "nan" ? "  " : t_shade($3)):3 with labels left textcolor palette
    }
    unset label
    unset output
}
