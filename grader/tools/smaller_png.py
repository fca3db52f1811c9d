#!/usr/bin/env python3
# smaller_png.py - stores PNGs of gnuplot (8 bits of red, green and blue) in fewer bytes, without changing a pixel.
#
#   grader/tools/smaller_png.py docs/figures/09_generation/time.png ...
#
# Only for pictures of measured times and of experiments: make plot compares the others byte by byte with a student's.
import struct
import sys
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + size]
        at += size + 12


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


# The rows of pixels, without the filters of the file.
def rows(raw, width, height):
    stride, above, result = 3 * width, bytes(3 * width), []
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            left, corner = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            add = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind]
            row[i] = (row[i] + add) & 255
        above = bytes(row)
        result.append(above)
    return result


def smaller(data):
    parts = list(chunks(data))
    width, height, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", parts[0][1])
    if (depth, kind, interlace) != (8, 2, 0):
        return data
    picture = rows(zlib.decompress(b"".join(body for name, body in parts if name == b"IDAT")), width, height)
    colours = {}
    for row in picture:
        for i in range(0, 3 * width, 3):
            colours.setdefault(row[i:i + 3], len(colours))
    if len(colours) <= 256:
        palette = b"".join(colours)
        body = b"".join(b"\0" + bytes(colours[row[i:i + 3]] for i in range(0, 3 * width, 3)) for row in picture)
        head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
        extra = chunk(b"PLTE", palette)
    else:
        body = b"".join(b"\0" + row for row in picture)
        head, extra = parts[0][1], b""
    packed = zlib.compressobj(9, zlib.DEFLATED, 15, 9)
    stream = packed.compress(body) + packed.flush()
    made = data[:8] + chunk(b"IHDR", head) + extra + chunk(b"IDAT", stream) + chunk(b"IEND", b"")
    return made if len(made) < len(data) else data


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        before = file.read()
    after = smaller(before)
    with open(path, "wb") as file:
        file.write(after)
