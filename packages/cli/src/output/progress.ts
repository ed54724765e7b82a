import type { Transport } from '@perigee/kube/client/transport';
import type { Clock } from '@perigee/kube/clock/clock';

const PATIENCE_MS = 1_000;
const ERASE_LINE = '\r\u001b[K';

/** Shows a "waiting for" line with the elapsed time on a terminal until it is disposed. */
const waitingFor = (what: string, clock: Clock): Disposable => {
  const startMs = clock.monotonic();
  let timer: Disposable | undefined;
  let isShown = false;
  const show = (): void => {
    const seconds = Math.round((clock.monotonic() - startMs) / 1000);
    process.stderr.write(`${ERASE_LINE}perigee: waiting for ${what} … ${seconds} s`);
    isShown = true;
    timer = clock.timer(PATIENCE_MS, show);
  };
  timer = clock.timer(PATIENCE_MS, show);
  return {
    [Symbol.dispose]: () => {
      timer?.[Symbol.dispose]();
      if (isShown) process.stderr.write(ERASE_LINE);
    },
  };
};

/** A transport that shows on a terminal what slow requests wait for. */
export const withProgress = (transport: Transport, what: string, clock: Clock): Transport =>
  process.stderr.isTTY
    ? {
        send: async (...request) => {
          using _ = waitingFor(what, clock);
          return await transport.send(...request);
        },
        [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
      }
    : transport;
