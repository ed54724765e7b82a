import { setFlagsFromString } from 'node:v8';
import type { Clock } from '@perigee/kube/clock/clock';

const CHECK_EVERY_MS = 5_000;
/** Heartbeats and leases of a control plane in which nothing happens take less of the time than that. */
const IDLE_BELOW = 0.1;

/**
 * Lets V8 return memory to the system while little happens. By itself it does so only when nothing at all is
 * allocated, and else keeps for ever what the busiest moment took. It collects in small steps, once after each time
 * of work; while there is work to do it prefers speed, as usual.
 */
export const saveMemory = (clock: Pick<Clock, 'busy' | 'monotonic' | 'timer'>): Disposable => {
  let [checkedAt, wasBusy] = [clock.monotonic(), clock.busy()];
  let isSaving = false;
  const check = (): void => {
    const [now, busy] = [clock.monotonic(), clock.busy()];
    const isIdle = busy - wasBusy < IDLE_BELOW * (now - checkedAt);
    [checkedAt, wasBusy] = [now, busy];
    if (isIdle !== isSaving) {
      setFlagsFromString(isIdle ? '--memory-saver-mode' : '--no-memory-saver-mode');
      isSaving = isIdle;
    }
    timer = clock.timer(CHECK_EVERY_MS, check);
  };
  let timer = clock.timer(CHECK_EVERY_MS, check);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
};
