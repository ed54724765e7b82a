import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import {
  type Vector,
  vectorDifference,
} from '@perigee/scheduling/placement/scheduler/conformance/vector';

const FILE = new URL('vectors.jsonl.gz', import.meta.url);

const vectors = gunzipSync(readFileSync(FILE))
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

describe('decisions of the real scheduler', () => {
  const kinds: readonly (readonly [string, (vector: Vector) => boolean])[] = [
    [
      'with resource models',
      ({ clusters }) =>
        clusters.some(({ status }) => status?.resourceSummary?.allocatableModelings !== undefined),
    ],
    ['with several templates', ({ spec }) => (spec.components ?? []).length > 1],
    ['with groups of workloads', ({ spec }) => spec.workloadAffinityGroups !== undefined],
    ['that fail', ({ err }) => err !== undefined],
  ];
  for (const [title, isMeant] of kinds) {
    it(`are the same ${title}`, () => {
      const selectedSteps = vectors.filter(isMeant);
      assert.ok(selectedSteps.length >= 80, `only ${selectedSteps.length} cases`);
      const differing = selectedSteps.map(vectorDifference).filter((found) => found !== undefined);
      assert.deepEqual(differing, []);
    });
  }

  it('are told apart from other decisions', () => {
    const [vector] = vectors.filter(({ result }) => (result ?? []).length > 0);
    assert.ok(vector?.result?.[0]);
    const [first, ...rest] = vector.result;
    const other = { ...vector, result: [{ ...first, replicas: 999 }, ...rest] };
    assert.match(vectorDifference(other) ?? '', /expected \[.*:999/);
    assert.match(vectorDifference({ ...vector, err: 'no' }) ?? '', /expected a failure/);
  });
});
