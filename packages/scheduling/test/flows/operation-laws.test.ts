import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameJson } from '@perigee/schema/same-json';
import fc from 'fast-check';
import { findCycle } from '../../src/flows/find-cycle.ts';
import {
  isTerminal,
  OPERATION_KINDS,
  type Operation,
  policyOf,
  statusOf,
} from '../../src/flows/operation.ts';
import type { OperationFacts } from '../../src/flows/operation-facts.ts';
import { operationStep } from '../../src/flows/operation-step.ts';
import { facts, finder, jobStatus, NOON, named, operation, report } from './operations.ts';

const FIRST = 'DataLoad';

/** The world around one operation, as it changes from look to look. */
const look = fc.record({
  passedMs: fc.constantFrom(0, 1000, 10_000, 60_000, 3_600_000),
  before: fc.constantFrom('none', '', 'Pending', 'Executing', 'Complete', 'Failed'),
  job: fc.array(fc.constantFrom('new', 'active', 'complete', 'failed'), { maxLength: 3 }),
  isMissing: fc.boolean(),
  isBlocked: fc.boolean(),
  isPlaced: fc.boolean(),
  isAwaited: fc.boolean(),
  edit: fc.constantFrom('', 'cancel', 'suspend', 'resume', 'retry', 'detach'),
});

const history = fc.record({
  kind: fc.constantFrom(...OPERATION_KINDS.map(({ kind }) => kind)),
  policy: fc.constantFrom('Once', 'Cron', 'OnEvent'),
  follows: fc.boolean(),
  onPredecessorFailure: fc.constantFrom(undefined, 'wait', 'fail'),
  ttlSecondsAfterFinished: fc.constantFrom(undefined, 0, 30),
  activeDeadlineSeconds: fc.constantFrom(undefined, 1, 600),
  isValid: fc.boolean(),
  looks: fc.array(look, { minLength: 1, maxLength: 30 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;
type Look = History['looks'][number];

const created = (of: History): Operation => {
  const schedule =
    of.kind === 'DataBackup' ? {} : { policy: of.policy, schedule: of.isValid ? '@hourly' : '' };
  return operation(of.kind, {
    spec: {
      ...schedule,
      ...(of.follows ? { runAfter: { kind: FIRST, name: 'first' } } : {}),
      onPredecessorFailure: of.onPredecessorFailure,
      ttlSecondsAfterFinished: of.ttlSecondsAfterFinished,
      activeDeadlineSeconds: of.activeDeadlineSeconds,
    },
  });
};

const edited = (one: Operation, { edit }: Look, place: number): Operation => {
  const spec: { [field: string]: unknown } = { ...one.spec };
  const metadata = { ...one.metadata };
  if (edit === 'cancel') spec.cancel = true;
  if (edit === 'suspend' || edit === 'resume') spec.suspend = edit === 'suspend';
  if (edit === 'detach') delete spec.runAfter;
  if (edit === 'retry') metadata.annotations = { 'flows.perigee.io/retry': `try ${place}` };
  const generation = Number(metadata.generation) + (sameJson(spec, one.spec) ? 0 : 1);
  return { ...one, metadata: { ...metadata, generation }, spec } as unknown as Operation;
};

const factsOf = (of: Look, nowMs: number): OperationFacts => {
  const status = of.before === 'none' ? undefined : { phase: of.before as never };
  const first = operation(FIRST, { metadata: named('first'), ...(status ? { status } : {}) });
  const states = Object.fromEntries(
    of.job.map((state, place) => [`cluster-${place}`, jobStatus(state)]),
  );
  return facts({
    nowMs,
    find: of.before === 'none' ? finder() : finder(first),
    isAwaited: () => of.isAwaited,
    missingDataset: () => (of.isMissing ? 'raw' : undefined),
    writerAhead: () =>
      of.isBlocked ? { kind: 'DataMigrate', namespace: 'default', name: 'w' } : undefined,
    placementWord: () =>
      of.isPlaced
        ? { reason: 'WhereRoomIs', message: '' }
        : { status: 'False', reason: 'NoExecutor', message: '' },
    ...(of.job.length > 0 ? { report: report(states) } : {}),
  });
};

const NEXT: { readonly [phase: string]: readonly string[] } = {
  '': ['Pending', 'Failed'],
  Pending: ['Pending', 'Executing', 'Failed'],
  Executing: ['Executing', 'Complete', 'Failed'],
  Complete: ['Complete', 'Pending', 'Failed'],
  Failed: ['Failed', 'Pending'],
};

const assertLaws = (one: Operation, known: OperationFacts, of: Look): Operation => {
  const before = statusOf(one);
  const step = operationStep(one, known);
  const { status, job } = step;
  assert.ok(NEXT[before.phase]?.includes(status.phase), `${before.phase} → ${status.phase}`);
  const next = { ...one, status } as unknown as Operation;
  // Nothing is done twice: to look again at the same world changes nothing within a phase.
  if (status.phase === before.phase) {
    assert.deepEqual(operationStep(next, known).status, status);
  }
  const first = status.conditions[0]?.type;
  assert.equal(['Complete', 'Failed'].includes(first ?? ''), isTerminal(status), `${first}`);
  if (isTerminal(status)) assert.equal(first, status.phase);
  assert.equal(job === 'wanted', status.phase === 'Executing');
  if (one.spec.cancel) assert.notEqual(job, 'wanted');
  const attempts = status.attempts ?? 0;
  const isStart = before.phase === 'Pending' && status.phase === 'Executing';
  assert.equal(attempts, (before.attempts ?? 0) + (isStart ? 1 : 0));
  if (isStart) {
    assert.ok(!of.isMissing && !of.isBlocked && of.isPlaced && !one.spec.suspend);
    assert.notEqual(status.waitingFor?.operationComplete, true);
    assert.notEqual(policyOf(one), 'OnEvent');
  }
  if (status.waitingFor?.operationComplete === true) {
    assert.notEqual(status.phase, 'Executing');
    assert.notEqual(status.phase, 'Complete');
  }
  if (before.phase === 'Executing' && status.phase === 'Complete') {
    assert.ok(status.clusters?.every(({ phase }) => phase === 'Complete'));
    assert.ok((status.clusters?.length ?? 0) > 0);
  }
  if (step.isExpired) {
    assert.ok(isTerminal(status) && !of.isAwaited && policyOf(one) === 'Once');
  }
  assert.ok(step.nextMs >= 0);
  return next;
};

test('whatever happens to an operation, it keeps to its states', () => {
  fc.assert(
    fc.property(history, (of) => {
      let one = created(of);
      let nowMs = NOON;
      of.looks.forEach((each, place) => {
        nowMs += each.passedMs;
        one = assertLaws(edited(one, each, place), factsOf(each, nowMs), each);
      });
    }),
    { numRuns: 2000 },
  );
});

test('a cycle is found exactly when there is one', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const graph = fc.array(fc.subarray(names), { minLength: names.length, maxLength: names.length });
  /** By removing what waits for nothing that is left, again and again. */
  const inCycleOrBefore = (edges: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> => {
    const left = new Set(names);
    for (let size = -1; size !== left.size; ) {
      size = left.size;
      for (const name of left)
        if (!edges.get(name)?.some((one) => left.has(one))) left.delete(name);
    }
    return left;
  };
  const reaches = (edges: ReadonlyMap<string, readonly string[]>, from: string, to: string) => {
    const measuredSpeed = new Set<string>();
    const open = [...(edges.get(from) ?? [])];
    for (const one of open) {
      if (one === to) return true;
      if (!measuredSpeed.has(one)) open.push(...(edges.get(one) ?? []));
      measuredSpeed.add(one);
    }
    return false;
  };
  fc.assert(
    fc.property(graph, (lists) => {
      const edges = new Map(names.map((name, place) => [name, lists[place] ?? []]));
      const all = names.map((name) =>
        operation('DataLoad', {
          metadata: named(name),
          spec: { runAfterAll: edges.get(name)?.map((one) => ({ kind: 'DataLoad', name: one })) },
        }),
      );
      const left = inCycleOrBefore(edges);
      all.forEach((one, place) => {
        const name = names[place] as string;
        const cycle = findCycle(one, finder(...all));
        assert.equal(cycle !== undefined, reaches(edges, name, name));
        if (cycle === undefined) return;
        assert.ok(left.has(name));
        assert.deepEqual([cycle[0]?.name, cycle.at(-1)?.name], [name, name]);
        cycle.slice(1).forEach((key, at) => {
          assert.ok(edges.get(cycle[at]?.name ?? '')?.includes(key.name));
        });
      });
    }),
  );
});

test('what is complete ends the search, and so does a flow without end', () => {
  const chain = (length: number, phase: 'Pending' | 'Complete') =>
    Array.from({ length }, (_, place) =>
      operation('DataLoad', {
        metadata: named(`s${place}`),
        spec: { runAfter: { kind: 'DataLoad', name: `s${(place + 1) % length}` } },
        status: { phase: place === 1 ? phase : 'Pending' },
      }),
    );
  const cycleIn = (all: readonly Operation[]) => findCycle(all[0] as Operation, finder(...all));
  assert.equal(cycleIn(chain(1000, 'Pending'))?.length, 1001);
  assert.equal(cycleIn(chain(1000, 'Complete')), undefined);
  assert.equal(cycleIn(chain(20_000, 'Pending')), undefined);
});
