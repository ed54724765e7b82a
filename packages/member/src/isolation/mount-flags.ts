/** Flags that a mount must keep when somebody without privileges makes it read-only. */
const KEPT = ['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime'];

const MOUNT_POINT = 4;
const OPTIONS = 5;

/** Spaces and the like are written as octal numbers there. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );

const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** The flags of the mount that a path is on, by the text of `/proc/self/mountinfo`. */
export const mountFlags = (mountinfo: string, path: string): readonly string[] => {
  let best = { point: '', options: '' };
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    const point = unescaped(fields[MOUNT_POINT] ?? '');
    // Of two at one place, the later covers the earlier.
    if (point !== '' && isAtOrBelow(path, point) && point.length >= best.point.length) {
      best = { point, options: fields[OPTIONS] ?? '' };
    }
  }
  const options = best.options.split(',');
  return KEPT.filter((flag) => options.includes(flag));
};

/** The places below a folder where something else is mounted, by the text of `/proc/self/mountinfo`. */
export const mountsBelow = (mountinfo: string, folder: string): readonly string[] => {
  const points = mountinfo.split('\n').map((line) => unescaped(line.split(' ')[MOUNT_POINT] ?? ''));
  return [...new Set(points.filter((point) => point !== folder && isAtOrBelow(point, folder)))];
};
