import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { startServer } from '../../../apiserver/test/embedded/embedded-fixture.ts';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { startAdmissionServer } from '../../src/webhook/admission-server.ts';
import { webhookConfigurations } from '../../src/webhook/webhook-configurations.ts';

const LABEL = 'resourcetemplate.karmada.io/deletion-protected';
const SAYS = `This resource is protected, please make sure to remove the label: ${LABEL}`;
const MAPS = '/api/v1/namespaces/default/configmaps';

const map = (name: string, value: string, namespace = 'default') => ({
  metadata: { name, namespace, labels: { [LABEL]: value } },
});

const unprotect = { metadata: { labels: { [LABEL]: null } } };
const MERGE = 'application/merge-patch+json';

test('what is protected is not deleted, whoever asks and however', async () => {
  await using api = await startServer();
  await api.send('POST', MAPS, map('kept', 'Always'));
  for (const path of [
    `${MAPS}/kept`,
    `${MAPS}/kept?gracePeriodSeconds=0`,
    `${MAPS}/kept?dryRun=All`,
    `${MAPS}?labelSelector=${LABEL}`,
  ]) {
    const { code, body } = await api.send('DELETE', path);
    assert.equal(code, 403, path);
    assert.equal(body.reason, 'Forbidden');
    assert.equal(body.message, `configmaps "kept" is forbidden: ${SAYS}`);
  }
  assert.equal((await api.send('GET', `${MAPS}/kept`)).code, 200);

  await api.send('PATCH', `${MAPS}/kept`, unprotect, MERGE);
  assert.equal((await api.send('DELETE', `${MAPS}/kept`)).code, 200);
});

test('only the value Always protects', async () => {
  await using api = await startServer();
  await api.send('POST', MAPS, map('free', 'Never'));
  assert.equal((await api.send('DELETE', `${MAPS}/free`)).code, 200);
});

test('a namespace does not go before what is protected in it', async () => {
  await using api = await startServer();
  await api.client.create(Namespace, { metadata: { name: 'team' } });
  await api.client.create(ConfigMap, map('kept', 'Always', 'team'));
  await api.client.create(ConfigMap, map('free', 'Never', 'team'));
  await using watch = new AsyncDisposableStack();
  const ending = new AbortController();
  watch.defer(() => ending.abort());
  const { metadata } = await api.client.list(ConfigMap, { namespace: 'team' });
  const changes = api.client.watch(ConfigMap, {
    namespace: 'team',
    resourceVersion: metadata.resourceVersion,
    signal: ending.signal,
  });
  await api.client.delete(Namespace, { name: 'team' });
  const gone: string[] = [];
  for await (const { type, object } of changes) {
    if (type !== 'DELETED') continue;
    gone.push(object.metadata.name);
    const ref = { namespace: 'team', name: 'kept' };
    if (gone.includes('kept')) break;
    assert.equal((await api.client.get(ConfigMap, ref)).metadata.name, 'kept');
    await api.client.patch(ConfigMap, ref, { type: 'merge', body: unprotect });
  }
  assert.equal(gone.at(-1), 'kept');
});

test('a member lets the control plane take away what it has brought', async () => {
  await using api = await startServer();
  const { client } = await api.openCluster('m1');
  await client.create(ConfigMap, map('copy', 'Always'));
  await client.delete(ConfigMap, { namespace: 'default', name: 'copy' });
  assert.deepEqual((await client.list(ConfigMap, { labelSelector: LABEL })).items, []);
});

test('the webhook protects on a server that knows nothing of it', async () => {
  const authority = createAuthority();
  const tls = authority.issue({ commonName: 'hook', usage: 'server', names: ['127.0.0.1'] });
  await using hook = await startAdmissionServer({
    clock: realClock,
    isAllowed: async () => true,
    tls,
  });
  await using api = await startServer();
  // A member stands for any other server.
  const { client } = await api.openCluster('m1');
  const caBundle = Buffer.from(authority.cert).toString('base64');
  const [, validating] = webhookConfigurations({ url: hook.url, caBundle });
  const kind: ResourceKind<KubeObject, WrittenObject> = {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    scope: 'Cluster',
  };
  await client.create(kind, validating as never);
  await client.create(ConfigMap, map('kept', 'Always'));
  await client.create(ConfigMap, map('free', 'Never'));
  await client.delete(ConfigMap, { namespace: 'default', name: 'free' });
  await assert.rejects(client.delete(ConfigMap, { namespace: 'default', name: 'kept' }), {
    message: `admission webhook "deletion-protection.perigee.dev" denied the request: ${SAYS}`,
  });
});
