import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DataPlanFacts, planData } from '../../src/flows/data-plan.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;

const facts = (more: Partial<DataPlanFacts>): DataPlanFacts => ({
  claim: 'raw',
  work: 'Deployment web',
  namespace: 'default',
  dataset: 'raw',
  bytes: 10 * GIB,
  clusters: [],
  ways: [],
  waitedSeconds: undefined,
  by: 'time',
  ...more,
});
const full = { hasData: true, refusal: 'no room', isPassing: true };
const cases: readonly {
  readonly name: string;
  readonly facts: Partial<DataPlanFacts>;
  readonly best: object | undefined;
  readonly others?: readonly string[];
}[] = [
  {
    name: 'runs where the data is, if there is room',
    facts: {
      clusters: [
        { name: 'a', hasData: true },
        { name: 'b', hasData: false },
      ],
      ways: [{ from: 'a', to: 'b', pricePerGiB: 0 }],
    },
    best: { does: 'Run', clusters: ['a'], seconds: 0, cost: 0 },
    others: ['Copy'],
  },
  {
    name: 'copies to a cluster with room when there is none where the data is',
    facts: {
      clusters: [
        { name: 'a', ...full },
        { name: 'b', hasData: false },
        { name: 'c', hasData: false, refusal: 'no room', isPassing: true },
      ],
      ways: [
        { from: 'a', to: 'b', pricePerGiB: 0.1, measuredSpeed: 50 * MIB },
        { from: 'a', to: 'c', measuredSpeed: 500 * MIB },
      ],
    },
    best: { does: 'Copy', clusters: ['b'], from: 'a', seconds: 205, cost: 1, speed: 'seen' },
    others: ['Wait'],
  },
  {
    name: 'takes the sooner of two ways, by a limit rather than what was seen before it',
    facts: {
      clusters: [
        { name: 'a', ...full },
        { name: 'b', hasData: false },
        { name: 'c', hasData: false },
      ],
      ways: [
        { from: 'a', to: 'b', measuredSpeed: 400 * MIB, limit: 10 * MIB },
        { from: 'a', to: 'c' },
      ],
    },
    best: { does: 'Copy', clusters: ['c'], speed: 'assumed', seconds: 103 },
    others: ['Copy', 'Wait'],
  },
  {
    name: 'waits when that is sooner',
    facts: {
      clusters: [
        { name: 'a', ...full },
        { name: 'b', hasData: false },
      ],
      ways: [{ from: 'a', to: 'b', limit: MIB }],
      waitedSeconds: 60,
    },
    best: { does: 'Wait', clusters: ['a'], seconds: 60, isAtLeast: true, cost: 0 },
    others: ['Copy'],
  },
  {
    name: 'waits when money counts first',
    facts: {
      clusters: [
        { name: 'a', ...full },
        { name: 'b', hasData: false },
      ],
      ways: [{ from: 'a', to: 'b', pricePerGiB: 0.1 }],
      by: 'money',
    },
    best: { does: 'Wait', clusters: ['a'] },
    others: ['Copy'],
  },
  {
    name: 'copies from the origin, of which nobody knows the size yet',
    facts: { bytes: undefined, clusters: [{ name: 'b', hasData: false }], ways: [{ to: 'b' }] },
    best: { does: 'Copy', clusters: ['b'], from: 'origin' },
  },
  {
    name: 'takes a slower copy when the claim does not allow the price of the faster one',
    facts: {
      clusters: [
        { name: 'b', hasData: false },
        { name: 'c', hasData: false },
      ],
      ways: [
        { from: 'a', to: 'b', pricePerGiB: 1, measuredSpeed: 400 * MIB },
        { from: 'a', to: 'c', pricePerGiB: 0.1, measuredSpeed: 10 * MIB },
      ],
      allowance: { bytes: 10 * GIB, cost: 2 },
    },
    best: { does: 'Copy', clusters: ['c'], cost: 1 },
    others: ['Copy'],
  },
  {
    name: 'has no choice where the work may run nowhere',
    facts: { clusters: [{ name: 'a', hasData: true, refusal: 'not in its policy' }] },
    best: undefined,
  },
];

describe('what can be done for work that needs data', () => {
  for (const { name, facts: more, best, others = [] } of cases) {
    it(name, () => {
      const plan = planData(facts(more));
      if (best === undefined) assert.equal(plan.best, undefined);
      else assert.partialDeepStrictEqual(plan.best, best);
      assert.deepEqual(
        plan.choices.slice(1).map(({ does }) => does),
        others,
      );
      assert.equal(plan.flow.length, plan.best?.does === 'Copy' ? 1 : 0);
    });
  }

  it('gives the flow that does it, with a name that it always gets', () => {
    const { flow } = planData(
      facts({ clusters: [{ name: 'b.eu', hasData: false }], ways: [{ to: 'b.eu' }] }),
    );
    assert.deepEqual(flow, [
      {
        apiVersion: 'data.fluid.io/v1alpha1',
        kind: 'DataLoad',
        metadata: { namespace: 'default', name: 'raw-to-b-eu' },
        spec: {
          dataset: { name: 'raw' },
          placement: { clusterAffinity: { clusterNames: ['b.eu'] } },
        },
      },
    ]);
  });

  it('says which limit of the claim a copy exceeds', () => {
    const over = (allowance: { bytes: number; cost: number }, bytes?: number) => {
      const { best, choices, flow, message } = planData(
        facts({
          clusters: [{ name: 'b', hasData: false }],
          ways: [{ from: 'a', to: 'b', pricePerGiB: 1 }],
          bytes,
          allowance,
        }),
      );
      assert.deepEqual([best, flow, choices.length], [undefined, [], 1]);
      return message ?? '';
    };
    assert.match(over({ bytes: GIB, cost: 9 }, 2 * GIB), /it is 2\.00GiB, .* has 1\.00GiB left/);
    assert.match(over({ bytes: 9 * GIB, cost: 1 }, 2 * GIB), /it costs 2, .* has 1 left to spend/);
    assert.match(over({ bytes: 9 * GIB, cost: 1 }), /nobody knows the size/);
  });

  it('says why there is no choice', () => {
    const nowhere = planData(facts({ dataset: undefined }));
    assert.match(nowhere.message ?? '', /no Dataset/);
    const refused = planData(
      facts({ clusters: [{ name: 'a', hasData: true, refusal: 'not in its policy' }] }),
    );
    assert.equal(refused.message, 'no cluster can run the work: a: not in its policy');
  });
});
