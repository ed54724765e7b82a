const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const twoUnits = (ms: number, unit: number, name: string, part: number, partName: string) => {
  const rest = Math.floor((ms % unit) / part);
  return `${Math.floor(ms / unit)}${name}${rest === 0 ? '' : `${rest}${partName}`}`;
};

/** A span of time in the two or three figures that tables show: `5s`, `3m12s`, `47h`, `6y320d`. */
export const humanDuration = (ms: number): string => {
  // Clocks of two machines may differ by a little.
  if (ms <= -2 * SECOND) return '<invalid>';
  if (ms < 0) return '0s';
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return twoUnits(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return twoUnits(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return twoUnits(ms, DAY, 'd', HOUR, 'h');
  if (ms < 2 * YEAR) return `${Math.floor(ms / DAY)}d`;
  if (ms < 8 * YEAR) return twoUnits(ms, YEAR, 'y', DAY, 'd');
  return `${Math.floor(ms / YEAR)}y`;
};
