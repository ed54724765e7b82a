import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { Target } from './apiserver-protocol.ts';
import { countInflated, countLines, type EventCounter } from './event-counter.ts';

/** Watches that only count what they get. */
export interface Watchers extends Disposable {
  /** How many events each of them has got. */
  readonly counts: readonly number[];
  /** Resolves when all of them together have got so many; rejects when events are lost. */
  delivered(count: number): Promise<void>;
}

/** What servers allow on one connection. */
const STREAMS = 100;
/** As Go's clients have it: the windows shall not be what is measured. */
const STREAM_WINDOW = 4 * 1024 * 1024;
const SESSION_WINDOW = 1024 * 1024 * 1024;
/** An event that has not come by then is lost. */
const MOST_MILLISECONDS = 30_000;

const openSession = async (target: Target): Promise<ClientHttp2Session> => {
  const { server, ca, serverName: servername, certificate } = target;
  const session = connect(server, {
    ...(ca && { ca }),
    ...(servername && { servername }),
    ...certificate,
    settings: { initialWindowSize: STREAM_WINDOW },
  });
  await once(session, 'connect');
  session.setLocalWindowSize(SESSION_WINDOW);
  return session;
};

interface OpenStream {
  readonly stream: ClientHttp2Stream;
  readonly count: EventCounter;
}

/** Asks for gzip, as clients in Go do. */
const openWatch = async (
  session: ClientHttp2Session,
  { authorization }: Target,
  path: string,
  resourceVersion: string,
): Promise<OpenStream> => {
  const stream = session.request({
    ':path': `${path}?watch=true&resourceVersion=${resourceVersion}`,
    'accept-encoding': 'gzip',
    ...(authorization && { authorization }),
  });
  const [headers] = await once(stream, 'response');
  if (headers[':status'] !== 200) throw new Error(`a watch was answered ${headers[':status']}`);
  const isZipped = headers['content-encoding'] === 'gzip';
  return { stream, count: isZipped ? countInflated() : countLines };
};

/** Opens so many watches of what is at the path, all from the same version on. */
export const openWatchers = async (
  target: Target,
  path: string,
  count: number,
  resourceVersion: string,
): Promise<Watchers> => {
  const sessions = await Promise.all(
    Array.from({ length: Math.ceil(count / STREAMS) }, () => openSession(target)),
  );
  const streams = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      openWatch(sessions[at % sessions.length]!, target, path, resourceVersion),
    ),
  );
  let delivered = 0;
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const deadline = setTimeout(() => {
    ended.reject(new Error(`only ${delivered} events came to ${count} watchers`));
  }, MOST_MILLISECONDS);
  const counts = streams.map(() => 0);
  const add = (at: number, events: number): void => {
    delivered += events;
    counts[at] = (counts[at] ?? 0) + events;
    if (!waiting.some((one) => one.count <= delivered)) return;
    for (const one of waiting) if (one.count <= delivered) one.resolve();
    waiting = waiting.filter((one) => one.count > delivered);
  };
  for (const [at, { stream, count: countIn }] of streams.entries()) {
    stream.on('data', (chunk: Buffer) => add(at, countIn(chunk)));
    stream.once('error', ended.reject);
    stream.once('end', () => ended.reject(new Error('the server ended a watch before its time')));
  }
  return {
    counts,
    delivered: async (wanted) => {
      if (delivered >= wanted) return;
      const reached = new Promise<void>((resolve) => waiting.push({ count: wanted, resolve }));
      await Promise.race([reached, ended.promise]);
    },
    [Symbol.dispose]: () => {
      clearTimeout(deadline);
      for (const { stream } of streams) stream.removeAllListeners().on('error', () => {});
      for (const session of sessions) session.destroy();
    },
  };
};
