import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import type { Operation } from '@perigee/scheduling/flows/operation';
import { servedOperations } from '../src/webhook/served-operations.ts';

const namespace = 'default';

const operation = (name: string, ...before: readonly string[]): Operation =>
  ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata: { namespace, name, uid: name },
    spec: {
      dataset: { name: 'raw' },
      runAfterAll: before.map((one) => ({ kind: 'DataLoad', name: one })),
    },
  }) as never;

/** A client that counts what it reads of these operations; all others are missing. */
const clientOf = (...operations: readonly Operation[]) => {
  const reads: string[] = [];
  const get = async (_: unknown, { name }: { readonly name: string }) => {
    reads.push(name);
    const one = operations.find(({ metadata }) => metadata.name === name);
    if (one === undefined) throw new ApiError({ code: 404, reason: 'NotFound', message: 'no' });
    return one;
  };
  return { client: { get } as never as Client, reads };
};

describe('the operations before one that is written', () => {
  it('are read once each, level by level, also around a cycle', async () => {
    const { client, reads } = clientOf(
      operation('b', 'a', 'x'),
      operation('c', 'a', 'gone'),
      operation('a', 'c'),
    );
    const find = await servedOperations(client)(operation('new', 'b', 'c'));
    assert.deepEqual(reads.toSorted(), ['a', 'b', 'c', 'gone', 'x']);
    const kind = 'DataLoad';
    assert.equal(find({ kind, namespace, name: 'a' })?.metadata.name, 'a');
    assert.equal(find({ kind, namespace, name: 'gone' }), undefined);
    assert.equal(find({ kind, namespace, name: 'new' }), undefined);
  });

  it('are not read beyond one that is complete, as nothing waits for it', async () => {
    const done = { ...operation('done', 'long-ago'), status: { phase: 'Complete' } } as Operation;
    const { client, reads } = clientOf(done, operation('long-ago'));
    await servedOperations(client)(operation('new', 'done'));
    assert.deepEqual(reads, ['done']);
  });

  it('are none for a kind that is no operation', async () => {
    const { client, reads } = clientOf();
    const odd = { ...operation('new'), spec: { runAfter: { kind: 'Pod', name: 'p' } } };
    await servedOperations(client)(odd as never);
    assert.deepEqual(reads, []);
  });

  it('end at a thousand, so that a review has an answer in time', async () => {
    const all = Array.from({ length: 3000 }, (_, at) => operation(`n${at}`, `n${at + 1}`));
    const { client, reads } = clientOf(...all);
    await servedOperations(client)(operation('new', 'n0'));
    assert.equal(reads.length, 1000);
  });

  it('fail the review when the server does', async () => {
    const get = async () => {
      throw new ApiError({ code: 500, reason: 'InternalError', message: 'broken' });
    };
    await assert.rejects(servedOperations({ get } as never)(operation('new', 'a')), /broken/);
  });
});

describe('on a server', () => {
  let server: EmbeddedServer;
  before(async () => {
    server = await startEmbeddedServer({ clock });
  });
  after(() => server[Symbol.asyncDispose]());

  it('each is found by its kind and name', async () => {
    const { client } = server;
    const spec = { dataset: { name: 'raw' } };
    await client.create(DataLoad, { metadata: { namespace, name: 'first' }, spec });
    const find = await servedOperations(client)(operation('new', 'first', 'missing'));
    const kind = 'DataLoad';
    assert.equal(find({ kind, namespace, name: 'first' })?.kind, kind);
    assert.equal(find({ kind, namespace, name: 'missing' }), undefined);
  });
});
