import { realClock } from '@perigee/kube/clock/real-clock';
import { openClusterAccess } from '../../src/authn/cluster-access.ts';
import { createInProcessClient } from '../../src/client/in-process-client.ts';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { describeApi } from '../../src/http/api-documents.ts';
import { openApiServer } from '../../src/http/api-server.ts';
import type { ServedApi } from '../../src/http/served-api.ts';
import { ensureDefaultNamespaces } from '../../src/logical-clusters/default-namespaces.ts';
import { serveWithAccess } from '../../src/logical-clusters/serve-with-access.ts';
import { openPki } from '../../src/pki/pki.ts';
import { secretsInMemory } from '../../src/pki/secret-files.ts';
import { ensureDefaultPolicy } from '../../src/rbac/default-policy/ensure-default-policy.ts';
import { ResourceCatalog } from '../../src/registry/resource-catalog.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { tlsCaller } from './tls-fixture.ts';

const VERSION = 'v1.36.0+test';

/** A control plane with the members m1 and m2, all on one address. */
export const startWithMembers = async () => {
  const clock = realClock;
  const store = createMemoryStore();
  const pki = openPki({ files: secretsInMemory(), clock });
  const server = await openApiServer({ clock, tls: { ...pki.serving, ca: pki.authority } });
  const serve = async (cluster: string, prefix: string): Promise<ServedApi> => {
    const resources = new ResourceCatalog(serverResources());
    const access = openClusterAccess({ registry: { store, clock, cluster }, pki });
    const registry = { store, clock, cluster, resources, access: access.reviews };
    const client = createInProcessClient(registry, { version: VERSION });
    await ensureDefaultNamespaces(client);
    await ensureDefaultPolicy(client);
    const options = { serverAddress: server.address, version: VERSION, prefix };
    const documents = describeApi(resources, options);
    return serveWithAccess({ registry, documents }, access, `${server.url}${prefix}`);
  };
  const members = new Map<string, ServedApi>();
  for (const name of ['m1', 'm2']) members.set(name, await serve(name, `/clusters/${name}`));
  server.serve({ ...(await serve('root', '')), clusters: (name) => members.get(name) });
  const { call, close } = tlsCaller(server.url, pki.authority);
  return {
    url: server.url,
    pki,
    call,
    [Symbol.asyncDispose]: async () => {
      close();
      await server[Symbol.asyncDispose]();
    },
  };
};
