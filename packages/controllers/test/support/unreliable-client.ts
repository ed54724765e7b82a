import type { Client } from '@perigee/kube/client/client';
import { ConnectionError } from '@perigee/kube/errors';

const WRITES: ReadonlySet<PropertyKey> = new Set(['create', 'update', 'patch', 'delete']);

/** The fate of a write, as in a crash: it is lost, or done without a response. */
export type Fate = 'done' | 'lost' | 'done unnoticed';

/** A client whose writes succeed or fail as a callback decides for each of them. */
export const unreliableClient = (client: Client, nextFate: () => Fate): Client =>
  new Proxy(client, {
    get: (target, verb) => {
      const method = Reflect.get(target, verb) as (...args: readonly unknown[]) => unknown;
      if (!WRITES.has(verb)) return typeof method === 'function' ? method.bind(target) : method;
      return async (...args: readonly unknown[]) => {
        const fate = nextFate();
        const result = fate === 'lost' ? undefined : await method.apply(target, [...args]);
        if (fate === 'done') return result;
        throw new ConnectionError(`the answer to a ${String(verb)} got lost`);
      };
    },
  });
