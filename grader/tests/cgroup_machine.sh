#!/bin/sh
# cgroup_machine.sh - the first process of a virtual machine that test_cgroup.sh starts
# (user-mode Linux, with this machine's disk, read-only). `top` is the workbook's folder.
# `groups` is the kind of control groups: v1, or v2 as root, in a separate group, or as an
# ordinary user.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
dmesg -n 1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount --bind "$top" /mnt
mount -t tmpfs tmp /tmp
cd /mnt || exit 1
root=/sys/fs/cgroup
case $groups in
v1)
    mount -t tmpfs tmp $root
    for kind in memory pids; do
        mkdir $root/$kind
        mount -t cgroup -o $kind $kind $root/$kind
    done
    ;;
*)
    mount -t cgroup2 none $root
    echo "+memory +pids" >$root/cgroup.subtree_control
    mkdir $root/mine
    ;;
esac
case $groups in
v2-named) GRADE_CGROUP=/mine sh -c "echo \$\$ >$root/mine/cgroup.procs; exec $program" ;;
v2-user)
    chown -R 1000 $root/mine
    sh -c "echo \$\$ >$root/mine/cgroup.procs
        exec setpriv --reuid 1000 --regid 1000 --clear-groups $program"
    ;;
v2-not-ours)
    said=$(sh -c "echo \$\$ >$root/mine/cgroup.procs; exec $program")
    made=$(find $root/mine -mindepth 1 -type d)
    case $said in
    *"was not delegated"*) echo "${made:+not }ok - nothing is made in it" ;;
    *) echo "not ok - it is left alone: $said" ;;
    esac
    ;;
*) $program ;;
esac
code=$?
[ $code -eq 0 ] || echo "not ok - the program ends well: status $code"
echo "# left: $(find $root -name 'attention-box*')"
echo "machine done"
halt -f
