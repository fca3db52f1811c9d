#!/bin/sh
# test_class_archives.sh - hostile archives of a class cost only the marks of who handed them in.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh

# ---- nested archives ----------------------------------------------------------------------------

# A few kilobytes: a million empty gzip files, one after another, packed twice more with gzip.
mkdir "$work/layers"
gzip </dev/null >"$work/empty"
for doubled in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    cat "$work/empty" "$work/empty" >"$work/empty2" && mv "$work/empty2" "$work/empty"
done
gzip <"$work/empty" | gzip >"$work/layers/ann.tar.gz"
rm "$work/empty"
layers() {
    timeout 20 "$work/build/grade-class" class "$work/layers" --db "$work/layers.db" --lab 1 --seed 5 --trust </dev/null >"$work/said" 2>&1
    code=$?
    cat "$work/said"
    [ $code -eq 0 ] && grep -q "ann: refused: ann.tar.gz cannot be unpacked: it is damaged, or not a zip or tar archive$" "$work/said"
}
claim "only one layer of an archive is unpacked" layers

# ---- hostile archives -----------------------------------------------------------------------

h=$work/harm
mkdir "$h" "$work/m"
folder_of "$h/honest"
cd "$work/m" || exit 1
mkdir 01_simple_attention && cp "$top/$solution" 01_simple_attention/
tar -cPf "$h/above.tar" --transform 's,^,x/../../,' 01_simple_attention
tar -cPf "$h/absolute.tar" --transform "s,^,$work/m/escaped/," 01_simple_attention
ln -s /etc/passwd link.c && tar -cf "$h/link.tar" --transform 's,link.c,01_simple_attention/attention.c,' link.c
ln 01_simple_attention/attention.c hard.c && tar -cf "$h/hardlink.tar" hard.c 01_simple_attention
tar -cPf "$h/device.tar" --transform 's,.*,attention.c,' /dev/null 2>/dev/null
truncate -s 64M zeros && tar -czf "$h/bomb.tgz" zeros
# A zip written as a stream: an entry can have any size, because no directory at the end of the
# file contradicts it.
command -v python3 >/dev/null && python3 - "$h" <<'END'
import bz2, struct, sys, tarfile, zlib
here = sys.argv[1]

def entry(name, packed):  # its sizes would stand behind it
    header = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 8, 8, 0, 0, 0, 0, 0, len(name), 0)
    return header + name.encode() + packed

deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
megabyte = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
with open(here + "/stream.zip", "wb") as file:
    file.write(entry("grows.bin", megabyte * 20000))

# libarchive skips these bytes to look for an entry, and there is none.
with open(here + "/forever.tar.bz2", "wb") as file:
    text = zlib.compress(b"x")[2:-4]
    sizes = struct.pack("<4sIII", b"PK\7\10", zlib.crc32(b"x"), len(text), 1)
    file.write(bz2.compress(entry("notes.txt", text) + sizes))
    file.write(bz2.compress(bytes(1 << 20)) * 20000)

# Empty files, each with a long header before it.
member = tarfile.TarInfo("notes.txt")
member.pax_headers = {"comment": "y" * 900000}
with open(here + "/headers.tar.bz2", "wb") as file:
    file.write(bz2.compress(member.tobuf(tarfile.PAX_FORMAT)) * 200)
END
command -v zip >/dev/null && zip -qr - 01_simple_attention | cat >"$h/streamed.zip"
command -v bzip2 >/dev/null && tar -cf - 01_simple_attention | bzip2 >"$h/bzipped.tar.bz2"
command -v zip >/dev/null && zip -q "$h/zipbomb.zip" zeros && zip -qP secret "$h/password.zip" 01_simple_attention/attention.c
truncate -s 600M huge && tar -cSf "$h/sparse.tar" huge
cp 01_simple_attention/attention.c attention.c && tar -cf "$h/twice.tar" attention.c && echo "// again" >>attention.c &&
    tar -rf "$h/twice.tar" attention.c
printf 'int x;' >other.c && tar -cf "$h/two.tar" --transform 's,other.c,labs/01_simple_attention/attention.c,' other.c &&
    tar -rf "$h/two.tar" --transform 's,^,again/labs/,' 01_simple_attention/attention.c
odd=$(printf 'a\nb.c') && : >"$odd" && tar -cf "$h/newline.tar" "$odd"
odd=$(printf 'a\377\001b.c') && : >"$odd" && tar -cf "$h/not-utf8.tar" "$odd"
odd=$(printf 'a\302\205b.c') && : >"$odd" && tar -cf "$h/control.tar" "$odd"
head -c 300000 /dev/zero >big.c && tar -cf "$h/large.tar" --transform 's,big.c,attention.c,' big.c
mkdir many && (cd many && seq 20001 | xargs touch) && tar -czf "$h/many.tgz" many
tar -czf whole.tgz 01_simple_attention && head -c 200 whole.tgz >"$h/cut.tgz"
head -c 5000 /dev/urandom >"$h/noise.zip"
# An archive whose list of files is intact, but one file is damaged.
command -v zip >/dev/null && zip -q "$h/corrupt.zip" 01_simple_attention/attention.c &&
    head -c 200 /dev/zero | tr '\0' '\377' | dd of="$h/corrupt.zip" bs=1 seek=300 conv=notrunc status=none
: >"$h/nothing.zip"
ln -s nowhere "$h/dangling.zip"
ln -s "$top/solutions" "$h/stolen"
ln -s "$h/above.tar" "$h/linky.zip"
command -v python3 >/dev/null && (cd "$h" && python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket.zip")')
# 10 megabytes of tokens, each of which begins another fingerprint.
mkdir "$h/heavy" && cp -R 01_simple_attention "$h/heavy/" &&
    awk 'BEGIN { srand(1); for (i = 0; i < 250000; i++) printf "%s", substr("+-*%&|^<>!~?:;,(){}[]=.", 1 + int(23 * rand()), 1) }' >tokens &&
    (cd "$top/labs" && find [01]* -name "*.c" -o -name "*.cu") | while read -r file; do
        mkdir -p "$h/heavy/${file%/*}" && { [ -e "$h/heavy/$file" ] || cp tokens "$h/heavy/$file"; }
    done
mkdir "$h/linked" "$h/linked/01_simple_attention" && ln -s "$top/$solution" "$h/linked/01_simple_attention/attention.c"
cd "$top" || exit 1
claim "a class with hostile archives is graded completely" exits 0 grade "$h" "$work/harm.db"
for name in link hardlink device linked; do
    claim "only regular files are unpacked: $name" has "$work/harm.db" $name 0
done
refused() { # NAME PATTERN
    "$work/book" query "$work/harm.db" "SELECT verdict || ': ' || reason FROM submission JOIN student
        ON student.id = student WHERE name = '$1'" >"$work/reason"
    cat "$work/reason"
    grep -qE "^refused: .*$2" "$work/reason" && has "$work/harm.db" "$1" 0
}
while read -r name pattern; do
    [ -e "$h/$name.zip" ] || [ -e "$h/$name.tar" ] || [ -e "$h/$name.tgz" ] || [ -e "$h/$name.tar.bz2" ] || [ -d "$h/$name" ] ||
        [ -L "$h/$name.zip" ] || continue
    claim "refused: $name" refused "$name" "$pattern"
done <<'END'
above path outside
absolute path outside
bomb is too large when unpacked
zipbomb is too large when unpacked
stream damaged
forever cannot be unpacked: it is damaged, or not a zip or tar archive$
headers is too large when unpacked
password password
sparse is too large when unpacked
twice which one counts\? two files of twice.tar are called attention.c and differ
two which one counts
newline unusable name
not-utf8 unusable name
control unusable name
large larger than 256 kilobytes
many more than 20000
cut cannot be unpacked: it is damaged, or not a zip or tar archive$
noise cannot be unpacked: it is damaged, or not a zip or tar archive$
corrupt cannot be unpacked: it is damaged or has a password$
dangling is a link
linky is a link
stolen is a link
socket neither a folder nor a regular file
END
claim "an honest student beside them has full marks" has "$work/harm.db" honest 100
claim "and so has one whose other labs are as large as a file may be" has "$work/harm.db" heavy 100
heavy_refused() { # all labs
    mkdir "$work/heavy" && "$work/build/grade-class" collect --into "$work/heavy/tree" --quiet "$h/heavy" 2>"$work/said"
    [ $? -eq 1 ] && grep "^grade: its files of the labs are larger than 4 megabytes together$" "$work/said"
}
claim "with all labs, a hand-in of that size is refused" heavy_refused
# Gradescope's script puts this line into JSON.
one_line() {
    odd=$(printf 'a\nb\033[31m\377')
    mkdir -p "$work/odd/$odd/01_simple_attention" "$work/odd/b/01_simple_attention" &&
        echo 'int a;' >"$work/odd/$odd/01_simple_attention/attention.c" &&
        echo 'int b;' >"$work/odd/b/01_simple_attention/attention.c" || return 1
    "$work/build/grade-class" collect --into "$work/odd-tree" --quiet "$work/odd" 2>"$work/said"
    [ $? -eq 1 ] && [ "$(wc -l <"$work/said")" -eq 1 ] && iconv -f UTF-8 -t UTF-8 "$work/said" &&
        ! LC_ALL=C tr -d '\n' <"$work/said" | LC_ALL=C grep '[[:cntrl:]]'
}
claim "the reason of a refusal is one line that is safe to print" one_line
[ ! -s "$h/streamed.zip" ] || claim "and so has a zip that was written as a stream" has "$work/harm.db" streamed 100
if command -v bzip2 >/dev/null; then
    claim "a bomb packed with bzip2 is refused" has "$work/harm.db" bzipped 100
else
    echo "ok - a bomb packed with bzip2 is refused # SKIP bzip2 is not installed"
fi
claim "nothing was written outside the folder" sh -c "! [ -e '$work/m/escaped' ] && ! [ -e '$work/build/class/x' ]"

unreadable() {
    u=$work/unreadable
    mkdir "$u" && folder_of "$u/fine" && folder_of "$u/closed" && chmod 0 "$u/closed" || return 1
    run=
    if [ "$(id -u)" -eq 0 ]; then
        chown -R 65534 "$work"
        run="setpriv --reuid 65534 --clear-groups"
        if ! $run test -r "$u/fine"; then
            chown -R 0 "$work" # the later tests write here, too
            return 77
        fi
    fi
    $run "$work/build/grade-class" class "$u" --db "$work/unreadable.db" --lab 1 --trust >"$work/said" 2>&1
    code=$?
    [ "$(id -u)" -ne 0 ] || chown -R 0 "$work"
    chmod 755 "$u/closed"
    cat "$work/said"
    [ $code -eq 1 ] && has "$work/unreadable.db" fine 100 && has "$work/unreadable.db" closed "" &&
        grep -q "closed, lab 1: cannot read .*Permission denied" "$work/said" &&
        exits 0 grade "$u" "$work/unreadable.db" && has "$work/unreadable.db" closed 100
}
unreadable >"$work/unreadable.out" 2>&1
case $? in
0) echo "ok - a folder that cannot be read is named, the others go on, and a later run takes it" ;;
77) echo "ok - a folder that cannot be read # SKIP another user cannot reach this folder" ;;
*)
    echo "not ok - a folder that cannot be read is named, the others go on, and a later run takes it"
    sed 's/^/# /' "$work/unreadable.out"
    status=1
    ;;
esac

exit $status
