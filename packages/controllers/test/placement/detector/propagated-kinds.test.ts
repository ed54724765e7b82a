import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import type { Client } from '@perigee/kube/client/client';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { policyReleaseController } from '../../../src/placement/detector/policy-release.ts';
import { startControlPlane } from '../../support/control-plane.ts';

const interpreter = createInterpreter(nativeKinds);

const start = async () => {
  const counts = { looks: 0 };
  const counting = (client: Client): Client =>
    Object.assign(Object.create(client) as Client, {
      discover: (...args: Parameters<Client['discover']>) => {
        counts.looks += 1;
        return client.discover(...args);
      },
    });
  const plane = await startControlPlane({
    isQuiet: true,
    controllers: ({ client, clock }) => [
      detectorController({ client: counting(client), clock, interpreter }),
      policyReleaseController(PropagationPolicy),
    ],
  });
  return { ...plane, counts };
};

const propagate = (client: Client, name: string, resourceSelectors: readonly object[]) =>
  client.create(PropagationPolicy, {
    metadata: {
      namespace: 'default',
      name,
      labels: { 'propagationpolicy.karmada.io/permanent-id': name },
    },
    spec: { resourceSelectors, placement: {} } as never,
  });

const unserved = (at: number) => ({ apiVersion: 'example.com/v1', kind: `Foo${at}` });

describe('kinds that policies name and nobody serves', () => {
  it('are looked for together, and no longer when nobody names them', async () => {
    await using plane = await start();
    const { client, clock, counts, troubles } = plane;
    const kinds = Array.from({ length: 100 }, (_, at) => unserved(at));
    await propagate(client, 'many', kinds);
    await propagate(client, 'one', kinds.slice(0, 1));
    await clock.advance(60_000);
    assert.equal(troubles().length, 100);
    // Once every five seconds.
    assert.ok(counts.looks <= 15, `${counts.looks} looks`);

    await client.delete(PropagationPolicy, { namespace: 'default', name: 'many' });
    await clock.advance(10_000);
    assert.deepEqual(
      troubles().map(({ object }) => object),
      ['example.com/v1 Foo0'],
    );
    await client.delete(PropagationPolicy, { namespace: 'default', name: 'one' });
    await clock.advance(10_000);
    assert.deepEqual(troubles(), []);
    const { looks } = counts;
    await clock.advance(60_000);
    assert.equal(counts.looks, looks);
  });

  it('are not looked for when no server could have them, as a name of a megabyte', async () => {
    await using plane = await start();
    const { client, clock, counts, troubles } = plane;
    const absurd = { apiVersion: 'v1', kind: 'x'.repeat(1_000_000) };
    await propagate(client, 'absurd', [absurd]);
    await clock.advance(60_000);
    assert.deepEqual([counts.looks, troubles()], [0, []]);
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });
    await propagate(client, 'good', [{ apiVersion: 'v1', kind: 'ConfigMap' }]);
    await clock.advance(1000);
    const { items } = await client.list(ResourceBinding);
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['settings-configmap'],
    );
  });

  it('are found once they are served', async () => {
    await using plane = await start();
    const { client, clock, troubles } = plane;
    const names = { kind: 'Foo7', plural: 'foo7s', singular: 'foo7' };
    await propagate(client, 'early', [unserved(7)]);
    await clock.advance(20_000);
    assert.equal(troubles().length, 1);
    const schema = { openAPIV3Schema: { type: 'object' } };
    await client.create(CustomResourceDefinition, {
      metadata: { name: 'foo7s.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names,
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    } as never);
    await clock.advance(20_000);
    const foo = { group: 'example.com', version: 'v1', scope: 'Namespaced', ...names } as const;
    await client.create(foo, { metadata: { namespace: 'default', name: 'seven' } } as never);
    await clock.advance(1000);
    const { items } = await client.list(ResourceBinding);
    assert.deepEqual(
      [items.map(({ metadata }) => metadata.name), troubles()],
      [['seven-foo7'], []],
    );
  });
});
