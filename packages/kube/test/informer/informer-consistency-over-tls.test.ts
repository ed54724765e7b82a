import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import fc from 'fast-check';
import type { Fault } from '../support/tls-api-server-faults.ts';
import { type Fixture, startFixture } from '../support/tls-api-server-fixture.ts';
import { anyWatchFault, anyWrite, doWrite, WATCH_FAULTS } from './random-life.ts';
import { eventually, isUpToDate, watchedConfigMaps } from './watched-config-maps.ts';

const streamFault: fc.Arbitrary<Fault> = fc
  .tuple(
    fc.nat(4),
    fc.constantFrom(
      'reset' as const,
      'gone' as const,
      'stall' as const,
      'end' as const,
      'reset-mid-event' as const,
      'truncate' as const,
      'duplicate' as const,
    ),
  )
  .map(([afterEvents, then]) => ({ type: 'watch', afterEvents, then }));

const answerFault: fc.Arbitrary<Fault> = fc.constantFrom<Fault>(
  { type: 'answer', code: 500 },
  { type: 'answer', code: 410 },
  { type: 'answer', code: 429, headers: { 'retry-after': '1' } },
  { type: 'reset' },
  { type: 'reset-mid-answer' },
  { type: 'stall' },
);

const step = fc.oneof(
  { weight: 5, arbitrary: anyWrite.map((write) => ({ do: 'write' as const, write })) },
  { weight: 2, arbitrary: streamFault.map((fault) => ({ do: 'fault' as const, fault })) },
  { weight: 1, arbitrary: answerFault.map((fault) => ({ do: 'fault' as const, fault })) },
  { weight: 1, arbitrary: anyWatchFault.map((fault) => ({ do: 'watch fault' as const, fault })) },
  { weight: 2, arbitrary: fc.constant({ do: 'reset connections' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'forget history' as const }) },
  { weight: 4, arbitrary: fc.constant({ do: 'let sockets work' as const }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('served' as const, 'refused' as const, 'ignored' as const)
      .map((watchList) => ({ do: 'change server' as const, watchList })),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(100, 1_000, 12_000, 400_000)
      .map((ms) => ({ do: 'wait' as const, ms })),
  },
);

const turns = async ({ clock }: Fixture, count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await clock.advance(0);
};

test('whatever happens on the way, the cache ends as the server is', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 40, size: 'max' }),
    async (steps) => {
      await using f = await startFixture();
      const { informer, check } = watchedConfigMaps(f);
      await using _ = informer;
      informer.start();
      for (const now of steps) {
        if (now.do === 'write') await doWrite(f.direct, ConfigMap, now.write);
        else if (now.do === 'fault') f.server.faults.add(now.fault);
        else if (now.do === 'watch fault') WATCH_FAULTS[now.fault](f.cluster);
        else if (now.do === 'reset connections') f.server.resetConnections();
        else if (now.do === 'forget history') f.cluster.compact();
        else if (now.do === 'let sockets work') await turns(f, 100);
        else if (now.do === 'change server') f.cluster.watchList = now.watchList;
        else await f.clock.advance(now.ms);
      }
      await eventually(f, () => informer.hasSynced && isUpToDate(f, informer));
      assert.deepEqual(check.problems, []);
      assert.deepEqual(
        [...check.state.keys()].toSorted(),
        f.cluster.objects(ConfigMap).map(([key]) => key),
      );
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
