/** Flags that an unprivileged read-only remount must keep. */
const KEPT = ['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime'];

const MOUNT_POINT = 4;
const OPTIONS = 5;

/** Spaces and the like are octal escapes in mountinfo. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );

const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** Flags of the mount that contains a path, from the text of `/proc/self/mountinfo`. */
export const mountFlags = (mountinfo: string, path: string): readonly string[] => {
  let best = { point: '', options: '' };
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    const point = unescaped(fields[MOUNT_POINT] ?? '');
    // Of two mounts at one point the later covers the earlier.
    if (point !== '' && isAtOrBelow(path, point) && point.length >= best.point.length) {
      best = { point, options: fields[OPTIONS] ?? '' };
    }
  }
  const options = best.options.split(',');
  return KEPT.filter((flag) => options.includes(flag));
};

/** Mount points below a folder, from the text of `/proc/self/mountinfo`. */
export const mountsBelow = (mountinfo: string, folder: string): readonly string[] => {
  const points = mountinfo.split('\n').map((line) => unescaped(line.split(' ')[MOUNT_POINT] ?? ''));
  return [...new Set(points.filter((point) => point !== folder && isAtOrBelow(point, folder)))];
};
