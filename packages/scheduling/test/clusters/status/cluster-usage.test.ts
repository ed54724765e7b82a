import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceModel } from '@perigee/api/kinds/clusters/resource-models';
import { defaultResourceModels } from '@perigee/api/kinds/clusters/standard-resource-models';
import { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { nodeFacts } from '@perigee/scheduling/clusters/status/node-facts';
import { podUsage } from '@perigee/scheduling/clusters/status/pod-usage';
import type { JsonObject } from '@perigee/schema/json';
import fc from 'fast-check';

const MODELS = defaultResourceModels() as unknown as readonly ResourceModel[];

const node = (cpu: string, memory: string, { pods = '110', ready = 'True' } = {}): JsonObject => ({
  status: {
    allocatable: { cpu, memory, pods },
    conditions: [{ type: 'Ready', status: ready }],
  },
});

const pod = (
  cpu: string,
  { on, phase = 'Running', memory = '1Gi' }: { on?: string; phase?: string; memory?: string } = {},
): JsonObject => ({
  spec: {
    ...(on === undefined ? {} : { nodeName: on }),
    containers: [{ name: 'c', resources: { requests: { cpu, memory } } }],
  },
  status: { phase },
});

const gradesOf = (usage: ClusterUsage, models = MODELS) =>
  (usage.resourceSummary(models).allocatableModelings ?? []).map(({ count }) => count);

describe('what a cluster has', () => {
  it('counts nodes, and those that are ready', () => {
    const usage = new ClusterUsage();
    usage.setNode('n1', nodeFacts(node('4', '16Gi')));
    usage.setNode('n2', nodeFacts(node('4', '16Gi', { ready: 'Unknown' })));
    usage.setNode('n3', nodeFacts({}));
    assert.deepEqual(usage.nodeSummary(), { totalNum: 3, readyNum: 1 });
    usage.setNode('n2', nodeFacts(node('4', '16Gi')));
    usage.setNode('n1', undefined);
    assert.deepEqual(usage.nodeSummary(), { totalNum: 2, readyNum: 1 });
  });

  it('sums what pods with and without a node ask for', () => {
    const usage = new ClusterUsage();
    usage.setNode('n1', nodeFacts(node('4', '16Gi')));
    usage.setNode('n2', nodeFacts(node('3500m', '16384Mi')));
    usage.setPod('a', podUsage(pod('500m', { on: 'n1' })));
    usage.setPod('b', podUsage(pod('250m', { on: 'n2', memory: '512Mi' })));
    usage.setPod('c', podUsage(pod('2')));
    usage.setPod('d', podUsage(pod('1', { on: 'n1', phase: 'Succeeded' })));
    usage.setPod('e', podUsage(pod('1', { on: 'n1', phase: 'Failed' })));
    assert.deepEqual(usage.resourceSummary(), {
      allocatable: { cpu: '7500m', memory: '32Gi', pods: '220' },
      allocated: { cpu: '750m', memory: '1536Mi', pods: '2' },
      allocating: { cpu: '2', memory: '1Gi', pods: '1' },
    });
    usage.setPod('c', podUsage(pod('2', { on: 'n2' })));
    usage.setPod('a', podUsage(pod('500m', { on: 'n1', phase: 'Succeeded' })));
    usage.setPod('b', undefined);
    const { allocated, allocating } = usage.resourceSummary();
    assert.deepEqual(allocated, { cpu: '2', memory: '1Gi', pods: '1' });
    assert.deepEqual(allocating, {});
  });

  it('lets the largest init container of each pod count', () => {
    const usage = new ClusterUsage();
    const large = { name: 'i', resources: { requests: { cpu: '2' } } };
    const small = { name: 'c', resources: { requests: { cpu: '1' } } };
    for (const key of ['a', 'b']) {
      usage.setPod(key, podUsage({ spec: { initContainers: [large], containers: [small] } }));
    }
    assert.equal(usage.resourceSummary().allocating?.cpu, '4');
  });

  it('sums more bytes than a number can tell', () => {
    const usage = new ClusterUsage();
    for (const name of ['a', 'b', 'c']) usage.setNode(name, nodeFacts(node('1', '4Pi')));
    assert.equal(usage.resourceSummary().allocatable?.memory, '12Pi');
  });

  it('grades nodes by what they have left', () => {
    const usage = new ClusterUsage();
    usage.setNode('tiny', nodeFacts(node('500m', '1Gi')));
    usage.setNode('two', nodeFacts(node('2', '16Gi')));
    usage.setNode('lean', nodeFacts(node('64', '4Gi')));
    usage.setNode('huge', nodeFacts(node('256', '2Ti')));
    assert.deepEqual(gradesOf(usage), [1, 1, 1, 0, 0, 0, 0, 0, 1]);
    usage.setPod('a', podUsage(pod('200', { on: 'huge' })));
    usage.setPod('b', podUsage(pod('1', { on: 'two', memory: '0' })));
    assert.deepEqual(gradesOf(usage), [1, 2, 0, 0, 0, 0, 1, 0, 0]);
  });

  it('leaves out a node that takes no more pods, and no other', () => {
    const usage = new ClusterUsage();
    usage.setNode('full', nodeFacts(node('8', '64Gi', { pods: '1' })));
    usage.setNode('free', nodeFacts(node('8', '64Gi')));
    usage.setPod('a', podUsage(pod('1', { on: 'full' })));
    assert.deepEqual(gradesOf(usage), [0, 0, 0, 0, 1, 0, 0, 0, 0]);
  });

  it('leaves out a node that is overbooked beyond the least grade', () => {
    const usage = new ClusterUsage();
    usage.setNode('n1', nodeFacts(node('1', '1Gi')));
    usage.setPod('a', podUsage(pod('2', { on: 'n1' })));
    assert.deepEqual(gradesOf(usage), [0, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('says nothing of grades without models', () => {
    const usage = new ClusterUsage();
    usage.setNode('n1', nodeFacts(node('1', '1Gi')));
    assert.equal('allocatableModelings' in usage.resourceSummary([]), false);
  });

  it('comes to the same, whatever came and went before', () => {
    const amount = fc.integer({ min: 1, max: 4000 }).map((milli) => `${milli}m`);
    const where = fc.constantFrom(undefined, 'n1', 'n2');
    const change = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      pod: fc.option(fc.record({ cpu: amount, on: where }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const nodes = [
          ['n1', nodeFacts(node('16', '64Gi'))],
          ['n2', nodeFacts(node('32', '64Gi'))],
        ] as const;
        const [grown, fresh] = [new ClusterUsage(), new ClusterUsage()];
        for (const usage of [grown, fresh]) {
          for (const [name, facts] of nodes) usage.setNode(name, facts);
        }
        const usageOf = (one: (typeof changes)[number]['pod']) =>
          one && podUsage(pod(one.cpu, one.on === undefined ? {} : { on: one.on }));
        for (const { key, pod: one } of changes) grown.setPod(key, usageOf(one));
        const last = new Map(changes.map(({ key, pod: one }) => [key, one]));
        for (const [key, one] of last) fresh.setPod(key, usageOf(one));
        assert.deepEqual(grown.resourceSummary(MODELS), fresh.resourceSummary(MODELS));
      }),
      { numRuns: 60 },
    );
  });
});
