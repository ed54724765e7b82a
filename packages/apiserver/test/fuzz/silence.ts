import { request } from 'node:https';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { Place } from './speak.ts';

/** Resolves when the server has answered one plain request, or cannot be asked any more. */
const answersOthers = ({ port, ca, token }: Place): Promise<void> =>
  new Promise((resolve) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      ca,
      path: '/clusters/m1/api/v1/namespaces/own/configmaps?limit=1',
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
      agent: false,
    });
    asked.on('response', (response) => response.resume().once('close', resolve));
    asked.once('error', () => resolve());
    asked.end();
  });

/**
 * Notices that a server has no more to say: it was silent for a while, and also while it answered somebody
 * else. By time alone, a machine that is busy with other work would look like a server that does not answer.
 */
export class Silence implements Disposable {
  readonly #place: Place;
  readonly #onSilent: () => void;
  #timer: Disposable;

  constructor(place: Place, onSilent: () => void) {
    this.#place = place;
    this.#onSilent = onSilent;
    this.#timer = this.#wait();
  }

  /** The server has said something. */
  broken(): void {
    this.#timer[Symbol.dispose]();
    this.#timer = this.#wait();
  }

  #wait(): Disposable {
    const timer = realClock.timer(this.#place.patienceMs, () => {
      void answersOthers(this.#place).then(() => {
        if (timer === this.#timer) this.#onSilent();
      });
    });
    return timer;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}
