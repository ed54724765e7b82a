import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import type { Vector } from '@perigee/scheduling/placement/scheduler/conformance/vector';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { decisionKey } from '../../../src/placement/scheduler/decision-key.ts';

const FILE = new URL('vectors.jsonl.gz', import.meta.url);

const vectors = gunzipSync(readFileSync(FILE))
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

const decided = ({ clusters, status }: Vector, spec: BindingSpec) =>
  schedule(spec, status ?? {}, { clusters: clusters.map(clusterFacts), rules: standardRules });

const renamed = (spec: BindingSpec, uid: string): BindingSpec => ({
  ...spec,
  resource: { ...spec.resource, name: 'other', namespace: 'elsewhere', uid, resourceVersion: '7' },
});

const UIDS = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8'];

describe('the key of a decision', () => {
  it('is shared only by bindings that get the same decision', () => {
    let shared = 0;
    for (const vector of vectors) {
      const { spec, status } = vector;
      const key = decisionKey(spec, status ?? {});
      if (key === undefined) continue;
      const alike = UIDS.map((uid) => renamed(spec, uid)).filter(
        (other) => decisionKey(other, status ?? {}) === key,
      );
      for (const other of alike) assert.deepEqual(decided(vector, other), decided(vector, spec));
      shared += alike.length;
    }
    assert.ok(shared > 500, `only ${shared} bindings are alike`);
  });

  it('depends on everything else that is said of the work', () => {
    const [{ spec } = assert.fail()] = vectors;
    const keys = [
      decisionKey(spec, {}),
      decisionKey(spec, { schedulerObservingAffinityName: 'a' }),
      decisionKey({ ...spec, replicas: 987 }, {}),
      decisionKey({ ...spec, clusters: [{ name: 'm1', replicas: 1 }] }, {}),
      decisionKey({ ...spec, resource: { ...spec.resource, kind: 'Other' } }, {}),
      decisionKey({ ...spec, placement: { clusterAffinity: { clusterNames: ['m1'] } } }, {}),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });

  it('tells of a fresh schedule whether it is due, not since when', () => {
    const [{ spec } = assert.fail()] = vectors;
    const status = { lastScheduledTime: '2026-01-01T00:00:00Z' };
    const keyAt = (at: string) => decisionKey({ ...spec, rescheduleTriggeredAt: at }, status);
    assert.equal(keyAt('2026-01-01T00:00:01Z'), keyAt('2026-02-01T00:00:00Z'));
    assert.equal(keyAt('2026-01-01T00:00:00Z'), decisionKey(spec, status));
    assert.notEqual(keyAt('2026-01-01T00:00:01Z'), decisionKey(spec, status));
  });

  it('is absent where other bindings count', () => {
    const [{ spec } = assert.fail()] = vectors;
    const workloadAffinityGroups = { affinityGroup: 'g' };
    assert.equal(decisionKey({ ...spec, workloadAffinityGroups }, {}), undefined);
  });
});
