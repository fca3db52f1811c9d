// print.h - prints a matrix as text, and writes a map for gnuplot.
//
//     struct lab_names q, k;
//     lab_status status = lab_print_matrix(stdout, "weights", weights, T, S,
//                                          lab_names(&q, "q", T), lab_names(&k, "k", S), 6, 4);
// prints
//     weights
//             k0      k1      k2
//     q0  1.0000  0.0000  0.0000
//     q1  0.3021  0.6979  0.0000
//     q2  0.2500  0.2500  0.5000
//
// and lab_write_map_tsv("weights.tsv", ...) writes the same numbers for a plot.

#ifndef LAB_PRINT_H
#define LAB_PRINT_H

#include <stddef.h>
#include <stdio.h>

#include "common/replace.h"
#include "common/status.h"

// ---- names of rows and columns ------------------------------------------------------------

enum { LAB_NAMES_MAX = 512, LAB_NAME_SIZE = 16 };

// Storage for generated names, usually on the stack. The names are valid as long as it exists.
struct lab_names {
    char text[LAB_NAMES_MAX][LAB_NAME_SIZE];
    const char *name[LAB_NAMES_MAX];
};

// Generates the names prefix0 prefix1 ... and returns them for the functions below. Returns
// NULL (plain numbers) if n > LAB_NAMES_MAX. A prefix is cut after 9 bytes.
const char *const *lab_names(struct lab_names *names, const char *prefix, size_t n);

// ---- a matrix to read ---------------------------------------------------------------------

// Prints the row-major matrix a(rows,columns) with its names. Columns are aligned, at least
// width characters wide, and numbers have precision digits after the point. title may be
// NULL for no title line; NULL names print as 0 1 2 .... Names may be UTF-8; control
// characters in them print as \n, \t, \x1b. Infinities print as inf and -inf, and every NaN
// as nan. A number that rounds to zero has no minus sign, and numbers from 1e7 up print as
// 1.0000e+07. Returns LAB_ESHAPE if rows or columns is 0, LAB_EVALUE unless 0 <= width <=
// 80 and 0 <= precision <= 9 (nothing is printed in these cases), and LAB_EIO if out cannot
// be written.
LAB_CHECKED lab_status lab_print_matrix(FILE *out, const char *title, const float *a,
                                        size_t rows, size_t columns,
                                        const char *const *row_names,
                                        const char *const *column_names, int width,
                                        int precision);

// ---- a map to draw ------------------------------------------------------------------------

// Writes a(rows,columns) as a Map TSV (docs/formats.md), which labs/programs/plot/map.gp
// draws. NaN and infinities become blank cells. NULL names are 0 1 2 ..., and control
// characters in names are written as \n, \t, \x1b. The file is replaced as a whole: after
// an error the old file is unchanged, and for LAB_EIO and LAB_ENOMEM errno holds the
// reason. Returns LAB_ESHAPE if rows or columns is 0.
LAB_CHECKED lab_status lab_write_map_tsv(const char *path, const float *a, size_t rows,
                                         size_t columns, const char *const *row_names,
                                         const char *const *column_names);

#endif
