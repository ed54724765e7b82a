import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { judgeTarget } from '@perigee/scheduling/placement/triggers/judge-target';
import { planSummary, triggerStatus } from '@perigee/scheduling/placement/triggers/trigger-status';
import { bindingOf } from '../binding-of.ts';

const NOW = Date.UTC(2026, 0, 1);
const trigger = {
  metadata: { name: 't', uid: 'u', generation: 1 },
  spec: { retryAfterSeconds: 3, autoCleanAfterMinutes: 60 },
} as ScheduleTrigger;
const resource = (index: number) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${index}` });
const clusters = (count: number, replicas: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `c${index}`, replicas }));

describe('the status of a trigger', () => {
  it('lists the first thousand that failed and five hundred others, and counts all', () => {
    const targets = Array.from({ length: 9000 }, (_, index) => ({
      resource: resource(index),
      verdict:
        index < 5000
          ? ({ result: 'Failed', reason: 'NoClusterFit', message: 'x'.repeat(10_000) } as const)
          : ({ result: 'Scheduled', triggeredAt: '2026-01-01T00:00:00Z' } as const),
    }));
    const status = triggerStatus(trigger, targets, NOW);
    assert.equal(status.targets?.length, 1500);
    assert.equal(status.failedResourceList?.length, 1000);
    assert.partialDeepStrictEqual(status.counts, { total: 9000, failed: 5000, scheduled: 4000 });
    assert.equal(status.targets?.[0]?.message?.length, 256);
  });

  it('keeps what it told of a resource that moved on since', () => {
    const verdict = { result: 'Scheduled', triggeredAt: '2026-01-01T00:00:00Z' } as const;
    const first = [{ resource: resource(1), verdict: { ...verdict, after: clusters(1, 1) } }];
    const status = triggerStatus(trigger, first, NOW);
    const later = [{ resource: resource(1), verdict: { ...verdict, after: clusters(2, 1) } }];
    const next = triggerStatus({ ...trigger, status } as ScheduleTrigger, later, NOW + 1000);
    assert.deepEqual(next.targets, status.targets);
    assert.equal(next.finishTime, status.finishTime);
  });

  it('says in a sentence what a plan comes to', () => {
    const of = (result: 'Scheduled' | 'Held' | 'Failed') => ({
      resource: resource(1),
      verdict: { result, replicasMoved: result === 'Scheduled' ? 3 : 0 },
    });
    assert.equal(planSummary([]), 'Nothing is meant, and nothing would move.');
    assert.equal(
      planSummary([of('Scheduled'), of('Held'), of('Failed')]),
      'Of 3 resources: 1 would move, 3 replicas; 1 held; 1 would fail.',
    );
  });
});

describe('a target', () => {
  const mark = { trigger: 't', run: '', at: '2026-01-01T00:00:05Z', before: [] };
  const scheduled = (reason: string) => ({
    conditions: [
      { type: 'Scheduled', status: 'False', reason, message: 'm', lastTransitionTime: mark.at },
    ],
  });
  const asked = { rescheduleTriggeredAt: mark.at, placement: {} };

  it('that another scheduler is asked about has not failed', () => {
    const handedOver = bindingOf(asked, scheduled('HandedOver') as never);
    assert.equal(judgeTarget(handedOver, mark, {}).result, 'Triggered');
    const refused = bindingOf(asked, scheduled('Unschedulable') as never);
    assert.equal(judgeTarget(refused, mark, {}).result, 'Failed');
  });

  it('is rescheduled also by a scheduler whose clock is behind', () => {
    const status = {
      lastScheduledTime: '2026-01-01T00:00:04Z',
      schedulerObservedGeneration: 3,
      conditions: [{ ...scheduled('Success').conditions[0], status: 'True' }],
    };
    const binding = bindingOf(asked, status as never);
    const seen = { ...binding, metadata: { ...binding.metadata, generation: 3 } };
    assert.equal(judgeTarget(seen, mark, {}).result, 'NoChange');
    const unseen = { ...binding, metadata: { ...binding.metadata, generation: 4 } };
    assert.equal(judgeTarget(unseen, mark, {}).result, 'Triggered');
  });

  it('that runs to completion is left alone unless it is sure that it has not started', () => {
    const resource = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'train' };
    const placed = { resource, clusters: [{ name: 'm1' }], placement: {} };
    const verdictFor = (spec: object, report?: object) => {
      const aggregatedStatus = report === undefined ? [] : [{ clusterName: 'm1', ...report }];
      return judgeTarget(bindingOf(spec, { aggregatedStatus } as never), undefined, {}).reason;
    };
    assert.equal(verdictFor({ ...placed, clusters: [] }), undefined);
    assert.equal(verdictFor(placed, { applied: false }), undefined);
    assert.equal(verdictFor(placed, { applied: true }), 'RunsToCompletion');
    assert.equal(verdictFor(placed), 'RunsToCompletion', 'nobody has told of it yet');
    const behind = { applied: false, status: { active: 1 } };
    assert.equal(verdictFor(placed, behind), 'RunsToCompletion', 'a later version is on its way');
  });
});
