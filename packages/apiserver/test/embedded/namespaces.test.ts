import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { startServer } from './embedded-fixture.ts';

const NAMESPACE = '/api/v1/namespaces/end';
const CONFIG_MAP = `${NAMESPACE}/configmaps/a`;

type Server = Awaited<ReturnType<typeof startServer>>;

const body = (name: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name, ...more },
});

/** Resolves when the namespace answers so. */
const untilNamespace = async (
  { registry, send }: Server,
  isSo: (answer: { code: number; body: JsonObject }) => boolean,
) => {
  for (;;) {
    const { revision } = registry.store;
    const answer = await send('GET', NAMESPACE);
    if (isSo(answer)) return answer;
    using changes = registry.store.watch('root//namespaces', { since: revision });
    await changes[Symbol.asyncIterator]().next();
  }
};

const conditionsOf = ({ status }: JsonObject): JsonObject =>
  Object.fromEntries(
    (((status as JsonObject).conditions ?? []) as unknown as Record<string, string>[]).map(
      ({ type, status: is, reason, message }) => [type, `${is} ${reason} ${message}`],
    ),
  );

const withNamespace = async (server: Server) => {
  await server.send('POST', '/api/v1/namespaces', body('end'));
  await server.send('POST', `${NAMESPACE}/configmaps`, body('a', { finalizers: ['a.b/c'] }));
  await server.send('POST', `${NAMESPACE}/configmaps`, body('b'));
  await server.send('POST', `${NAMESPACE}/pods`, {
    ...body('p'),
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
};

describe('a namespace that is deleted', () => {
  it('waits for what is in it, and says for what', async () => {
    await using server = await startServer();
    await withNamespace(server);
    const { body: answer } = await server.send('DELETE', NAMESPACE);
    assert.equal((answer.status as JsonObject).phase, 'Terminating');
    assert.deepEqual(answer.spec, { finalizers: ['kubernetes'] });
    const { deletionTimestamp, deletionGracePeriodSeconds } = answer.metadata as JsonObject;
    assert.deepEqual([typeof deletionTimestamp, deletionGracePeriodSeconds], ['string', undefined]);

    const waiting = await untilNamespace(server, ({ body: { status } }) =>
      Boolean((status as JsonObject).conditions),
    );
    // The message of kube-controller-manager 1.36.
    assert.deepEqual(conditionsOf(waiting.body), {
      NamespaceDeletionDiscoveryFailure:
        'False ResourcesDiscovered All resources successfully discovered',
      NamespaceDeletionGroupVersionParsingFailure:
        'False ParsedGroupVersions All legacy kube types successfully parsed',
      NamespaceDeletionContentFailure:
        'False ContentDeleted All content successfully deleted, may be waiting on finalization',
      NamespaceContentRemaining:
        'True SomeResourcesRemain Some resources are remaining: configmaps has 1 resource instances',
      NamespaceFinalizersRemaining:
        'True SomeFinalizersRemain Some content in the namespace has finalizers remaining: a.b/c in 1 resource instances',
    });
    assert.equal((await server.send('GET', `${NAMESPACE}/configmaps/b`)).code, 404);
    assert.equal((await server.send('GET', `${NAMESPACE}/pods/p`)).code, 404);

    const refused = await server.send('POST', `${NAMESPACE}/configmaps`, body('c'));
    assert.equal(refused.code, 403);
    assert.deepEqual((refused.body.details as JsonObject).causes, [
      {
        reason: 'NamespaceTerminating',
        message: 'namespace end is being terminated',
        field: 'metadata.namespace',
      },
    ]);

    const merge = 'application/merge-patch+json';
    await server.send('PATCH', CONFIG_MAP, { metadata: { finalizers: null } }, merge);
    assert.equal((await untilNamespace(server, ({ code }) => code === 404)).code, 404);
    assert.equal((await server.send('POST', '/api/v1/namespaces', body('end'))).code, 201);
    assert.deepEqual((await server.send('GET', `${NAMESPACE}/configmaps`)).body.items, []);
  });

  it('waits for others who clean it up', async () => {
    await using server = await startServer({ clusterControllers: false });
    await server.send('POST', '/api/v1/namespaces', {
      ...body('end'),
      spec: { finalizers: ['a.b/c'] },
    });
    const merge = 'application/merge-patch+json';
    const patched = await server.send('PATCH', NAMESPACE, { spec: { finalizers: [] } }, merge);
    assert.deepEqual(patched.body.spec, { finalizers: ['a.b/c', 'kubernetes'] });
    await server.send('DELETE', NAMESPACE);
    const finalize = (finalizers: readonly string[]) =>
      server.send('PUT', `${NAMESPACE}/finalize`, { ...body('end'), spec: { finalizers } });
    assert.deepEqual((await finalize(['a.b/c'])).body.spec, { finalizers: ['a.b/c'] });
    assert.equal((await server.send('DELETE', NAMESPACE)).code, 200);
    assert.equal((await server.send('GET', NAMESPACE)).code, 200);
    assert.equal((await finalize([])).code, 200);
    assert.equal((await server.send('GET', NAMESPACE)).code, 404);
    assert.equal((await server.send('GET', `${NAMESPACE}/finalize`)).code, 405);
  });

  it('is not one of those that every cluster has', async () => {
    await using server = await startServer({ clusterControllers: false });
    const { code, body: answer } = await server.send('DELETE', '/api/v1/namespaces/kube-system');
    assert.equal(code, 403);
    assert.equal(
      answer.message,
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    );
  });
});
