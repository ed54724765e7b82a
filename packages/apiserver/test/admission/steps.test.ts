import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/api/json';
import type { AdmissionStep } from '../../src/admission/admission-step.ts';
import { podPriority } from '../../src/admission/steps/pod-priority.ts';
import { serviceAccountToken } from '../../src/admission/steps/service-account-token.ts';
import { startServer } from '../embedded/embedded-fixture.ts';
import { CONFIG_MAPS, configMap } from './admission-fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';

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

test('a pod has the priority of its class', async () => {
  await using api = await startServer({ admissionSteps: [podPriority] });
  await api.send('POST', CLASSES, { metadata: { name: 'high' }, value: 100 });
  const prioritised = async (name: string, spec?: JsonObject) => {
    const { code, body } = await api.send('POST', PODS, pod(name, spec));
    const { priority, priorityClassName } = (body.spec ?? {}) as JsonObject;
    return code === 201 ? [priority, priorityClassName] : body.message;
  };
  assert.deepEqual(await prioritised('none'), [0, undefined]);
  assert.deepEqual(await prioritised('high', { priorityClassName: 'high' }), [100, 'high']);
  const critical = { priorityClassName: 'system-node-critical' };
  assert.deepEqual(await prioritised('critical', critical), [2000001000, 'system-node-critical']);
  assert.equal(
    await prioritised('missing', { priorityClassName: 'missing' }),
    'pods "missing" is forbidden: no PriorityClass with name missing was found',
  );
  assert.equal(
    await prioritised('both', { priorityClassName: 'high', priority: 7 }),
    'pods "both" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 100 from the given PriorityClass name',
  );
  await api.send('POST', CLASSES, { metadata: { name: 'usual' }, value: 5, globalDefault: true });
  assert.deepEqual(await prioritised('default'), [5, 'usual']);
});

test('a pod gets the token of its account', async () => {
  await using api = await startServer({ admissionSteps: [serviceAccountToken] });
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
