import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { updateObject } from '../../src/registry/update.ts';
import { resourceOf, setUpBuiltinApi } from './builtin-api.ts';

const REVISION = 'deployment.kubernetes.io/revision';

const deployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'x', labels: { a: 'b' } },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'nginx' }] },
    },
  },
};

test('a controller notes the revision of a deployment with its status, which is no change of the spec', async () => {
  const { registry, create } = await setUpBuiltinApi();
  const created = await create(deployment);
  const { metadata } = await updateObject(registry, resourceOf(deployment), {
    namespace: 'default',
    name: 'x',
    subresource: 'status',
    body: {
      ...created,
      metadata: {
        ...(created.metadata as JsonObject),
        labels: {},
        annotations: { [REVISION]: '1' },
      },
      spec: { replicas: 9 },
      status: { observedGeneration: 1 },
    },
  });
  const { annotations, labels, generation } = metadata as JsonObject;
  assert.deepEqual([annotations, labels, generation], [{ [REVISION]: '1' }, { a: 'b' }, 1]);
});
