import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { toCrd } from '@perigee/api/kind/crd';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { Condition } from '@perigee/api/meta/condition';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';

interface Definition extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG;
const skip = kubeconfig ? false : 'set PERIGEE_TEST_KUBECONFIG to a throw-away cluster';

const isEstablished = ({ status }: Definition): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );

/** The definition once the server has judged its names and its schema. */
const established = async (client: Client, applied: Definition): Promise<Definition> => {
  if (isEstablished(applied)) return applied;
  const { name, resourceVersion } = applied.metadata;
  using deadline = deadlineAfter(realClock, 30_000);
  const options = {
    fieldSelector: `metadata.name=${name}`,
    resourceVersion,
    signal: deadline.signal,
  };
  for await (const event of client.watch(CustomResourceDefinition, options)) {
    if (event.type !== 'BOOKMARK' && isEstablished(event.object)) return event.object;
  }
  return assert.fail(`${name} was not established`);
};

suite('a real API server accepts every CRD', { skip }, () => {
  const warnings: string[] = [];
  let client: Client & AsyncDisposable;

  before(async () => {
    const config = await loadClusterConfig({
      env: {},
      kubeconfig: kubeconfig ?? '',
      clock: realClock,
    });
    client = createHttpClient(config, {
      clock: realClock,
      onWarning: (text) => warnings.push(text),
    });
  });
  after(() => client[Symbol.asyncDispose]());

  for (const kind of allKinds) {
    const name = `${kind.plural}.${kind.group}`;
    test(name, async () => {
      const patch = {
        type: 'apply',
        body: toCrd(kind),
        fieldManager: 'perigee',
        force: true,
      } as const;
      const definition = await client.patch(CustomResourceDefinition, { name }, patch, {
        fieldValidation: 'Strict',
      });
      const { status } = await established(client, definition);
      const bad = status?.conditions?.filter(
        ({ type, status }) => type === 'NonStructuralSchema' && status === 'True',
      );
      assert.deepEqual(bad, []);
      assert.deepEqual(warnings, []);
    });
  }
});
