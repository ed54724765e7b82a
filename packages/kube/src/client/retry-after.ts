/** How long a `Retry-After` header asks to wait, in seconds: a number of them, or a date. */
export const retryAfterSeconds = (
  header: string | undefined,
  nowMs: number,
): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - nowMs) / 1000);
};
