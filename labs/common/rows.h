// rows.h - tables that describe tensors and their layout in memory.
//
// The tensors of a model are fields of a struct. A table has one row for each: its name, its
// shape in words, and the offset of its pointer in the struct. A list of sizes gives the value
// of each word:
//
//     struct pair { float *w, *b; };
//     const struct lab_row rows[] = {
//         {"w", "L C C", offsetof(struct pair, w)},
//         {"b", "L C", offsetof(struct pair, b)},
//         {0},
//     };
//     const struct lab_size sizes[] = {{"L", 2}, {"C", 3}, {0}};
//     struct pair pair;
//     lab_rows_lay_out(&pair, rows, sizes, memory); // memory: lab_rows_count(rows, sizes) floats
//
// A checkpoint, a gradient check or a count loops over the table, so no tensor is numbered by
// hand. model.h and language.h have such tables.
//
// Start reading at struct lab_row.

#ifndef LAB_ROWS_H
#define LAB_ROWS_H

#include <stdbool.h>
#include <stddef.h>

// ---- tables of tensors --------------------------------------------------------------------

// One tensor. A table ends with a row without a name.
struct lab_row {
    const char *name;  // the name of the pointer, also used in checkpoints: "w_qkv"
    const char *shape; // words of the list of sizes, as in comments: "L 3C C"
    size_t pointer;    // the offset of the pointer in the struct: offsetof(...)
};

// The value of a word in a shape. A list ends with an entry without a name.
struct lab_size {
    const char *name; // "L+1" and "3C" are ordinary words
    size_t size;
};

enum { LAB_AXES = 5 }; // a tensor has at most this many axes

// Writes the sizes of a row's tensor and returns the number of axes. Returns 0 if one of the
// sizes is 0: the tensor does not exist.
size_t lab_row_shape(size_t size[LAB_AXES], const struct lab_row *row,
                     const struct lab_size *sizes);

// The number of floats of a row's tensor, and of all tensors of a table together. SIZE_MAX if a
// size_t cannot count them.
size_t lab_row_count(const struct lab_row *row, const struct lab_size *sizes);
size_t lab_rows_count(const struct lab_row *rows, const struct lab_size *sizes);

// The pointer of a row. tensors is the struct that the table belongs to.
// Example: for (const struct lab_row *row = rows; row->name != NULL; row++) {
//              float *data = *lab_row_pointer(&pair, row);
float **lab_row_pointer(void *tensors, const struct lab_row *row);

// Points every pointer of a table into memory(lab_rows_count floats), one tensor after the other,
// in the table's order. Does not touch the memory. A tensor that does not exist gets NULL.
void lab_rows_lay_out(void *tensors, const struct lab_row *rows,
                      const struct lab_size *sizes, float *memory);

// ---- one allocation for everything --------------------------------------------------------

enum {
    LAB_ALIGNMENT = 64
}; // of every piece, in bytes: a cache line, and the widest vector

// Gives out the pieces of one allocation. Take all pieces twice: first with memory NULL, which
// only counts; then allocate used bytes and take them again from the start.
struct lab_arena {
    char *memory;  // aligned to LAB_ALIGNMENT, or NULL: count
    size_t used;   // in bytes
    bool overflow; // the pieces are too large for a size_t
};

// The next piece, of count elements of size bytes each. NULL while counting, or after an overflow.
void *lab_take(struct lab_arena *pieces, size_t count, size_t size);

#endif
