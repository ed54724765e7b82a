import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import type { Client } from '@perigee/kube/client/client';
import { isNotFound } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { dependenciesController } from '../../../src/placement/dependencies/dependencies-controller.ts';
import { startControlPlane } from '../../support/control-plane.ts';

const inDefault = (name: string) => ({ namespace: 'default', name });

const addDeployment = (client: Client, name: string, configMap: string) =>
  client.create(Deployment, {
    metadata: inDefault(name),
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [{ name: 'main', image: 'nginx' }],
          volumes: [{ name: 'c', configMap: { name: configMap } }],
        },
      },
    },
  });

const addPolicy = (client: Client, propagateDeps = true) =>
  client.create(PropagationPolicy, {
    metadata: {
      ...inDefault('p'),
      labels: { 'propagationpolicy.karmada.io/permanent-id': 'p' },
    },
    spec: { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }], propagateDeps },
  });

const sendTo = (client: Client, name: string, ...clusters: readonly string[]) =>
  client.patch(ResourceBinding, inDefault(`${name}-deployment`), {
    type: 'merge',
    body: { spec: { clusters: clusters.map((cluster) => ({ name: cluster, replicas: 1 })) } },
  });

const requiredBy = async (client: Client) => {
  try {
    const { spec } = await client.get(ResourceBinding, inDefault('c-configmap'));
    return (spec.requiredBy ?? []).map(
      ({ name, clusters = [] }) => `${name}@${clusters.map((one) => one.name).join('+')}`,
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const start = () =>
  startControlPlane({
    controllers: ({ client, clock }) => [
      detectorController({ client, clock, interpreter: createInterpreter(nativeKinds) }),
      dependenciesController({ client, clock }),
    ],
  });

describe('dependencies', () => {
  it('go wherever those go who need them, also when they come later', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addPolicy(client);
    await addDeployment(client, 'web', 'c');
    await settled();
    await sendTo(client, 'web', 'm1');
    await settled();
    assert.equal(await requiredBy(client), undefined);
    await client.create(ConfigMap, { metadata: inDefault('c') });
    await settled();
    assert.deepEqual(await requiredBy(client), ['web-deployment@m1']);
    await sendTo(client, 'web', 'm1', 'm2');
    await settled();
    assert.deepEqual(await requiredBy(client), ['web-deployment@m1+m2']);
  });

  const addConfigMapPolicy = (client: Client) =>
    client.create(PropagationPolicy, {
      metadata: {
        ...inDefault('maps'),
        labels: { 'propagationpolicy.karmada.io/permanent-id': 'maps' },
      },
      spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'own' }] },
    });

  it('are seen although a policy has named their kind first', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addConfigMapPolicy(client);
    await settled();
    await addPolicy(client);
    await addDeployment(client, 'web', 'c');
    await settled();
    await sendTo(client, 'web', 'm1');
    await client.create(ConfigMap, { metadata: inDefault('c') });
    await settled();
    assert.deepEqual(await requiredBy(client), ['web-deployment@m1']);
    assert.deepEqual(plane.troubles(), []);
  });

  it('do not keep a policy from their kind', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addPolicy(client);
    await addDeployment(client, 'web', 'c');
    await settled();
    await sendTo(client, 'web', 'm1');
    await settled();
    await addConfigMapPolicy(client);
    await client.create(ConfigMap, { metadata: inDefault('own') });
    await settled();
    const { spec } = await client.get(ResourceBinding, inDefault('own-configmap'));
    assert.equal(spec.resource.kind, 'ConfigMap');
    assert.deepEqual(plane.troubles(), []);
  });

  it('take their changes along', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addPolicy(client);
    await client.create(ConfigMap, { metadata: inDefault('c'), data: { colour: 'blue' } });
    await addDeployment(client, 'web', 'c');
    await settled();
    await sendTo(client, 'web', 'm1');
    await settled();
    const generation = async () =>
      (await client.get(ResourceBinding, inDefault('c-configmap'))).metadata.generation ?? 0;
    const before = await generation();
    const body = { data: { colour: 'green' } };
    await client.patch(ConfigMap, inDefault('c'), { type: 'merge', body });
    await settled();
    assert.equal(await generation(), before + 1);
    await settled();
    assert.equal(await generation(), before + 1);
  });

  it('are shared by those who need them, and go with the last', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addPolicy(client);
    await client.create(ConfigMap, { metadata: inDefault('c') });
    for (const name of ['web', 'api']) await addDeployment(client, name, 'c');
    await settled();
    await sendTo(client, 'web', 'm1');
    await sendTo(client, 'api', 'm2');
    await settled();
    assert.deepEqual(await requiredBy(client), ['api-deployment@m2', 'web-deployment@m1']);
    const volumes = [{ op: 'remove', path: '/spec/template/spec/volumes' }] as const;
    await client.patch(Deployment, inDefault('web'), { type: 'json', operations: volumes });
    await settled();
    assert.deepEqual(await requiredBy(client), ['api-deployment@m2']);
    await client.patch(PropagationPolicy, inDefault('p'), {
      type: 'merge',
      body: { spec: { propagateDeps: false } },
    });
    await settled();
    const left = await client.get(ResourceBinding, inDefault('c-configmap'));
    assert.notEqual(left.metadata.deletionTimestamp, undefined);
  });

  it('stay at home unless the policy sends them along', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addPolicy(client, false);
    await client.create(ConfigMap, { metadata: inDefault('c') });
    await addDeployment(client, 'web', 'c');
    await settled();
    await sendTo(client, 'web', 'm1');
    await settled();
    assert.equal(await requiredBy(client), undefined);
  });
});
