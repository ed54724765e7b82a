import type { Target } from './apiserver-protocol.ts';
import { EventCounter } from './event-counter.ts';
import { RawHttp2 } from './raw-http2.ts';

/** Watches that only count what they get. */
export interface Watchers extends Disposable {
  /** Number of events that each of them received. */
  readonly counts: readonly number[];
  /** Resolves when all of them together have got so many; rejects when events are lost. */
  delivered(count: number): Promise<void>;
}

/** Number of streams that servers allow on one connection. */
const STREAMS = 100;
/** An event that has not come by then is lost. */
const MOST_MILLISECONDS = 30_000;

const openConnection = (target: Target): Promise<RawHttp2> => {
  const { ca, serverName: servername, certificate } = target;
  const { hostname: host, port } = new URL(target.server);
  const tls = { ...(ca && { ca }), ...(servername && { servername }), ...certificate };
  return RawHttp2.open({ host, port: Number(port), ...tls });
};

/** Opens so many watches of what is at the path, all from the same version on. */
export const openWatchers = async (
  target: Target,
  path: string,
  count: number,
  resourceVersion: string,
): Promise<Watchers> => {
  let delivered = 0;
  let waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const counts = Array.from({ length: count }, () => 0);
  const add = (at: number, events: number): void => {
    if (events === 0) return;
    delivered += events;
    counts[at] = (counts[at] ?? 0) + events;
    if (!waiters.some((one) => one.count <= delivered)) return;
    for (const one of waiters) if (one.count <= delivered) one.resolve();
    waiters = waiters.filter((one) => one.count > delivered);
  };
  const connections = await Promise.all(
    Array.from({ length: Math.ceil(count / STREAMS) }, () => openConnection(target)),
  );
  // Clients in Go ask for gzip, too.
  const headers = {
    'accept-encoding': 'gzip',
    ...(target.authorization && { authorization: target.authorization }),
  };
  const watchPath = `${path}?watch=true&resourceVersion=${resourceVersion}`;
  await Promise.all(
    counts.map((_, at) => {
      const counter = new EventCounter();
      return connections[at % connections.length]!.get(watchPath, headers, {
        take: (bytes, endsFrame) => add(at, counter.count(bytes, endsFrame)),
        fail: failure.reject,
      });
    }),
  );
  const deadline = setTimeout(() => {
    failure.reject(new Error(`only ${delivered} events came to ${count} watchers`));
  }, MOST_MILLISECONDS);
  return {
    counts,
    delivered: async (goal) => {
      if (delivered >= goal) return;
      const reached = new Promise<void>((resolve) => waiters.push({ count: goal, resolve }));
      await Promise.race([reached, failure.promise]);
    },
    [Symbol.dispose]: () => {
      clearTimeout(deadline);
      for (const connection of connections) connection[Symbol.dispose]();
    },
  };
};
