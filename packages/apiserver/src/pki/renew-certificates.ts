import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import type { Pki } from './pki.ts';

/** Certificates are renewed a month before they expire. After a clock was set back they are not valid yet. */
const HOUR_MS = 3_600_000;

export interface RenewalOptions {
  readonly pki: Pki;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when there are new certificates, to put them to use. */
  readonly renewed: () => void;
}

/** Checks once an hour for certificates that end soon or are yet to begin, until it is disposed. */
export const renewCertificates = ({ pki, clock, logger, renewed }: RenewalOptions): Disposable => {
  const check = (): void => {
    try {
      if (!pki.renew()) return;
      renewed();
      logger.info('certificates were renewed');
    } catch (error) {
      logger.error('certificates could not be renewed', { error });
    }
  };
  const schedule = (): Disposable =>
    clock.timer(HOUR_MS, () => {
      check();
      timer = schedule();
    });
  let timer = schedule();
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
};
