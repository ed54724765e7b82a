import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { firstOf, InProcessMembers } from '@perigee/controllers/members/member-clients';
import { memberConfig } from '@perigee/controllers/members/member-config';
import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { HttpMembers } from '../../src/members/http-members.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const logger = createLogger({ clock: realClock, level: 'error', write: () => {} });

const kubeconfig = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k' } }],
    clusters: [{ name: 'k', cluster: { server } }],
  });

const REF = { namespace: 'default', name: 'm1' };

const addMember = async (client: Client, apiEndpoint: string, data: { [key: string]: string }) => {
  await client.create(Secret, { metadata: REF, data });
  return client.create(MemberCluster, {
    metadata: { name: 'm1' },
    spec: { syncMode: 'Push', apiEndpoint, secretRef: REF },
  });
};

/** Resolves with the next news of a member. */
const nextChange = (members: HttpMembers): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const listening = members.onChange((name) => {
    listening[Symbol.dispose]();
    resolve(name);
  });
  return promise;
};

test('a member is reached by its address and its Secret, as long as it has both', async () => {
  await using control = await startEmbeddedServer({ clock: realClock, logger });
  const { client, url } = control;
  await using members = new HttpMembers({ client, clock: realClock, logger });
  let news = nextChange(members);
  const cluster = await addMember(client, url, { token: base64('first') });
  assert.equal(await news, 'm1');
  const first = members.clientFor(cluster);
  assert.ok(
    (await first?.list(Namespace))?.items.some(({ metadata }) => metadata.name === 'default'),
  );
  assert.equal(members.clientFor(cluster), first, 'the connection is kept');

  news = nextChange(members);
  const data = { token: base64('second') };
  await client.patch(Secret, REF, { type: 'merge', body: { data } });
  await news;
  await assert.rejects(async () => first?.version(), 'the old connection is closed');
  news = members.clientFor(cluster) === undefined ? nextChange(members) : Promise.resolve('');
  await news;
  assert.ok(await members.clientFor(cluster)?.version());

  news = nextChange(members);
  await client.delete(MemberCluster, { name: 'm1' });
  await news;
  assert.equal(members.clientFor(cluster), undefined);
});

test('a kubeconfig in the Secret does without an address', async () => {
  await using control = await startEmbeddedServer({ clock: realClock, logger });
  const { client, url } = control;
  await using members = new HttpMembers({ client, clock: realClock, logger });
  const news = nextChange(members);
  const cluster = await addMember(client, '', { kubeconfig: base64(kubeconfig(url)) });
  await news;
  assert.ok(await members.clientFor(cluster)?.version());
});

const cluster = (spec: object): MemberCluster =>
  ({ metadata: { name: 'm1' }, spec: { syncMode: 'Push', ...spec } }) as MemberCluster;
const secret = (data: { [key: string]: string }): Secret =>
  ({
    metadata: REF,
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
  }) as unknown as Secret;

test('token, authority, proxy and trust are taken from where they stand', async () => {
  const apiEndpoint = 'https://10.0.0.1:6443';
  const config = await memberConfig(
    cluster({ apiEndpoint, proxyURL: 'http://proxy:3128' }),
    secret({ token: 'secret\n', caBundle: 'PEM' }),
    realClock,
  );
  assert.equal(config.server, apiEndpoint);
  assert.equal(config.caBundle, 'PEM');
  assert.equal(config.proxyUrl, 'http://proxy:3128');
  assert.equal(config.insecureSkipTlsVerify, false);
  assert.deepEqual(await config.credentials?.(), { authorization: 'Bearer secret' });
  const trusting = await memberConfig(
    cluster({ apiEndpoint, insecureSkipTLSVerification: true }),
    secret({ token: 'secret', caBundle: 'PEM' }),
    realClock,
  );
  assert.equal(trusting.insecureSkipTlsVerify, true);
  assert.equal(trusting.caBundle, undefined);
});

test('a kubeconfig in a Secret runs no program and reads no file of the control plane', async () => {
  const config = JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://x', 'certificate-authority': '/etc/ca' } }],
    users: [
      {
        name: 'u',
        user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'touch' } },
      },
    ],
  });
  await assert.rejects(
    memberConfig(cluster({}), secret({ kubeconfig: config }), realClock),
    /the Secret default\/m1 .*only a kubeconfig file on this machine may refer to files and programs/,
  );
});

test('an address in the Cluster does not lead the credentials of a kubeconfig elsewhere', async () => {
  const held = secret({ kubeconfig: kubeconfig('https://10.0.0.1:6443') });
  const configOf = (apiEndpoint: string) => memberConfig(cluster({ apiEndpoint }), held, realClock);
  await assert.rejects(configOf('https://10.6.6.6:6443'), ({ message }: Error) => {
    assert.match(
      message,
      /^spec.apiEndpoint of cluster m1 is not the server of the kubeconfig in the Secret default\/m1, which alone gets its credentials/,
    );
    return !message.includes('10.0.0.1');
  });
  await assert.rejects(configOf('https://10.0.0.1:6443/clusters/a'));
  await assert.rejects(configOf('http://10.0.0.1:6443'));
  for (const same of ['', 'https://10.0.0.1:6443', 'HTTPS://10.0.0.1:6443/']) {
    assert.equal((await configOf(same)).server, 'https://10.0.0.1:6443');
  }
});

test('what is missing is said', async () => {
  await assert.rejects(
    memberConfig(cluster({ apiEndpoint: 'https://x' }), secret({}), realClock),
    /the Secret default\/m1 has neither a token nor a kubeconfig/,
  );
  await assert.rejects(
    memberConfig(cluster({}), secret({ token: 't' }), realClock),
    /cluster m1 has no address: set spec.apiEndpoint/,
  );
  const withPlugin = kubeconfig('https://x').replace(
    '"contexts"',
    '"users":[{"name":"u","user":{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"rm","interactiveMode":"Never"}}}],"contexts"',
  );
  await assert.rejects(
    memberConfig(cluster({}), secret({ kubeconfig: withPlugin }), realClock),
    /only a kubeconfig file on this machine may refer to files and programs/,
  );
});

test('the first who knows a member is asked, and all tell of changes', () => {
  const [one, two] = [{} as Client, {} as Client];
  const known = new InProcessMembers(({ metadata }) => (metadata.name === 'm1' ? one : undefined));
  const others = new InProcessMembers(() => two);
  const members = firstOf(known, others);
  assert.equal(members.clientFor(cluster({})), one);
  assert.equal(
    members.clientFor({ ...cluster({}), metadata: { name: 'm2' } } as MemberCluster),
    two,
  );
  const news: string[] = [];
  const listening = members.onChange((name) => news.push(name));
  known.changed('m1');
  others.changed('m2');
  listening[Symbol.dispose]();
  known.changed('m1');
  assert.deepEqual(news, ['m1', 'm2']);
});

test('a member that cannot be reached says why', async () => {
  await using control = await startEmbeddedServer({ clock: realClock, logger });
  const { client } = control;
  await using members = new HttpMembers({ client, clock: realClock, logger });
  const bare = await client.create(MemberCluster, {
    metadata: { name: 'm0' },
    spec: { syncMode: 'Push' },
  });
  assert.match(members.whyNot(bare) ?? '', /spec\.secretRef names no Secret/);
  const news = nextChange(members);
  const cluster = await addMember(client, 'https://127.0.0.1:1', { kubeconfig: base64('{}') });
  await news;
  assert.equal(members.clientFor(cluster), undefined);
  assert.match(members.whyNot(cluster) ?? '', /the Secret default\/m1/);
  const elsewhere = { ...cluster, metadata: { ...cluster.metadata, name: 'm2' } };
  assert.match(members.whyNot(elsewhere) ?? '', /there is no Secret default\/m1/);
  const joined = firstOf(new InProcessMembers(() => undefined), members);
  assert.equal(joined.whyNot?.(cluster), members.whyNot(cluster));
});
