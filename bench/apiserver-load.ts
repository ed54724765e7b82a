import {
  CLIENTS,
  LISTED,
  type LoadOrder,
  type Target,
  type Watched,
} from './apiserver-protocol.ts';
import { openWatchers } from './apiserver-watchers.ts';
import { configMapOf } from './config-map.ts';
import { type Answer, RawConnection } from './raw-connection.ts';
import { secretOf } from './secret.ts';

/** The load on one server, with a connection for each client. */
const MILLISECONDS = 1_000;
const LISTERS = 4;
const LISTED_BYTES = LISTED * 900;

interface Load {
  readonly target: Target;
  readonly clients: readonly RawConnection[];
}

/** One request of a client; `at` counts the requests of all clients. */
type Act = (client: RawConnection, at: number) => Promise<unknown>;

const connect = async (target: Target): Promise<Load> => {
  const { ca, serverName: servername, certificate, authorization } = target;
  const { hostname: host, port } = new URL(target.server);
  const tls = { ...(ca && { ca }), ...(servername && { servername }), ...certificate };
  const to = { host, port: Number(port), ...tls };
  const headers = { ...(authorization && { authorization }) };
  const opening = Array.from({ length: CLIENTS }, () => RawConnection.open(to, headers));
  return { target, clients: await Promise.all(opening) };
};

interface Loaded {
  readonly path: (namespace: string) => string;
  readonly objectOf: (namespace: string, name: string, version: number) => object;
  /** Number of objects. */
  readonly count: number;
}

const KINDS: { readonly [kind in Watched]: Loaded } = {
  configmaps: {
    path: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
    objectOf: configMapOf,
    count: LISTED,
  },
  secrets: {
    path: (namespace) => `/api/v1/namespaces/${namespace}/secrets`,
    objectOf: secretOf,
    count: CLIENTS,
  },
};

const pathOf = ({ namespace }: Target, kind: Watched = 'configmaps'): string =>
  KINDS[kind].path(namespace);

const nameOf = (at: number, kind: Watched = 'configmaps'): string =>
  `bench-${at % KINDS[kind].count}`;
let version = 0;

const put = (
  { target }: Load,
  client: RawConnection,
  at: number,
  kind: Watched = 'configmaps',
): Promise<Answer> => {
  const name = nameOf(at, kind);
  const body = JSON.stringify(KINDS[kind].objectOf(target.namespace, name, ++version));
  return client.call('PUT', `${pathOf(target, kind)}/${name}?fieldValidation=Strict`, body);
};

/** So many do it at the same time, again and again, as long as there is more to do. */
const together = async (
  clients: readonly RawConnection[],
  hasMore: (done: number) => boolean,
  act: Act,
): Promise<number> => {
  let beginCount = 0;
  const work = async (client: RawConnection) => {
    while (hasMore(beginCount)) await act(client, beginCount++);
  };
  await Promise.all(clients.map(work));
  return beginCount;
};

const rateOf = async (clients: readonly RawConnection[], act: Act): Promise<number> => {
  const before = performance.now();
  const doneCount = await together(clients, () => performance.now() < before + MILLISECONDS, act);
  return doneCount / ((performance.now() - before) / 1000);
};

const fill = ({ target, clients }: Load, kind: Watched): Promise<number> =>
  together(
    clients,
    (beginCount) => beginCount < KINDS[kind].count,
    (client, at) => {
      const object = KINDS[kind].objectOf(target.namespace, nameOf(at, kind), 0);
      return client.call('POST', pathOf(target, kind), JSON.stringify(object));
    },
  );

const prepare = async (load: Load): Promise<number> =>
  (await fill(load, 'configmaps')) + (await fill(load, 'secrets'));

const list = async ({ target }: Load, client: RawConnection): Promise<void> => {
  const { bytes } = await client.call('GET', pathOf(target));
  if (bytes < LISTED_BYTES) throw new Error(`a list of ${bytes} bytes is not whole`);
};

const versionOf = async ({ clients }: Load, path: string): Promise<string> => {
  const answer = await clients[0]?.call('GET', `${path}?limit=1`);
  const [, version] = /"resourceVersion":"(\d+)"/.exec(answer?.text ?? '') ?? [];
  if (version === undefined) throw new Error('a list tells no version');
  return version;
};

/** Delivered events per second; writers wait when as many writes as there are writers are on their way. */
const watch = async (
  load: Load,
  kind: Watched,
  watchers: number,
  writes: number,
): Promise<number> => {
  const path = pathOf(load.target, kind);
  using watching = await openWatchers(load.target, path, watchers, await versionOf(load, path));
  const before = performance.now();
  await together(
    load.clients,
    (beginCount) => beginCount < writes,
    async (client, at) => {
      await watching.delivered((at - CLIENTS) * watchers);
      await put(load, client, at, kind);
    },
  );
  await watching.delivered(writes * watchers);
  const seconds = (performance.now() - before) / 1000;
  const wrong = watching.counts.find((events) => events !== writes);
  if (wrong !== undefined) throw new Error(`a watch got ${wrong} of ${writes} events`);
  return (writes * watchers) / seconds;
};

let load: Load | undefined;

const carryOut = async (order: LoadOrder): Promise<number> => {
  if (order.task === 'prepare') {
    load = await connect(order.target);
    return prepare(load);
  }
  if (load === undefined) throw new Error(`${order.task} came before prepare`);
  const to = load;
  switch (order.task) {
    case 'puts':
      return rateOf(to.clients, (client, at) => put(to, client, at));
    case 'gets':
      return rateOf(to.clients, (client, at) =>
        client.call('GET', `${pathOf(to.target)}/${nameOf(at)}`),
      );
    case 'lists':
      return rateOf(to.clients.slice(0, LISTERS), (client) => list(to, client));
    case 'watch':
      return watch(to, order.of, order.watchers, order.writes);
  }
};

process.on('message', async (order: LoadOrder) => process.send?.(await carryOut(order)));
process.once('disconnect', () => process.exit());
