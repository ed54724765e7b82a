import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import type { Situation } from '../situation.ts';
import { FLEET, type SituationWorld } from '../situation-world.ts';
import { addDeployment, addPolicy, BY_ROOM, on } from '../work-objects.ts';

const withAffinity = (name: string, clusterAffinity: object, summary: RegExp): Situation => ({
  name,
  make: async (world) => {
    await addDeployment(world);
    await addPolicy(world, { clusterAffinity });
  },
  reason: 'NoClusterFit',
  summary,
  mend: { first: 'FixAffinity' },
});

const field = (key: string, ...values: readonly string[]) => ({
  fieldSelector: { matchExpressions: [{ key, operator: 'In', values }] },
});

const WIDGET: ResourceKind = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

/** A kind of its own, which only the control plane serves. */
const addWidgets = async (world: SituationWorld): Promise<void> => {
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  await world.create(CustomResourceDefinition, 'widgets.example.com', {
    spec: {
      group: WIDGET.group,
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  // A definition is served a moment after it was written.
  await world.settle();
};

/** Situations in which no cluster satisfies the policy, the filters and the room at once. */
export const FILTERS: readonly Situation[] = [
  {
    name: 'cluster-name-misspelt',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('menber1'));
    },
    reason: 'UnknownCluster',
    summary: /^no cluster is named `menber1`: did you mean `member1`\?$/,
    mend: { first: 'FixClusterName' },
  },
  withAffinity(
    'label-has-another-value',
    { clusterNames: ['member1'], labelSelector: { matchLabels: { tier: 'gold' } } },
    /member1: label `tier` is `silver`, the policy wants `gold`/,
  ),
  withAffinity(
    'label-missing',
    { clusterNames: ['member2'], labelSelector: { matchLabels: { tier: 'gold' } } },
    /member2: no label `tier`, the policy wants `gold`/,
  ),
  withAffinity(
    'label-not-wanted',
    {
      clusterNames: ['member1'],
      labelSelector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['silver'] }] },
    },
    /member1: label `tier` is `silver`, and the policy wants anything but `silver`/,
  ),
  withAffinity(
    'provider-differs',
    { clusterNames: ['member1'], ...field('provider', 'aws') },
    /member1: provider `aws` wanted, this is `aurora`/,
  ),
  withAffinity(
    'region-differs',
    { clusterNames: ['member1'], ...field('region', 'eu-north') },
    /member1: region `eu-north` wanted, this is `eu-west`/,
  ),
  withAffinity(
    'zone-differs',
    { clusterNames: ['member1'], ...field('zone', 'eu-west-9') },
    /member1: zone `eu-west-9` wanted, this is `eu-west-1`/,
  ),
  {
    name: 'excluded',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, {
        clusterAffinity: { clusterNames: ['member1'], exclude: ['member1'] },
      });
    },
    reason: 'NoClusterFit',
    summary: /member1: the policy excludes this name/,
    mend: { first: 'AddClusterToAffinity' },
  },
  {
    name: 'taint-not-tolerated',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on(FLEET.tainted));
    },
    reason: 'NoClusterFit',
    summary: /member5: taint `repair:NoSchedule`, and the policy tolerates no taints/,
    mend: { first: 'TolerateTaint' },
  },
  {
    name: 'other-taint-tolerated',
    make: async (world) => {
      await addDeployment(world);
      const clusterTolerations = [{ key: 'gpu', operator: 'Equal', value: 'yes' }];
      await addPolicy(world, { ...on(FLEET.tainted), clusterTolerations });
    },
    reason: 'NoClusterFit',
    summary: /member5: taint `repair:NoSchedule`, and the policy tolerates only gpu=yes:\*/,
    mend: { first: 'TolerateTaint' },
  },
  {
    name: 'kind-not-served',
    target: 'widget/web',
    make: async (world) => {
      await addWidgets(world);
      await world.create(WIDGET, 'web', { apiVersion: 'example.com/v1', kind: 'Widget', spec: {} });
      await world.create(PropagationPolicy, 'web', {
        spec: {
          resourceSelectors: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'web' }],
          placement: on('member1'),
        },
      });
    },
    reason: 'NoClusterFit',
    summary: /member1: Widget of example\.com\/v1 is not served there/,
    mend: { first: 'ServeApi' },
  },
  {
    name: 'group-is-here',
    make: async (world) => {
      const labels = { pair: 'a' };
      const placement = {
        ...on('member1'),
        workloadAffinity: { antiAffinity: { groupByLabelKey: 'pair' } },
      };
      await addDeployment(world, { labels }, 'other');
      const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'Deployment' }];
      await addPolicy(world, placement, { resourceSelectors });
      await world.settle();
      await addDeployment(world, { labels });
    },
    reason: 'NoClusterFit',
    summary: /member1: the work keeps away from the group pair=a, of which some runs here/,
    mend: { first: 'LeaveGroup' },
  },
  {
    name: 'too-few-regions',
    make: async (world) => {
      await addDeployment(world);
      const spreadConstraints = [
        { spreadByField: 'region', minGroups: 3, maxGroups: 3 },
        { spreadByField: 'cluster', minGroups: 3, maxGroups: 3 },
      ];
      await addPolicy(world, { ...on('member1', 'member2'), spreadConstraints });
    },
    reason: 'Unschedulable',
    summary:
      /2 groups by region, and the spread constraint asks for at least 3\. There are: .*eu-west \(member1\)/,
    mend: { first: 'AddClusterToAffinity' },
  },
  {
    name: 'too-few-clusters',
    make: async (world) => {
      await addDeployment(world);
      const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 3, maxGroups: 5 }];
      await addPolicy(world, { ...on('member1', 'member2'), spreadConstraints });
    },
    reason: 'Unschedulable',
    summary: /2 of the clusters can be used, and the spread constraint asks for at least 3/,
    mend: { first: 'LowerMinGroups' },
  },
  {
    name: 'too-many-replicas',
    make: async (world) => {
      await addDeployment(world, { replicas: 40, cpu: '3' });
      await addPolicy(world, { ...on('member3'), ...BY_ROOM });
    },
    reason: 'Unschedulable',
    summary: /^too little room: of 40 replicas \d+ fit \(\d+ in member3\); \d+ cpu is missing$/,
    mend: { first: 'SmallerRequests' },
  },
  {
    name: 'pods-larger-than-nodes',
    make: async (world) => {
      await addDeployment(world, { cpu: '64' });
      await addPolicy(world, { ...on(FLEET.spares[0]), ...BY_ROOM });
    },
    reason: 'Unschedulable',
    summary:
      /^too little room: of 2 replicas 0 fit \(0 in member7\): each asks for 64 cpu, and no node has more than 8 free$/,
    mend: { first: 'SmallerRequests' },
  },
  {
    name: 'no-node-has-the-label',
    make: async (world) => {
      await addDeployment(world, { spec: { nodeSelector: { gpu: 'a100' } } });
      await addPolicy(world, { ...on('member2'), ...BY_ROOM });
    },
    reason: 'Unschedulable',
    summary: /^too little room: of 2 replicas 0 fit \(0 in member2\)/,
    mend: { first: 'FixNodeSelector' },
  },
];
