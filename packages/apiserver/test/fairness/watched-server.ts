import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { tableOf } from '../../src/registry/registry.ts';
import { serveApi } from '../http/http-fixture.ts';
import { configMaps } from '../registry/registry-fixture.ts';

/** Two servers, without and with TLS, whose one object changes as often as it is asked for. */
const MIB = 2 ** 20;
const store = { backlog: { events: 5_000, bytes: 4 * MIB }, history: { events: 100, bytes: MIB } };
const authority = createAuthority();
const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });
const apis = [await serveApi({ store }), await serveApi({ store, server: { tls } })];

let written = 0;
const change = async (): Promise<void> => {
  written += 1;
  const data = { at: String(written), padding: 'x'.repeat(500) };
  const metadata = { name: 'w', namespace: 'a' };
  const put = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  const writes = apis.map(({ registry }) =>
    registry.store.write(tableOf(registry, configMaps), 'a/w', () => ({ put })),
  );
  await Promise.all(writes);
};

/** Memory of buffers is given back a while after the collection that finds them. */
const COLLECTIONS = 4;

const liveBytes = async (): Promise<number> => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    collect();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

process.on('message', async (count: number) => {
  await Promise.all(Array.from({ length: count }, change));
  process.send?.(count === 0 ? await liveBytes() : written);
});
process.once('disconnect', () => process.exit());
const [plain, secure] = apis.map(({ server }) => server.url);
process.send?.({ plain, secure, ca: authority.cert });
