import { Agent, request } from 'node:https';
import { CLIENTS, LISTED, type LoadOrder, type Target } from './apiserver-protocol.ts';
import { openWatchers } from './apiserver-watchers.ts';
import { configMapOf } from './config-map.ts';

/**
 * The load on one server. It uses the client of Node and prepared bodies rather than a Kubernetes
 * client, which would take as much of the two cores as the server.
 */
const MILLISECONDS = 1_000;
const LISTERS = 4;
const LISTED_BYTES = LISTED * 900;

interface Connection {
  readonly target: Target;
  readonly address: { readonly hostname: string; readonly port: string };
  readonly agent: Agent;
}

const connect = (target: Target): Connection => {
  const { ca, serverName: servername, certificate } = target;
  const tls = { ...(ca && { ca }), ...(servername && { servername }), ...certificate };
  const { hostname, port } = new URL(target.server);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS, ...tls });
  return { target, address: { hostname, port }, agent };
};

const call = (
  { target, address, agent }: Connection,
  method: string,
  path: string,
  body?: string,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { namespace, authorization } = target;
    const headers = {
      ...(authorization && { authorization }),
      ...(body && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    };
    const at = `/api/v1/namespaces/${namespace}/configmaps${path}`;
    const sent = request({ ...address, path: at, method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const answer = Buffer.concat(chunks);
        const { statusCode = 0 } = response;
        if (statusCode < 300) resolve(answer);
        else reject(new Error(`${method} ${at} was answered with ${statusCode}: ${answer}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });

const nameOf = (at: number): string => `config-${at % LISTED}`;
let version = 0;

const put = (connection: Connection, at: number): Promise<Buffer> => {
  const body = JSON.stringify(configMapOf(connection.target.namespace, nameOf(at), ++version));
  return call(connection, 'PUT', `/${nameOf(at)}?fieldValidation=Strict`, body);
};

/** So many do it at the same time, again and again, as long as there is more to do. */
const together = async (
  workers: number,
  hasMore: (done: number) => boolean,
  act: (at: number) => Promise<unknown>,
): Promise<number> => {
  let begun = 0;
  const worker = async () => {
    while (hasMore(begun)) await act(begun++);
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return begun;
};

const rateOf = async (workers: number, act: (at: number) => Promise<unknown>): Promise<number> => {
  const before = performance.now();
  const done = await together(workers, () => performance.now() < before + MILLISECONDS, act);
  return done / ((performance.now() - before) / 1000);
};

const prepare = async (connection: Connection): Promise<number> => {
  const { namespace } = connection.target;
  return together(
    CLIENTS,
    (begun) => begun < LISTED,
    (at) => call(connection, 'POST', '', JSON.stringify(configMapOf(namespace, nameOf(at), 0))),
  );
};

const list = async (connection: Connection): Promise<void> => {
  const { length } = await call(connection, 'GET', '');
  if (length < LISTED_BYTES) throw new Error(`a list of ${length} bytes is not whole`);
};

/** Delivered events per second; writers wait when as many writes as there are writers are on their way. */
const watch = async (connection: Connection, watchers: number, writes: number): Promise<number> => {
  const { metadata } = JSON.parse(String(await call(connection, 'GET', '?limit=1')));
  using watching = await openWatchers(connection.target, watchers, metadata.resourceVersion);
  const before = performance.now();
  await together(
    CLIENTS,
    (begun) => begun < writes,
    async (at) => {
      await watching.delivered((at - CLIENTS) * watchers);
      await put(connection, at);
    },
  );
  const delivered = await watching.delivered(writes * watchers);
  const seconds = (performance.now() - before) / 1000;
  if (delivered !== writes * watchers) throw new Error(`${delivered} events were delivered`);
  return delivered / seconds;
};

let connection: Connection | undefined;

const carryOut = async (order: LoadOrder): Promise<number> => {
  if (order.task === 'prepare') {
    connection = connect(order.target);
    return prepare(connection);
  }
  if (connection === undefined) throw new Error(`${order.task} came before prepare`);
  const to = connection;
  switch (order.task) {
    case 'puts':
      return rateOf(CLIENTS, (at) => put(to, at));
    case 'gets':
      return rateOf(CLIENTS, (at) => call(to, 'GET', `/${nameOf(at)}`));
    case 'lists':
      return rateOf(LISTERS, () => list(to));
    case 'watch':
      return watch(to, order.watchers, order.writes);
  }
};

process.on('message', async (order: LoadOrder) => process.send?.(await carryOut(order)));
process.once('disconnect', () => process.exit());
