/**
 * Runs as the first process of a new mount and process namespace. It makes a root of its own that holds
 * nothing but its mounts, moves there, gives up all privileges and runs the command; when that ends,
 * the kernel ends all that the command left behind. Its text never changes: whatever depends on a pod is an
 * argument, or is read by the command itself.
 *
 * There are two roots. This script and the tools that it runs with privileges see one with the system of this
 * machine. The command sees another, which has the volumes of its pod as well: these may be mounted anywhere,
 * also where tools and libraries are, so no tool with privileges is ever started from there.
 *
 * Arguments: the mount point of the new root, the user and the group, `map` when these are those of the
 * outside seen from a user namespace (`set` when they are to be taken on), then steps of four words, then
 * `--` and the command. Descriptor 3 belongs to the command; on 4, the exit code of the command is written.
 */
export const SANDBOX_SCRIPT = `
set -eu
new=$1 user=$2 group=$3 how=$4
shift 4
mount -t tmpfs -o mode=755,size=1m,nosuid,nodev perigee "$new"
root=$new
while [ "$1" != -- ]; do
  at=$root$3
  # Read-only is a mount, not what else is mounted inside of it.
  how_much=--rbind
  case $1 in *only-read*) how_much=--bind ;; esac
  case $1 in
    link) ln -s "$2" "$at" ;;
    hide) [ ! -d "$at" ] || mount -t tmpfs -o mode=755,size=1m,nosuid,nodev perigee "$at" ;;
    shared-memory) mkdir -p "$at" && mount -t tmpfs -o mode=1777,size=64m,nosuid,nodev perigee "$at" ;;
    processes) mkdir -p "$at" && mount -t proc -o nosuid,nodev,noexec proc "$at" ;;
    view)
      mkdir "$at"
      mount --rbind "$root" "$at"
      root=$at
      ;;
    point)
      mkdir -p "$new/.points\${3%/*}"
      if [ "$2" = folder ]; then mkdir -p "$new/.points$3"; else : >"$new/.points$3"; fi
      ;;
    points)
      cd "$new"
      mount -t overlay -o "ro,lowerdir=.points$3:$3" perigee "$at"
      ;;
    inside*)
      # Others can write to the folder that it is in: no link of theirs may lead elsewhere.
      cd -P "$at"
      [ "$(pwd -P)" = "$at" ] || { echo "$3 is not a folder" >&2; exit 1; }
      mount --no-canonicalize "$how_much" "$2" .
      ;;
    *)
      if [ -d "$2" ]; then
        mkdir -p "$at"
      elif [ ! -e "$at" ]; then
        mkdir -p "\${at%/*}"
        : >"$at"
      fi
      mount "$how_much" "$2" "$at"
      ;;
  esac
  # What was looked at must be what is mounted now.
  [ "$4" = - ] || [ "$(stat -c %d:%i "$at")" = "$4" ] || { echo "$3 has changed" >&2; exit 1; }
  case $1 in
    *read*) mount -o "remount,bind,ro\${1#*read}" "$at" ;;
  esac
  shift 4
done
shift
mount -o remount,bind,ro,nosuid,nodev "$root"
cd "$new"
mkdir .outside
pivot_root . .outside
cd /
umount -l /.outside
rmdir /.outside
mount -o remount,bind,ro,nosuid,nodev /
view=\${root#"$new"}
if [ "$how" = map ]; then
  set -- unshare --user --map-user="$user" --map-group="$group" --root="$view" --wd=/ -- "$@"
  set -- setpriv --no-new-privs -- "$@"
else
  # By numbers only: to look up a name would be to ask somebody.
  set -- unshare --root="$view" --wd=/ --setgid="$group" --setuid="$user" -- "$@"
  set -- setpriv --inh-caps=-all --bounding-set=-all,+setuid,+setgid,+sys_chroot --no-new-privs -- "$@"
fi
# What a shell says about signals is not output of the command.
exec 5>&2 2>/dev/null
set +e
(exec "$@" 2>&5 5>&-)
code=$?
# It is noted that the command ended also when nobody is there to be told.
echo "$code" >&4
exit "$code"
`;
