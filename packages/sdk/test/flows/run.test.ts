import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { FailedError, FlowProblemsError } from '../../src/errors.ts';
import { flow } from '../../src/flows/flow.ts';
import type { Perigee } from '../../src/perigee.ts';
import { NAMESPACE, perigeeOver, withMethods } from '../perigee-over.ts';

const reasonsOf = async (submitted: Promise<unknown>): Promise<readonly string[]> => {
  const error = await submitted.then(
    () => assert.fail('it was submitted'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FlowProblemsError, String(error));
  return error.problems.map(({ step = '', reason, message }) => `${step} ${reason}: ${message}`);
};

describe('a flow that is run', () => {
  let server: EmbeddedServer;
  let client: Client;
  let perigee: Perigee;

  before(async () => {
    server = await startEmbeddedServer({ clock });
    ({ client } = server);
    perigee = perigeeOver(client);
    await perigee.datasets.apply('raw', { mounts: [{ mountPoint: 's3://bucket/raw' }] });
  });
  after(() => server[Symbol.asyncDispose]());

  /** Writes the status that the controller would write. */
  const setPhase = async (
    kind: typeof DataLoad | typeof DataProcess,
    name: string,
    phase: string,
  ) => {
    const type = phase === 'Complete' || phase === 'Failed' ? phase : 'Started';
    const condition = { type, status: 'True', reason: 'JobFailed', message: `it is ${phase}` };
    const body = { status: { phase, duration: '-', conditions: [condition] } };
    const ref = { namespace: NAMESPACE, name };
    await client.patch(kind, ref, { type: 'merge', body }, { subresource: 'status' });
  };

  const two = (name: string) =>
    flow(name)
      .load({ dataset: 'raw' })
      .process(() => 1);

  it('reports each change until it is over', async () => {
    const run = await two('follow').run({ on: perigee });
    const phases: string[] = [];
    for await (const { phase, complete, steps, isOver } of run) {
      phases.push(`${phase} ${complete}/${steps.length} ${isOver}`);
      const load = steps.find(({ step }) => step === 'load');
      if (load?.phase === 'New') await setPhase(DataLoad, 'follow-load', 'Executing');
      else if (load?.phase === 'Executing') await setPhase(DataLoad, 'follow-load', 'Complete');
      else await setPhase(DataProcess, 'follow-process', 'Complete');
    }
    assert.deepEqual(phases, [
      'New 0/2 false',
      'Executing 0/2 false',
      'New 1/2 false',
      'Complete 2/2 true',
    ]);
    assert.equal((await run.wait()).phase, 'Complete');
  });

  it('fails with what its steps say, is tried again, and is cancelled', async () => {
    const run = await two('again').run({ on: perigee });
    await setPhase(DataLoad, 'again-load', 'Failed');
    await setPhase(DataProcess, 'again-process', 'Failed');
    await assert.rejects(run.wait(), (error) => {
      assert.ok(error instanceof FailedError);
      assert.match(
        error.message,
        /the flow again failed: load: it is Failed; process: it is Failed/,
      );
      return true;
    });
    assert.deepEqual(await run.retry('load'), ['load']);
    const { metadata } = await client.get(DataLoad, { namespace: NAMESPACE, name: 'again-load' });
    assert.match(metadata.annotations?.['flows.perigee.io/retry'] ?? '', /./);
    await setPhase(DataLoad, 'again-load', 'Executing');
    assert.deepEqual(await run.cancel(), ['load']);
    const { spec } = await client.get(DataLoad, { namespace: NAMESPACE, name: 'again-load' });
    assert.equal(spec.cancel, true);
    const same = await perigee.flows.get('again');
    assert.equal((await same.progress()).steps.length, 2);
  });

  it('ends waiting when the time is up, and goes on', async () => {
    const run = await two('slow').run({ on: perigee });
    await assert.rejects(run.wait({ timeoutMs: 20 }), { name: 'TimeoutError' });
    assert.equal((await run.progress()).phase, 'New');
  });

  it('is refused while it is there, and replaces itself when asked to', async () => {
    await two('twice').run({ on: perigee });
    assert.match(
      (await reasonsOf(two('twice').run({ on: perigee }))).join(),
      /Exists: it is there already \(New\)/,
    );
    await setPhase(DataLoad, 'twice-load', 'Complete');
    const run = await two('twice').run({ on: perigee, replace: true });
    assert.equal((await run.progress()).complete, 0);
    await run.delete();
    await assert.rejects(perigee.flows.get('twice'), /there is no flow twice/);
  });

  it('makes the Datasets that it brings along, and leaves those that are there', async () => {
    const datasets = { fresh: {}, raw: { mounts: [{ mountPoint: 's3://other/raw' }] } };
    await flow('brings', { datasets }).load({ dataset: 'fresh' }).run({ on: perigee });
    const raw = await client.get(Dataset, { namespace: NAMESPACE, name: 'raw' });
    assert.equal(raw.spec.mounts?.[0]?.mountPoint, 's3://bucket/raw');
    await client.get(Dataset, { namespace: NAMESPACE, name: 'fresh' });
  });

  it('names every Dataset that is missing, and what may be meant', async () => {
    const wrong = flow('missing')
      .load({ dataset: 'rwa' })
      .process(() => 1, { produces: ['made'] });
    const reasons = await reasonsOf(
      wrong.load({ name: 'last', dataset: 'made' }).run({ on: perigee }),
    );
    assert.deepEqual(reasons, [
      'load DatasetNotFound: there is no Dataset rwa in the namespace default; did you mean raw?',
      'process DatasetNotFound: there is no Dataset rwa in the namespace default; did you mean raw?',
    ]);
    await assert.rejects(perigee.flows.get('missing'));
  });

  it('names cycles with operations that are there, and those that are not', async () => {
    await client.create(DataLoad, {
      metadata: { namespace: NAMESPACE, name: 'egg' },
      spec: { dataset: { name: 'raw' }, runAfter: { kind: 'DataLoad', name: 'ring-load' } },
    });
    const ring = flow('ring').load({ dataset: 'raw', after: { kind: 'DataLoad', name: 'egg' } });
    const [cycle] = await reasonsOf(ring.run({ on: perigee }));
    assert.match(cycle ?? '', /wait for itself: DataLoad ring-load, which runs after DataLoad egg/);
    const lost = flow('lost').load({ dataset: 'raw', after: { kind: 'DataLoad', name: 'gone' } });
    assert.deepEqual(await reasonsOf(lost.run({ on: perigee })), [
      'load BadReference: runs after DataLoad gone, which does not exist',
    ]);
  });

  it('tells what the server refuses, for all steps at once, and submits nothing', async () => {
    const wrong = flow('wrong')
      .load({ dataset: 'raw', backoffLimit: -1 })
      .load({ name: 'typo', dataset: 'raw', bakcoffLimit: 1 } as never);
    const reasons = await reasonsOf(wrong.run({ on: perigee }));
    assert.match(reasons[0] ?? '', /^load Invalid: .*backoffLimit/);
    assert.match(reasons[1] ?? '', /^typo Invalid: .*bakcoffLimit/);
    await assert.rejects(perigee.flows.get('wrong'));
  });

  it('tells rights that are missing', async () => {
    const forbidden = new ApiError({
      code: 403,
      reason: 'Forbidden',
      message: 'you may not create',
    });
    const create: Client['create'] = async () => Promise.reject(forbidden);
    const limited = withMethods(client, { create });
    assert.deepEqual(await reasonsOf(two('rights').run({ on: perigeeOver(limited) })), [
      'load Forbidden: you may not create',
      'process Forbidden: you may not create',
    ]);
  });

  it('takes everything back when one of its steps is refused in the end', async () => {
    let made = 0;
    const create = ((kind, object, options) => {
      if (!options?.dryRun && ++made === 2) throw new ApiError({ code: 500, message: 'broken' });
      return client.create(kind, object, options);
    }) as Client['create'];
    const broken = withMethods(client, { create });
    await assert.rejects(two('half').run({ on: perigeeOver(broken) }), /broken/);
    await assert.rejects(perigee.flows.get('half'), /there is no flow half/);
  });
});
