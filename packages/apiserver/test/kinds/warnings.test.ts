import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { updateObject } from '../../src/registry/update.ts';
import { resourceOf, setUpBuiltinApi } from './builtin-api.ts';

const NO_SELECTOR = 'a null labelSelector results in matching no pod';
const SPREAD = [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }];
const CONTAINER = { name: 'c', image: 'i' };
const SELECTOR = { matchLabels: { a: 'b' } };

const deploymentOf = (replicas: number, pod: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'x' },
  spec: {
    replicas,
    selector: SELECTOR,
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [CONTAINER], ...pod } },
  },
});

const setUp = async () => {
  const { registry } = await setUpBuiltinApi();
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const seen = { ...registry, caller: { user: { name: 'u' }, warn } };
  const told = async (work: Promise<unknown>): Promise<readonly string[]> => {
    await work;
    return warnings.splice(0);
  };
  return {
    create: (body: JsonObject) =>
      told(createObject(seen, resourceOf(body), { namespace: 'default', body })),
    update: (body: JsonObject) =>
      told(updateObject(seen, resourceOf(body), { namespace: 'default', name: 'x', body })),
    remove: (body: JsonObject, options: object = {}) =>
      told(deleteObject(seen, resourceOf(body), { namespace: 'default', name: 'x', ...options })),
  };
};

suite('warnings, in the words of kube-apiserver', () => {
  test('a template is looked at when the specification changes', async () => {
    const { create, update } = await setUp();
    const path = 'spec.template.spec.topologySpreadConstraints[0].labelSelector';
    const spread = { topologySpreadConstraints: SPREAD };
    assert.deepEqual(await create(deploymentOf(1, spread)), [`${path}: ${NO_SELECTOR}`]);
    assert.deepEqual(await update(deploymentOf(1, spread)), []);
    assert.deepEqual(await update(deploymentOf(2, spread)), [`${path}: ${NO_SELECTOR}`]);
  });

  test('a pod says more than once what should be said once', async () => {
    const { create, update } = await setUp();
    const ports = [{ containerPort: 80, name: 'a' }];
    const env = [{ name: 'E', value: '1' }, { name: 'E' }];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x', annotations: { 'security.alpha.kubernetes.io/sysctls': 'a' } },
      spec: {
        containers: [
          { ...CONTAINER, env, ports },
          { name: 'd', image: 'i', ports },
        ],
        imagePullSecrets: [{ name: 'p' }, { name: 'p' }],
        volumes: [{ name: 'v', gitRepo: { repository: 'r' } }],
      },
    };
    assert.deepEqual(await create(pod), [
      'metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.imagePullSecrets[1].name: duplicate name "p"',
      'spec.containers[0].env[1]: hides previous definition of "E", which may be dropped when using apply',
      'spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[0]: duplicate port name "a" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ]);
    const labelled = { ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } };
    assert.deepEqual(await update(labelled), []);
  });

  test('what a service does not need is told', async () => {
    const { create } = await setUp();
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'x' },
      spec: { ports: [{ port: 80 }], externalIPs: ['8.8.8.8'], externalName: 'a.b' },
    };
    assert.deepEqual(await create(service), [
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ]);
  });

  test('who deletes a job and does not say what becomes of its pods is told that they stay', async () => {
    const { create, remove } = await setUp();
    const template = { spec: { containers: [CONTAINER], restartPolicy: 'Never' } };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'x', finalizers: ['a.b/c'] },
      spec: { template },
    };
    await create(job);
    assert.match((await remove(job)).join(), /^child pods are preserved by default/);
    assert.deepEqual(await remove(job, { propagationPolicy: 'Background' }), []);
  });
});
