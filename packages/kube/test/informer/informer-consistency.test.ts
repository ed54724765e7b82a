import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError, ConnectionError } from '../../src/errors.ts';
import { objectKey } from '../../src/informer/object-key.ts';
import type { Selection } from '../../src/informer/selection.ts';
import type { MemoryCall } from '../support/memory-client.ts';
import { HistoryCheck } from './history-check.ts';
import { anyWatchFault, anyWrite, doWrite, WATCH_FAULTS } from './random-life.ts';
import { Thing } from './thing.ts';
import { watchedThings } from './watched-things.ts';

type CallFault = 'none' | 'refused' | 'unavailable' | 'hangs';

const step = fc.oneof(
  { weight: 6, arbitrary: anyWrite.map((write) => ({ do: 'write' as const, write })) },
  { weight: 4, arbitrary: anyWatchFault.map((fault) => ({ do: 'watch fault' as const, fault })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<CallFault>('none', 'refused', 'unavailable', 'hangs')
      .map((fault) => ({ do: 'call fault' as const, fault })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('served' as const, 'refused' as const, 'ignored' as const)
      .map((watchList) => ({ do: 'change server' as const, watchList })),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'add handler' as const }) },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(0, 100, 1_000, 12_000, 400_000)
      .map((ms) => ({ do: 'wait' as const, ms })),
  },
);

const selections: readonly Selection[] = [
  {},
  { namespace: 'a' },
  { labelSelector: 'app=one' },
  { namespace: 'b', fieldSelector: 'metadata.name!=z' },
];

const failCall = (fault: CallFault): void | Promise<void> => {
  switch (fault) {
    case 'refused':
      throw new ConnectionError('refused');
    case 'unavailable':
      throw new ApiError({ code: 503, reason: 'ServiceUnavailable' });
    case 'hangs':
      return new Promise(() => {});
  }
};

/** Longer than a half-open watch, a hanging list and every wait between attempts together. */
const LONG_ENOUGH_MS = 20 * 60_000;

test('whatever happens, the cache ends as the server is, and every handler saw a true history', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...selections),
    fc.array(step, { maxLength: 60, size: 'max' }),
    async (selection, steps) => {
      let callFault: CallFault = 'none';
      const { clock, cluster, client, informer } = watchedThings({
        selection,
        faults: { before: (_: MemoryCall) => failCall(callFault) },
      });
      await using _ = informer;
      const checks: HistoryCheck<Thing>[] = [];
      const addCheck = () => {
        const check = new HistoryCheck(informer);
        checks.push(check);
        informer.addHandler(check);
      };
      addCheck();
      informer.start();
      for (const now of steps) {
        if (now.do === 'write') await doWrite(client, Thing, now.write);
        else if (now.do === 'watch fault') WATCH_FAULTS[now.fault](cluster);
        else if (now.do === 'call fault') callFault = now.fault;
        else if (now.do === 'change server') cluster.watchList = now.watchList;
        else if (now.do === 'add handler') addCheck();
        else await clock.advance(now.ms);
      }
      callFault = 'none';
      await clock.advance(LONG_ENOUGH_MS);

      const { items } = await client.list(Thing, selection);
      const expected = new Map(items.map((object) => [objectKey(object.metadata), object]));
      const cached = new Map(informer.list().map((o) => [objectKey(o.metadata), o]));
      assert.deepEqual(cached, expected);
      for (const check of checks) {
        assert.deepEqual(check.problems, []);
        assert.deepEqual(check.state, expected);
      }
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
