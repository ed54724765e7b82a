import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { WorkloadRebalancer } from '@perigee/api/kinds/placement/workload-rebalancer';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { explainByConditions } from '../../src/explain/objects/explain-by-conditions.ts';
import { explainClaim, explainSource } from '../../src/explain/objects/explain-claim.ts';
import { explainDataset } from '../../src/explain/objects/explain-dataset.ts';
import { explainOperation, withRuns } from '../../src/explain/objects/explain-operation.ts';
import { explainPolicy } from '../../src/explain/objects/explain-policy.ts';
import { explainQueue } from '../../src/explain/objects/explain-queue.ts';
import { explainRebalancer, explainTrigger } from '../../src/explain/objects/explain-trigger.ts';
import type { ObjectExplanation } from '../../src/explain/objects/object-explanation.ts';
import { type Flow, flowsOf } from '../../src/flows/flow-graph.ts';
import type { Operation } from '../../src/flows/operation.ts';
import type { Binding } from '../../src/placement/binding/binding.ts';
import type { AnyPolicy } from '../../src/placement/policy/policy-for.ts';

const TIME = '2026-01-01T00:00:00Z';
const metadata = { namespace: 'lab', name: 'it', uid: '1', creationTimestamp: TIME };

const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastProbeTime: TIME,
  lastTransitionTime: TIME,
});

const toldOf = ({ state, summary }: ObjectExplanation) => `${state}: ${summary}`;

const load = (status: object, spec: object = {}): Operation =>
  ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata,
    spec: { dataset: { name: 'lake', namespace: 'lab' }, policy: 'Once', ...spec },
    status: { phase: '', duration: '', conditions: [], ...status },
  }) as never;

const explained = (operation: Operation) =>
  explainOperation(operation, flowsOf([operation])[0] as Flow);

describe('explains a data operation', () => {
  const cases: readonly (readonly [string, object, string, string | undefined])[] = [
    ['nobody looked at it', {}, 'waiting: no controller has looked at it yet', undefined],
    [
      'its predecessor is not there',
      {
        phase: 'Pending',
        conditions: [
          condition('Started', 'False', 'PredecessorMissing', 'DataLoad a does not exist'),
        ],
      },
      'waiting: waits: DataLoad a does not exist',
      'Create it, or correct runAfter.',
    ],
    [
      'it moves data',
      {
        phase: 'Executing',
        clusters: [{ name: 'paris', phase: 'Executing' }],
        conditions: [
          condition('Started', 'True', 'Started', 'attempt 1'),
          condition('Placed', 'True', 'WhereRoomIs', 'it goes to the cluster with most room'),
        ],
      },
      'well: executing, in paris: it goes to the cluster with most room',
      undefined,
    ],
    [
      'no cluster fits',
      {
        phase: 'Executing',
        conditions: [
          condition('Started', 'True', 'Started', 'attempt 1'),
          condition('Placed', 'False', 'NoCluster', '0/3 clusters are available'),
        ],
      },
      'waiting: executing: 0/3 clusters are available',
      'Look at the condition Scheduled of the binding that the message names.',
    ],
    [
      'it failed',
      {
        phase: 'Failed',
        conditions: [condition('Failed', 'True', 'BackoffLimitExceeded', 'exit code 3')],
      },
      'failed: failed: exit code 3',
      'Read what they printed: `perigee flow logs`. Then `perigee flow retry`.',
    ],
    [
      'it is complete',
      {
        phase: 'Complete',
        duration: '3s',
        clusters: [{ name: 'paris', phase: 'Complete', result: { bytes: 2048, files: 3 } }],
        conditions: [condition('Complete', 'True', 'Succeeded', 'it is complete')],
      },
      'well: complete after 3s, in paris',
      undefined,
    ],
  ];
  for (const [name, status, told, todo] of cases) {
    it(name, () => {
      const explanation = explained(load(status));
      assert.equal(toldOf(explanation), told);
      assert.equal(explanation.todo, todo);
    });
  }

  it('names the flow, and how to try it again', () => {
    const failed = load({
      phase: 'Failed',
      conditions: [condition('Failed', 'True', 'JobFailed', 'no')],
    });
    assert.deepEqual(explained(failed).commands, [
      'perigee flow show it -n lab',
      'perigee flow logs dataload/it -n lab',
      'perigee flow retry dataload/it -n lab',
    ]);
  });

  it('lets a Job that is held back say what for', () => {
    const stuck = explained(
      load({
        phase: 'Executing',
        conditions: [condition('Placed', 'False', 'NoCluster', '0/3 clusters')],
      }),
    );
    const run = { state: 'held', summary: 'no cluster is named `x`' } as never;
    assert.equal(withRuns(stuck, [run]).summary, 'waits: no cluster is named `x`');
    assert.equal(withRuns(stuck, []), stuck);
  });
});

describe('explains data and claims', () => {
  const dataset = (status: object, spec: object = {}): Dataset =>
    ({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', metadata, spec, status }) as never;

  it('a Dataset says which clusters have it', () => {
    const copies = [
      { name: 'paris', state: 'Complete', cached: '1.00KiB', operation: 'DataLoad/warm' },
      { name: 'tokyo', state: 'Partial', cachedPercentage: '40.0%' },
    ];
    const explanation = explainDataset(dataset({ phase: 'Bound', clusters: copies }));
    assert.equal(toldOf(explanation), 'well: Bound: all of its data is in paris');
    assert.deepEqual(
      explanation.facts.filter(({ name }) => name.startsWith('in ')),
      [
        { name: 'in paris', value: 'Complete, 1.00KiB, by DataLoad/warm' },
        { name: 'in tokyo', value: 'Partial, 40.0%' },
      ],
    );
  });

  it('a Dataset whose data is nowhere says how it gets somewhere', () => {
    assert.match(
      toldOf(explainDataset(dataset({ phase: 'Bound' }, { mounts: [{ mountPoint: 's3://b' }] }))),
      /^waiting: Bound: no cluster has its data; a DataLoad/,
    );
    assert.match(toldOf(explainDataset(dataset({ phase: 'Bound' }))), /it has no data yet/);
  });

  it('a Dataset whose DataSource somebody else has says so', () => {
    const taken = condition('Ready', 'False', 'DataSourceTaken', 'the DataSource x is taken');
    const explanation = explainDataset(dataset({ phase: 'Bound', conditions: [taken] }));
    assert.match(toldOf(explanation), /^waiting: .*; the DataSource x is taken$/);
    assert.equal(explanation.todo, 'Delete the DataSource that the message names.');
  });

  const claim = (status: object): DataSourceClaim =>
    ({
      metadata,
      spec: {
        system: 'hive',
        dataSourceType: 'table',
        dataSourceName: 'sales',
        workload: { apiVersion: 'batch/v1', kind: 'Job', name: 'train', namespace: 'lab' },
      },
      status,
    }) as never;
  const source = (status: object): DataSource =>
    ({
      metadata: { name: 'src' },
      spec: { system: 'hive', type: 'table', name: 'sales' },
      status,
    }) as never;

  it('a claim without data repeats who says why', () => {
    const bound = condition('Bound', 'False', 'NoMatchingSource', 'no DataSource offers it');
    const asked = condition('Provisioned', 'False', 'DataNotFound', 'the catalogue has none');
    const waits = explainClaim(claim({ conditions: [bound] }), undefined);
    assert.equal(toldOf(waits), 'waiting: no DataSource offers it');
    assert.equal(waits.todo, 'Register a DataSource, or correct the claim.');
    assert.equal(
      toldOf(explainClaim(claim({ conditions: [bound, asked] }), undefined)),
      'waiting: the catalogue has none',
    );
  });

  it('a bound claim says where its work may run', () => {
    const got = claim({ boundDataSource: 'src' });
    assert.equal(
      toldOf(explainClaim(got, source({ clusters: ['paris', 'tokyo'] }))),
      'well: bound to the DataSource src: Job train may run in paris, tokyo',
    );
    assert.match(
      toldOf(explainClaim(got, source({ clusters: [] }))),
      /^waiting: .* its work waits$/,
    );
  });

  it('a DataSource says where the data is, or why nobody can use it', () => {
    const ready = condition('Ready', 'True', 'DataAvailable', 'ready');
    assert.equal(
      toldOf(explainSource(source({ clusters: ['paris'], boundClaims: 2, conditions: [ready] }))),
      'well: hive table sales is in paris, for 2 claims',
    );
    const nowhere = condition('Ready', 'False', 'NoCluster', 'no registered cluster has it');
    const explanation = explainSource(source({ conditions: [nowhere] }));
    assert.equal(toldOf(explanation), 'waiting: no registered cluster has it');
    assert.equal(explanation.todo, 'Correct the locality, or register the cluster.');
  });
});

describe('explains queues, triggers and others', () => {
  it('a closed queue with a backlog says how to open it', () => {
    const queue = (closed: string, pending: number): Queue =>
      ({
        metadata: { name: 'research', annotations: { 'queue.perigee.io/closed': closed } },
        spec: {},
        status: { pending },
      }) as never;
    const closed = explainQueue(queue('true', 3));
    assert.match(toldOf(closed), /^waiting: closed: it lets nothing new through; .*3 waiting$/);
    assert.equal(closed.todo, 'Open it: `perigee queue open research`.');
    assert.equal(explainQueue(queue('false', 3)).state, 'well');
  });

  it('a trigger names each target that did not move', () => {
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
    const trigger = {
      metadata: { name: 'back' },
      status: {
        phase: 'Failed',
        targets: [{ ...target, result: 'Failed', message: 'it has no binding' }],
        conditions: [condition('Complete', 'False', 'TargetsFailed', '1 of 1 failed')],
      },
    } as never as ScheduleTrigger;
    const explanation = explainTrigger(trigger);
    assert.equal(toldOf(explanation), 'failed: 1 of 1 failed');
    assert.deepEqual(explanation.facts, [
      { name: 'Deployment shop/web', value: 'Failed: it has no binding' },
    ]);
    assert.equal(explanation.todo, 'See status.failedResourceList.');
  });

  it('a rebalancer counts its results', () => {
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'shop' };
    const observedWorkloads = [
      { workload, result: 'Successful' },
      { workload, result: 'Failed', reason: 'ReferencedBindingNotFound' },
    ];
    const rebalancer = {
      metadata: { name: 'r' },
      spec: { workloads: [workload, workload] },
      status: { observedWorkloads, finishTime: TIME },
    } as never as WorkloadRebalancer;
    assert.equal(
      toldOf(explainRebalancer(rebalancer)),
      'failed: 1 of 2 resources told to be scheduled afresh, 1 failed',
    );
  });

  it('other kinds are explained by the condition that is bad', () => {
    const object = (...conditions: object[]) =>
      ({
        apiVersion: 'v1',
        kind: 'Thing',
        metadata: { name: 't' },
        status: { conditions },
      }) as never;
    const good = condition('Synced', 'True', 'Fine', 'all is well');
    const ready = condition('Ready', 'True', 'Ready', 'it is ready');
    assert.equal(
      toldOf(explainByConditions(object(good, ready))),
      'well: Ready is True: it is ready',
    );
    const bad = condition('Ready', 'False', 'Down', 'it is down');
    assert.equal(
      toldOf(explainByConditions(object(good, bad))),
      'waiting: Ready is False: it is down',
    );
    assert.match(toldOf(explainByConditions(object())), /^well: it is there; it is not work/);
  });
});

describe('explains a policy', () => {
  const policy = {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { namespace: 'lab', name: 'web' },
    spec: {},
  } as never as AnyPolicy;
  const selector = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'lab', name: 'wbe' };
  const binding = (name: string, spec: object, status: object = {}): Binding =>
    ({
      metadata: { namespace: 'lab', name },
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'lab', name },
        ...spec,
      },
      status,
    }) as never;

  it('that selects in vain names what was meant', () => {
    const selections = [{ selector, isThere: false, names: ['web', 'db'] }];
    assert.equal(
      toldOf(explainPolicy(policy, { bindings: { value: [] }, selections })),
      'waiting: it propagates nothing: no Deployment is named `wbe` in the namespace lab: did you mean `web`?',
    );
  });

  it('whose resource another policy has names that', () => {
    const hasIt = 'the PropagationPolicy lab/other';
    const selections = [
      { selector: { ...selector, name: 'web' }, isThere: true, names: [], hasIt },
    ];
    assert.match(
      toldOf(explainPolicy(policy, { bindings: { value: [] }, selections })),
      /Deployment web is there, and the PropagationPolicy lab\/other has it$/,
    );
  });

  it('says where its resources are, those first that are nowhere', () => {
    const nowhere = condition('Scheduled', 'False', 'NoClusterFit', '0/3 clusters are available');
    const value = [
      binding('web', { clusters: [{ name: 'paris' }] }),
      binding('db', {}, { conditions: [nowhere] }),
    ];
    const explanation = explainPolicy(policy, { bindings: { value }, selections: [] });
    assert.equal(
      toldOf(explanation),
      'waiting: it propagates Deployment web, Deployment db; 1 of 2 placed nowhere yet',
    );
    assert.deepEqual(explanation.facts, [
      { name: 'Deployment db', value: 'NoClusterFit: 0/3 clusters are available' },
      { name: 'Deployment web', value: 'in paris' },
    ]);
  });

  it('says so when its bindings may not be read', () => {
    const hidden = { hidden: 'you may not read bindings' };
    assert.match(
      toldOf(explainPolicy(policy, { bindings: hidden, selections: [] })),
      /^waiting: what it propagates cannot be read: you may not read bindings$/,
    );
  });
});
