import { X509Certificate } from 'node:crypto';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { JsonObject } from '@perigee/schema/json';
import { openClusterAccess } from '../../src/authn/cluster-access.ts';
import type { RequestFacts } from '../../src/authn/request-facts.ts';
import type { StaticToken } from '../../src/authn/static-token.ts';
import { openPki } from '../../src/pki/pki.ts';
import { secretsInMemory } from '../../src/pki/secret-files.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';

export const NOW = Date.UTC(2030, 0, 1);

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly token?: string;
  readonly headers?: readonly string[];
  /** A certificate in PEM. */
  readonly cert?: string;
}

/** A request as authentication sees it. */
export const facts = (sent: Sent): RequestFacts => ({
  method: sent.method ?? 'GET',
  path: sent.path ?? '/api',
  query: new URLSearchParams(sent.query),
  rawHeaders: sent.headers ?? [],
  ...(sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` }),
  ...(sent.cert === undefined ? {} : { certificate: new X509Certificate(sent.cert) }),
});

/** A control plane and its members, without a network. */
export const setUpClusters = (staticTokens: readonly StaticToken[] = []) => {
  const clock = new VirtualClock({ start: NOW });
  const pki = openPki({ files: secretsInMemory(), clock });
  const store = createMemoryStore();
  const cluster = (name: string) => {
    const access = openClusterAccess({
      registry: { store, clock, cluster: name },
      pki,
      staticTokens,
    });
    /** Stores an object with a new UID, which it returns. */
    const put = async (plural: string, key: string, rest: JsonObject = {}): Promise<string> => {
      const [objectName = '', namespace] = key.split('/').reverse();
      const uid = clock.uuid();
      const metadata = { name: objectName, ...(namespace ? { namespace } : {}), uid };
      const { metadata: more = {}, ...others } = rest;
      const object = { metadata: { ...metadata, ...(more as JsonObject) }, ...others };
      await store.write(`${name}//${plural}`, key, () => ({ put: object }));
      return uid;
    };
    const remove = (plural: string, key: string) =>
      store.write(`${name}//${plural}`, key, () => ({ remove: true }));
    const order = { namespace: 'ns', serviceAccount: 'sa', audiences: [], expirationSeconds: 3600 };
    const issue = (rest: Partial<Parameters<typeof access.reviews.issueToken>[0]> = {}): string =>
      access.reviews.issueToken({ ...order, ...rest }).token;
    /** The name of who sent it; undefined for 401. */
    const who = (sent: Sent): string | undefined => {
      const found = access.authenticator.authenticate(facts(sent));
      return 'user' in found ? found.user.name : undefined;
    };
    return { ...access, put, remove, issue, who };
  };
  return { clock, pki, store, cluster };
};
