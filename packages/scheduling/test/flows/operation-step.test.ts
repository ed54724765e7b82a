import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import { OPERATION_KINDS, type Operation } from '../../src/flows/operation.ts';
import type { OperationFacts } from '../../src/flows/operation-facts.ts';
import { operationStep } from '../../src/flows/operation-step.ts';
import { facts, finder, jobStatus, NOON, named, operation, report } from './operations.ts';

const KINDS = OPERATION_KINDS.map(({ kind }) => kind);
const pendingStatus = { phase: 'Pending', duration: 'Unfinished', observedGeneration: 1 } as const;
const waiting = { ...pendingStatus, waitingFor: { operationComplete: true } };
const running = {
  phase: 'Executing',
  duration: 'Unfinished',
  attempts: 1,
  startTime: '2026-01-01T11:57:00Z',
} as const;

const after = (one: Operation, more: Partial<OperationFacts> = {}): OperationStatus =>
  operationStep(one, facts(more)).status;

const reasonOf = ({ conditions }: OperationStatus, type: string): string | undefined =>
  conditions.find((one) => one.type === type)?.reason;

/** Goes on until nothing changes any more. */
const settle = (one: Operation, more: Partial<OperationFacts> = {}): Operation => {
  let now = one;
  for (let steps = 0; steps < 10; steps++) {
    const status = after(now, more);
    if (JSON.stringify(status) === JSON.stringify(now.status)) return now;
    now = { ...now, status } as Operation;
  }
  throw new Error('it does not settle');
};

suite('from None to Pending', () => {
  for (const kind of KINDS) {
    test(`${kind} without a predecessor waits for nothing`, () => {
      const status = after(operation(kind));
      assert.equal(status.phase, 'Pending');
      assert.equal(status.duration, 'Unfinished');
      assert.deepEqual(status.conditions, []);
      assert.equal(status.waitingFor, undefined);
    });

    test(`${kind} with a predecessor has operationComplete true`, () => {
      for (const spec of [
        { runAfter: { kind: 'DataLoad', name: 'a' } },
        { runAfterAll: [{ kind: 'DataLoad', name: 'a' }] },
      ]) {
        const status = after(operation(kind, { spec }));
        assert.deepEqual(
          [status.phase, status.waitingFor],
          ['Pending', { operationComplete: true }],
        );
      }
    });
  }
});

suite('from Pending to Executing', () => {
  for (const kind of KINDS) {
    test(`${kind}: without a predecessor it starts, once`, () => {
      const step = operationStep(operation(kind, { status: pendingStatus }), facts());
      assert.equal(step.job, 'wanted');
      assert.deepEqual(
        [step.status.phase, step.status.attempts, step.status.startTime],
        ['Executing', 1, '2026-01-01T12:00:00Z'],
      );
    });

    for (const before of KINDS) {
      test(`${kind} after ${before}: released when that is complete, and no sooner`, () => {
        const one = operation(kind, {
          spec: { runAfter: { kind: before, name: 'first' } },
          status: waiting,
        });
        for (const phase of ['', 'Pending', 'Executing'] as const) {
          const first = operation(before, { metadata: named('first'), status: { phase } });
          const status = after(one, { find: finder(first) });
          assert.deepEqual([status.phase, status.waitingFor], ['Pending', waiting.waitingFor]);
          assert.equal(reasonOf(status, 'Started'), 'WaitingForOperation');
        }
        const done = operation(before, { metadata: named('first'), status: { phase: 'Complete' } });
        const status = after(one, { find: finder(done) });
        assert.deepEqual(
          [status.phase, status.waitingFor],
          ['Executing', { operationComplete: false }],
        );
      });
    }
  }

  const first = (phase: OperationStatus['phase'], more: object = {}) =>
    operation('DataLoad', { metadata: named('first', more), status: { phase } });
  const spec = { runAfter: { kind: 'DataLoad', name: 'first' } };

  test('one that is released stays so, though its predecessor goes', () => {
    const released = { ...pendingStatus, waitingFor: { operationComplete: false } };
    const one = operation('DataLoad', { spec: { ...spec, suspend: true }, status: released });
    assert.deepEqual(after(one).waitingFor, { operationComplete: false });
    assert.equal(reasonOf(after(one), 'Started'), 'Suspended');
  });

  test('runAfter taken away while it waits releases it', () => {
    const status = after(operation('DataLoad', { status: waiting }));
    assert.deepEqual(
      [status.phase, status.waitingFor],
      ['Executing', { operationComplete: false }],
    );
  });

  test('runAfter changed while it waits makes it wait for the other', () => {
    const one = operation('DataLoad', {
      spec: { runAfter: { kind: 'DataLoad', name: 'other' } },
      status: waiting,
    });
    const other = operation('DataLoad', { metadata: named('other'), status: { phase: 'Pending' } });
    const status = after(one, { find: finder(first('Complete'), other) });
    assert.equal(status.phase, 'Pending');
    assert.match(status.conditions[0]?.message ?? '', /DataLoad other is not complete yet/);
  });

  test('a predecessor of another namespace is found there, and named with it', () => {
    const one = operation('DataLoad', {
      spec: { runAfter: { ...spec.runAfter, namespace: 'team-b' } },
      status: waiting,
    });
    assert.match(
      after(one, { find: finder(first('Complete')) }).conditions[0]?.message ?? '',
      /DataLoad team-b\/first does not exist/,
    );
    const there = first('Complete', { namespace: 'team-b' });
    assert.equal(after(one, { find: finder(there) }).phase, 'Executing');
  });

  test('a join waits for all, and says which is wrong before which is late', () => {
    const join = operation('DataProcess', {
      spec: {
        runAfter: { kind: 'DataLoad', name: 'first' },
        runAfterAll: [
          { kind: 'DataMigrate', name: 'left' },
          { kind: 'DataBackup', name: 'right' },
        ],
      },
      status: waiting,
    });
    const left = (phase: OperationStatus['phase']) =>
      operation('DataMigrate', { metadata: named('left'), status: { phase } });
    const right = (phase: OperationStatus['phase']) =>
      operation('DataBackup', { metadata: named('right'), status: { phase } });
    const reason = (...all: readonly Operation[]) =>
      reasonOf(after(join, { find: finder(...all) }), 'Started');
    assert.equal(
      reason(first('Complete'), left('Complete'), right('Executing')),
      'WaitingForOperation',
    );
    assert.equal(reason(first('Complete'), left('Executing')), 'PredecessorMissing');
    assert.equal(reason(left('Failed'), right('Executing')), 'PredecessorFailed');
    assert.equal(reason(first('Complete'), left('Complete'), right('Complete')), 'Started');
  });

  const lost: readonly (readonly [string, readonly Operation[], string])[] = [
    ['failed', [first('Failed')], 'PredecessorFailed'],
    ['is missing', [], 'PredecessorMissing'],
  ];
  for (const [what, all, reason] of lost) {
    test(`a predecessor that ${what}: wait and say so, or fail`, () => {
      const one = (onPredecessorFailure?: string) =>
        operation('DataLoad', { spec: { ...spec, onPredecessorFailure }, status: waiting });
      for (const policy of [undefined, 'wait']) {
        const status = after(one(policy), { find: finder(...all) });
        assert.deepEqual([status.phase, reasonOf(status, 'Started')], ['Pending', reason]);
        assert.deepEqual(status.waitingFor, { operationComplete: true });
      }
      const status = after(one('fail'), { find: finder(...all) });
      assert.deepEqual([status.phase, status.conditions[0]?.reason], ['Failed', reason]);
    });
  }

  test('a flow that is tried again: a step does not fail for a predecessor that will be tried, too', () => {
    const one = operation('DataLoad', {
      spec: { ...spec, onPredecessorFailure: 'fail' },
      status: waiting,
    });
    const failedOne = first('Failed');
    const metadata = { ...failedOne.metadata, annotations: { 'flows.perigee.io/retry': 'now' } };
    const asked = { ...failedOne, metadata } as Operation;
    const status = after(one, { find: finder(asked) });
    assert.deepEqual(
      [status.phase, reasonOf(status, 'Started')],
      ['Pending', 'WaitingForOperation'],
    );
    const tried = { ...asked, status: { ...asked.status, retriedFor: 'now' } } as Operation;
    assert.equal(after(one, { find: finder(tried) }).phase, 'Failed');
  });

  test('one that fails without its predecessor gives it time to be created', () => {
    const metadata = { creationTimestamp: '2026-01-01T11:59:55Z' };
    const one = operation('DataLoad', {
      spec: { ...spec, onPredecessorFailure: 'fail' },
      status: waiting,
      metadata,
    });
    const step = operationStep(one, facts());
    assert.deepEqual([step.status.phase, step.nextMs], ['Pending', 5000]);
    assert.equal(after(one, { nowMs: NOON + 5000 }).phase, 'Failed');
  });

  test('a predecessor with a schedule counts from its first success on', () => {
    const cron = (status: Partial<OperationStatus>) =>
      operation('DataLoad', {
        metadata: named('first'),
        spec: { policy: 'Cron', schedule: '* * * * *' },
        status,
      });
    const one = operation('DataLoad', { spec, status: waiting });
    const phase = (status: Partial<OperationStatus>) =>
      after(one, { find: finder(cron(status)) }).phase;
    assert.equal(phase({ phase: 'Pending' }), 'Pending');
    assert.equal(phase({ phase: 'Failed' }), 'Pending');
    assert.equal(phase({ phase: 'Complete' }), 'Executing');
    assert.equal(
      phase({ phase: 'Executing', lastSuccessfulTime: '2026-01-01T11:00:00Z' }),
      'Executing',
    );
  });

  const holds: readonly (readonly [string, object, Partial<OperationFacts>, string])[] = [
    ['suspended', { suspend: true }, {}, 'Suspended'],
    ['OnEvent', { policy: 'OnEvent' }, {}, 'NothingStartsIt'],
    ['before its time', { policy: 'Cron', schedule: '30 12 * * *' }, {}, 'WaitingForSchedule'],
    ['without its dataset', {}, { missingDataset: () => 'raw' }, 'TargetDatasetNotFound'],
    [
      'while another writes the same data',
      {},
      { writerAhead: () => ({ kind: 'DataMigrate', namespace: 'default', name: 'other' }) },
      'DataInUse',
    ],
    [
      'where nothing can run it',
      {},
      {
        placementWord: () => ({
          status: 'False',
          reason: 'NoExecutor',
          message: 'all are virtual',
        }),
      },
      'WaitingForCluster',
    ],
  ];
  for (const [what, more, known, reason] of holds) {
    test(`held: ${what}`, () => {
      const one = operation('DataLoad', { spec: more, status: pendingStatus });
      const step = operationStep(one, facts(known));
      assert.deepEqual([step.status.phase, reasonOf(step.status, 'Started')], ['Pending', reason]);
      assert.equal(step.job, 'kept');
      assert.ok(step.nextMs <= 10_000);
    });
  }

  test('the time of a schedule is kept to the millisecond', () => {
    const spec = { policy: 'Cron', schedule: '* * * * *' };
    const metadata = { creationTimestamp: '2026-01-01T11:59:50Z' };
    const one = operation('DataLoad', { spec, status: pendingStatus, metadata });
    const early = operationStep(one, facts({ nowMs: NOON - 1 }));
    assert.deepEqual([early.status.phase, early.nextMs], ['Pending', 1]);
    const due = after(one);
    assert.deepEqual([due.phase, due.lastScheduleTime], ['Executing', '2026-01-01T12:00:00Z']);
  });

  test('what can have no Job fails with the reason', () => {
    const refusal = () => ({ reason: 'PathNotSupported', message: 'no way to ftp://' }) as const;
    const status = after(operation('DataLoad', { status: pendingStatus }), { refusal });
    assert.deepEqual([status.phase, status.conditions[0]?.reason], ['Failed', 'PathNotSupported']);
    assert.equal(status.conditions.length, 1);
  });
});

suite('Executing', () => {
  const one = (spec: object = {}, status: object = {}) =>
    operation('DataLoad', { spec, status: { ...running, ...status } });

  test('a Job that is not there is wanted', () => {
    assert.equal(operationStep(one(), facts()).job, 'wanted');
  });

  test('each cluster has its state, with progress and result', () => {
    const progress = { bytesDone: 50, bytesTotal: 100, percentage: 50, secondsLeft: 4 };
    const done = { bytesDone: 300, bytesTotal: 300, percentage: 100, secondsLeft: 0 };
    const result = { bytes: 300, files: 3, digest: 'sha256:1' };
    const status = after(one(), {
      report: report({
        b: jobStatus('active', { operation: { progress, message: 'copies' } }),
        a: jobStatus('complete', { operation: { progress: done, result, node: 'node1' } }),
        c: undefined,
      }),
    });
    assert.equal(status.phase, 'Executing');
    assert.deepEqual(
      status.clusters?.map(({ name, phase }) => [name, phase]),
      [
        ['a', 'Complete'],
        ['b', 'Executing'],
        ['c', 'Pending'],
      ],
    );
    assert.deepEqual(status.clusters?.[0]?.result, result);
    assert.equal(status.clusters?.[0]?.node, 'node1');
    assert.equal(status.clusters?.[1]?.message, 'copies');
    assert.equal(status.progress, undefined);
    const both = after(one(), {
      report: report({
        a: jobStatus('active', { operation: { progress } }),
        b: jobStatus('active', { operation: { progress: done } }),
      }),
    });
    assert.deepEqual(both.progress, {
      bytesDone: 350,
      bytesTotal: 400,
      percentage: 87,
      secondsLeft: 4,
    });
  });

  test('what a member says that cannot be is left out', () => {
    const progress = { bytesDone: -1, bytesTotal: 1.5, filesDone: 'x', percentage: 900 };
    const status = after(one(), {
      report: report({ a: jobStatus('active', { operation: { progress, result: [] } }) }),
    });
    assert.deepEqual(status.clusters?.[0]?.progress, { percentage: 100 });
  });

  test('it is complete when all clusters are, after the time that the Job took', () => {
    const some = after(one(), {
      report: report({ a: jobStatus('complete'), b: jobStatus('active') }),
    });
    assert.equal(some.phase, 'Executing');
    const all = operationStep(
      one(),
      facts({
        report: report({ a: jobStatus('complete'), b: jobStatus('complete') }),
      }),
    );
    assert.deepEqual(
      [all.status.phase, all.status.duration, all.job],
      ['Complete', '2m30s', 'kept'],
    );
    // Not the condition that Kubernetes puts first, by which Fluid's time to live never comes.
    const [end] = all.status.conditions;
    assert.deepEqual([end?.type, end?.reason, end?.status], ['Complete', 'Succeeded', 'True']);
  });

  test('no cluster at all is not the end', () => {
    assert.equal(after(one(), { report: report({}) }).phase, 'Executing');
  });

  test('a cluster where it is complete counts, though it goes', () => {
    const clusters = [{ name: 'a', phase: 'Complete', reason: 'Succeeded' }] as const;
    const status = after(one({}, { clusters }), { report: report({ b: jobStatus('complete') }) });
    assert.deepEqual(
      status.clusters?.map(({ name }) => name),
      ['a', 'b'],
    );
    assert.equal(status.phase, 'Complete');
  });

  test('it fails when it is over everywhere and failed somewhere', () => {
    const some = report({ a: jobStatus('failed'), b: jobStatus('active') });
    assert.equal(after(one(), { report: some }).phase, 'Executing');
    const step = operationStep(
      one(),
      facts({
        report: report({ a: jobStatus('failed'), b: jobStatus('complete') }),
      }),
    );
    assert.deepEqual([step.status.phase, step.job], ['Failed', 'kept']);
    const [end] = step.status.conditions;
    assert.deepEqual([end?.type, end?.reason], ['Failed', 'BackoffLimitExceeded']);
    assert.match(end?.message ?? '', /^a: /);
  });

  test('a failure is told once: in the words of the mover, with those of the Job that add to them', () => {
    const ended = (reason: string, message?: string) => {
      const conditions = [{ type: 'Failed', status: 'True', reason, message: `as ${reason}` }];
      const job = jobStatus('failed', { conditions, ...(message && { operation: { message } }) });
      return after(one(), { report: report({ a: job }) }).clusters?.[0]?.message;
    };
    assert.equal(ended('PodFailurePolicy', 'DiskFull: no room'), 'DiskFull: no room');
    assert.equal(ended('PodFailurePolicy'), 'as PodFailurePolicy');
    assert.equal(ended('DeadlineExceeded', 'no room'), 'no room; as DeadlineExceeded');
  });

  test('pods that were played say so', () => {
    const status = after(one(), { report: report({ a: jobStatus('complete') }, true) });
    assert.deepEqual([status.phase, status.conditions[0]?.reason], ['Complete', 'Simulated']);
    assert.equal(status.clusters?.[0]?.reason, 'Simulated');
  });

  test('cancelled: it fails, and its Job must go', () => {
    const step = operationStep(
      one({ cancel: true }),
      facts({ report: report({ a: jobStatus('active') }) }),
    );
    assert.deepEqual([step.status.phase, step.job], ['Failed', 'unwanted']);
    assert.equal(step.status.conditions[0]?.reason, 'Cancelled');
    const later = operationStep(
      operation('DataLoad', { spec: { cancel: true }, status: step.status }),
      facts(),
    );
    assert.equal(later.job, 'unwanted');
  });

  test('one whose source failed is stopped, also when that was written and not done', () => {
    const step = operationStep(
      one(),
      facts({
        report: report({ a: jobStatus('active') }),
        servingFailure: () => ({ reason: 'SourceFailed', message: 'b does not serve the data' }),
      }),
    );
    assert.deepEqual([step.status.phase, step.job], ['Failed', 'unwanted']);
    const later = operationStep(operation('DataLoad', { status: step.status }), facts());
    assert.equal(later.job, 'unwanted');
  });

  test('a deadline ends it, though no cluster may tell', () => {
    const known = { report: report({ a: jobStatus('active') }) };
    const early = operationStep(one({ activeDeadlineSeconds: 120 }), facts(known));
    assert.deepEqual([early.status.phase, early.nextMs], ['Executing', 10_000]);
    const late = operationStep(one({ activeDeadlineSeconds: 110 }), facts(known));
    assert.deepEqual(
      [late.status.conditions[0]?.reason, late.job],
      ['DeadlineExceeded', 'unwanted'],
    );
  });

  test('a backup says where it is, as Fluid does', () => {
    const backup = (backupPath: string) =>
      operation('DataBackup', { spec: { backupPath }, status: running });
    const done = report({ a: jobStatus('complete', { operation: { node: 'node1' } }) });
    assert.deepEqual(after(backup('pvc://c/d'), { report: done }).infos, {
      BackupLocationPath: 'pvc://c/d',
      BackupLocationNodeName: 'NA',
    });
    assert.deepEqual(after(backup('local:///d'), { report: done }).infos, {
      BackupLocationPath: 'local:///d',
      BackupLocationNodeName: 'node1',
    });
  });
});

suite('after the end', () => {
  const end = (type: 'Complete' | 'Failed', reason: string, status: object = {}) => ({
    ...running,
    phase: type,
    observedGeneration: 1,
    conditions: [
      { type, status: 'True', reason, message: '', lastTransitionTime: '2026-01-01T11:59:50Z' },
    ] as never,
    ...status,
  });

  test('its time to live is kept from the end on, for those that run once', () => {
    const step = (
      ttlSecondsAfterFinished: number,
      more: Partial<OperationFacts> = {},
      spec: object = {},
    ) =>
      operationStep(
        operation('DataLoad', {
          spec: { ttlSecondsAfterFinished, ...spec },
          status: end('Complete', 'Succeeded'),
        }),
        facts(more),
      );
    assert.deepEqual([step(60).isExpired, step(60).nextMs], [false, 50_000]);
    assert.equal(step(10).isExpired, true);
    assert.equal(step(0).isExpired, true);
    // A successor has not seen yet that it is complete.
    assert.equal(step(10, { isAwaited: () => true }).isExpired, false);
    assert.equal(step(10, {}, { policy: 'Cron', schedule: '@hourly' }).isExpired, false);
  });

  test('one that failed its validation lives no longer than others', () => {
    const bad = settle(
      operation('DataProcess', { spec: { processor: {}, ttlSecondsAfterFinished: 5 } }),
    );
    assert.equal(operationStep(bad, facts({ nowMs: NOON + 5000 })).isExpired, true);
  });

  test('a schedule starts it again: Pending with a dash, then Executing', () => {
    const cron = operation('DataLoad', {
      spec: { policy: 'Cron', schedule: '* * * * *' },
      status: end('Complete', 'Succeeded', { lastScheduleTime: '2026-01-01T11:58:30Z' }),
    });
    const status = after(cron);
    assert.deepEqual([status.phase, status.duration, status.conditions], ['Pending', '-', []]);
    const next = operationStep(operation('DataLoad', { spec: cron.spec, status }), facts()).status;
    assert.deepEqual([next.phase, next.attempts], ['Executing', 2]);
  });

  test('a new value of the annotation tries it again, once, and a complete one not at all', () => {
    const retry = (status: object, spec: object = {}) =>
      operation('DataLoad', {
        spec: { runAfter: { kind: 'DataLoad', name: 'first' }, ...spec },
        status,
        metadata: { annotations: { 'flows.perigee.io/retry': 'again' } },
      });
    const status = after(retry(end('Failed', 'JobFailed')));
    assert.deepEqual(
      [status.phase, status.retriedFor, status.waitingFor, status.attempts],
      ['Pending', 'again', { operationComplete: true }, 1],
    );
    const released = end('Failed', 'JobFailed', { waitingFor: { operationComplete: false } });
    assert.equal(
      settle(retry(released)).status?.phase,
      'Executing',
      'what was released stays so, though its predecessor has gone meanwhile',
    );
    assert.equal(after(retry(end('Failed', 'JobFailed', { retriedFor: 'again' }))).phase, 'Failed');
    assert.equal(after(retry(end('Complete', 'Succeeded'))).phase, 'Complete');
    assert.equal(after(retry(end('Failed', 'Cancelled'), { cancel: true })).phase, 'Failed');
  });
});

suite('cycles', () => {
  const follows = (name: string, before: string, more: object = {}) =>
    operation('DataLoad', {
      metadata: named(name),
      spec: { runAfter: { kind: 'DataLoad', name: before }, ...more },
      status: waiting,
    });

  test('are found by whoever is looked at last, and then by the others', () => {
    const [a, b, c] = [follows('a', 'c'), follows('b', 'a'), follows('c', 'b')] as const;
    const fresh = { ...c, metadata: { ...c.metadata, generation: 2 } } as Operation;
    assert.equal(
      reasonOf(after(b, { find: finder(a, b, fresh) }), 'Started'),
      'WaitingForOperation',
    );
    const found = { ...c, status: after(fresh, { find: finder(a, b, fresh) }) } as Operation;
    assert.match(
      found.status?.conditions[0]?.message ?? '',
      /waits for itself: DataLoad c, which runs after DataLoad b, which runs after DataLoad a, which runs after DataLoad c$/,
    );
    assert.equal(reasonOf(after(a, { find: finder(a, b, found) }), 'Started'), 'Cycle');
  });

  test('are over when one of them is changed', () => {
    const told = settle(follows('a', 'a'), { find: finder(follows('a', 'a')) });
    assert.equal(told.status?.phase, 'Pending');
    const one = {
      ...follows('a', 'b'),
      status: { ...told.status, observedGeneration: 1 },
    } as Operation;
    const changed = { ...one, metadata: { ...one.metadata, generation: 2 } } as Operation;
    assert.equal(reasonOf(after(changed), 'Started'), 'PredecessorMissing');
  });

  test('fail what is to fail', () => {
    const one = follows('a', 'a', { onPredecessorFailure: 'fail' });
    const fresh = { ...one, metadata: { ...one.metadata, generation: 2 } } as Operation;
    assert.equal(after(fresh, { find: finder(fresh) }).conditions[0]?.reason, 'Cycle');
  });
});
