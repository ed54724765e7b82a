/**
 * Runs as the first process of a new mount and process namespace. It makes a root of its own that holds
 * nothing but what it is told, moves there, gives up all privileges and runs the command; when that ends,
 * the kernel ends all that the command left behind. Its text never changes: whatever depends on a pod is an
 * argument, or is read by the command itself.
 *
 * Arguments: the mount point of the new root, the user and the group, `map` when these are those of the
 * outside seen from a user namespace (`set` when they are to be taken on), then steps of three words, then
 * `--` and the command.
 */
export const SANDBOX_SCRIPT = `
set -eu
new=$1 user=$2 group=$3 how=$4
shift 4
mount -t tmpfs -o mode=755,size=1m,nosuid,nodev perigee "$new"
while [ "$1" != -- ]; do
  at=$new$3
  case $1 in
    link) ln -s "$2" "$at" ;;
    hide) [ ! -d "$at" ] || mount -t tmpfs -o mode=755,size=1m,nosuid,nodev perigee "$at" ;;
    shared-memory) mkdir -p "$at" && mount -t tmpfs -o mode=1777,size=64m,nosuid,nodev perigee "$at" ;;
    *)
      if [ -d "$2" ]; then
        mkdir -p "$at"
      elif [ ! -e "$at" ]; then
        mkdir -p "\${at%/*}"
        : >"$at"
      fi
      mount --rbind "$2" "$at"
      case $1 in
        read*) mount -o "remount,bind,ro\${1#read}" "$at" ;;
      esac
      ;;
  esac
  shift 3
done
shift
mkdir -p "$new/proc" "$new/.outside"
mount -t proc -o nosuid,nodev,noexec proc "$new/proc"
cd "$new"
pivot_root . .outside
cd /
umount -l /.outside
rmdir /.outside
mount -o remount,bind,ro,nosuid,nodev /
if [ "$how" = map ]; then
  set -- unshare --user --map-user="$user" --map-group="$group" -- setpriv --no-new-privs -- "$@"
else
  set -- setpriv --reuid="$user" --regid="$group" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs -- "$@"
fi
# What a shell says about signals is not output of the command.
exec 4>&2 2>/dev/null
set +e
(exec "$@" 2>&4 4>&-)
exit $?
`;
