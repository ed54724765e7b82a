import { realClock as clock } from '@perigee/kube/clock/real-clock';

const ERASE_LINE = '\r\u001b[K';
const EVERY_MS = 200;
const MEGABYTE = 1_000_000;

export const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

/** Shows a byte counter on a terminal until it is disposed. */
export const byteProgress = (
  what: string,
): { readonly show: (bytes: number) => void } & Disposable => {
  let shownAt: number | undefined;
  const show = (bytes: number): void => {
    const now = clock.monotonic();
    if (!process.stderr.isTTY || (shownAt !== undefined && now - shownAt < EVERY_MS)) return;
    shownAt = now;
    process.stderr.write(`${ERASE_LINE}perigee: ${what} … ${megabytes(bytes)}`);
  };
  return {
    show,
    [Symbol.dispose]: () => {
      if (shownAt !== undefined) process.stderr.write(ERASE_LINE);
    },
  };
};
