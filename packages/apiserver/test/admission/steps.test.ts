import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { Pod } from '@perigee/kubernetes/core/pod';
import { ServiceAccount } from '@perigee/kubernetes/core/service-account';
import type { JsonObject } from '@perigee/schema/json';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import type { AdmissionStep } from '../../src/registry/draft.ts';
import { startServer } from '../embedded/embedded-fixture.ts';
import { CONFIG_MAPS, configMap } from './admission-fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';

const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { containers: [{ name: 'a', image: 'a' }], ...spec },
});

test('a step changes what is written, and whoever adds it needs nothing else', async () => {
  const held: AdmissionStep = (_, { object, old, resource }) =>
    resource.plural === 'configmaps' && old === undefined
      ? { ...object, data: { ...(object.data as JsonObject), held: 'yes' } }
      : object;
  await using api = await startServer({ admissionSteps: [held] });
  const { body } = await api.send('POST', CONFIG_MAPS, configMap('one', { a: '1' }));
  assert.deepEqual(body.data, { a: '1', held: 'yes' });
  const put = await api.send('PUT', `${CONFIG_MAPS}/one`, configMap('one', { a: '2' }));
  assert.deepEqual(put.body.data, { a: '2' });
});

test('a pod gets the token of its account', async () => {
  await using api = await startServer({ serviceAccountTokens: true });
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const imagePullSecrets = [{ name: 'registry' }];
  await api.send('POST', accounts, { metadata: { name: 'builder' }, imagePullSecrets });
  const created = await api.send('POST', PODS, pod('one', { serviceAccountName: 'builder' }));
  const spec = created.body.spec as {
    readonly volumes: readonly { readonly name: string; readonly projected: JsonObject }[];
    readonly containers: readonly { readonly volumeMounts: readonly JsonObject[] }[];
    readonly imagePullSecrets: unknown;
  };
  const [volume] = spec.volumes;
  assert.match(volume?.name ?? '', /^kube-api-access-[a-z0-9]{5}$/);
  assert.deepEqual(spec.containers[0]?.volumeMounts, [
    {
      name: volume?.name,
      readOnly: true,
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    },
  ]);
  assert.deepEqual(spec.imagePullSecrets, imagePullSecrets);
  const without = { serviceAccountName: 'builder', automountServiceAccountToken: false };
  const plain = await api.send('POST', PODS, pod('two', without));
  assert.equal((plain.body.spec as JsonObject).volumes, undefined);
});

test('the account may say that its pods get no token, and the pod has the last word', async () => {
  await using api = await startServer({ serviceAccountTokens: true });
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await api.send('POST', accounts, {
    metadata: { name: 'quiet' },
    automountServiceAccountToken: false,
  });
  const volumesOf = async (name: string, spec: JsonObject) => {
    const { body } = await api.send('POST', PODS, pod(name, spec));
    return (body.spec as { readonly volumes?: readonly JsonObject[] }).volumes ?? [];
  };
  const serviceAccountName = 'quiet';
  assert.equal((await volumesOf('one', { serviceAccountName })).length, 0);
  const insists = { serviceAccountName, automountServiceAccountToken: true };
  assert.equal((await volumesOf('two', insists)).length, 1);
  const given = { name: 'kube-api-access-mine', emptyDir: {} };
  assert.deepEqual(await volumesOf('three', { ...insists, volumes: [given] }), [given]);
});

test('a pod whose account is not there is refused', async () => {
  await using api = await startServer({ serviceAccountTokens: true });
  const refused = await api.send('POST', PODS, pod('one', { serviceAccountName: 'nobody' }));
  assert.equal(refused.code, 403);
  assert.equal(
    refused.body.message,
    'pods "one" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
  );
});

test('pods of members get tokens where the server issues them, and those of the control plane do not', async () => {
  await using server = await startEmbeddedServer({
    clock: realClock,
    access: 'rbac',
    listener: 'none',
  });
  const member = await server.openCluster('member1');
  const spec = { containers: [{ name: 'a', image: 'a' }] };
  const volumesIn = async (client: Client) => {
    await client.create(ServiceAccount, { metadata: { name: 'own', namespace: 'default' } });
    const created: unknown = await client.create(Pod, {
      metadata: { name: 'one', namespace: 'default' },
      spec: { ...spec, serviceAccountName: 'own' },
    } as never);
    return (created as { spec: { volumes?: readonly object[] } }).spec.volumes?.length ?? 0;
  };
  assert.equal(await volumesIn(member.client), 1);
  assert.equal(await volumesIn(server.client), 0);
});
