import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { Situation } from '../situation.ts';
import type { SituationWorld } from '../situation-world.ts';
import { addDeployment, addPolicy, BY_ROOM, on } from '../work-objects.ts';

const override = (world: SituationWorld, clusterName: string, change: object) =>
  world.create(OverridePolicy, 'change', {
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
      overrideRules: [
        {
          targetCluster: { clusterNames: [clusterName] },
          overriders: { plaintext: [change] },
        },
      ],
    },
  });

/** Work with faults of which one hides the other, or that somebody else made for one cluster. */
export const TWO_FAULTS: readonly Situation[] = [
  {
    name: 'suspended-and-override-refused',
    make: async (world) => {
      await addDeployment(world);
      await override(world, 'member1', { path: '/spec/none/here', operator: 'replace', value: 1 });
      await addPolicy(world, on('member1'), { suspension: { dispatching: true } });
    },
    reason: 'OverrideRefused',
    summary: /^member1: override policy change: there is nothing at \/spec\/none\/here$/,
    mend: { chain: ['ResumeWork', 'FixOverride'] },
  },
  {
    name: 'suspended-and-image-not-pulled',
    make: async (world) => {
      await addDeployment(world, { pods: { 'member.perigee.io/fail': 'image-pull' } });
      const suspension = { dispatchingOnClusters: { clusterNames: ['member2'] } };
      await addPolicy(world, on('member1', 'member2'), { suspension });
    },
    reason: 'DispatchSuspended',
    summary: /^a user has suspended what is sent to member2: /,
    mend: { none: 'without the suspension its pods would still have no image' },
  },
  {
    name: 'misspelt-and-too-little-room',
    make: async (world) => {
      const resources = { requests: { memory: '20Gi' } };
      await addDeployment(world, { replicas: 20, container: { resources } });
      const near = { affinityName: 'near', clusterNames: ['member3'] };
      const far = { affinityName: 'far', clusterNames: ['menber2'] };
      await addPolicy(world, { clusterAffinities: [near, far], ...BY_ROOM });
    },
    reason: 'Unschedulable',
    // The name that no cluster has would not have helped.
    summary:
      /^too little room: of 20 replicas \d+ fit \(\d+ in member3\); \S+Gi memory is missing$/,
    mend: { first: 'SmallerRequests' },
  },
  {
    name: 'no-node-and-secret-not-sent',
    make: async (world) => {
      const envFrom = [{ secretRef: { name: 'password' } }];
      await addDeployment(world, { container: { envFrom }, spec: { nodeSelector: { gpu: 'no' } } });
      await world.create(Secret, 'password', { data: {} });
      await addPolicy(world, on('member1'));
    },
    reason: 'PodUnschedulable',
    // On a node, the pods would next have found that the Secret is not there.
    summary: /^2 pods in member1: no node takes them: /,
    mend: { chain: ['PropagateDependencies', 'FixNodeSelector'] },
  },
  {
    name: 'misspelt-and-scaled-to-zero',
    make: async (world) => {
      await addDeployment(world, { replicas: 0 });
      await addPolicy(world, on('menber1'));
    },
    reason: 'UnknownCluster',
    summary: /^no cluster is named `menber1`: did you mean `member1`\?$/,
    mend: { chain: ['FixClusterName', 'MoreReplicas'] },
  },
  {
    name: 'config-not-sent-and-secret-nowhere',
    make: async (world) => {
      await world.create(ConfigMap, 'settings', { data: { mode: 'fast' } });
      const envFrom = [
        { configMapRef: { name: 'settings' } },
        { secretRef: { name: 'password' } },
        { secretRef: { name: 'spare', optional: true } },
      ];
      await addDeployment(world, { container: { envFrom } });
      await addPolicy(world, on('member1'));
    },
    reason: 'ConfigMissing',
    summary: /^2 pods in member1: the container main cannot start: configmap "settings" not found$/,
    mend: {
      none: 'nobody knows what the Secret should hold, and without it the pods do not start',
    },
  },
  {
    name: 'override-selects-no-node',
    make: async (world) => {
      await addDeployment(world);
      const value = { disk: 'ssd' };
      const path = '/spec/template/spec/nodeSelector';
      await override(world, 'member2', { path, operator: 'add', value });
      await addPolicy(world, on('member1', 'member2'));
    },
    reason: 'PodUnschedulable',
    summary: /^2 of 4 replicas ready: 2 pods in member2: no node takes them: .*affinity\/selector/,
    mend: { first: 'FixOverride' },
  },
  {
    name: 'override-of-the-wrong-type',
    make: async (world) => {
      await addDeployment(world);
      const path = '/spec/template/spec/containers/0/image';
      await override(world, 'member1', { path, operator: 'replace', value: 5 });
      await addPolicy(world, on('member1'));
    },
    reason: 'ApplyFailed',
    summary: /^member1 did not take it: .*spec\.template\.spec\.containers\[0\]\.image/,
    mend: { first: 'FixOverride' },
  },
  {
    name: 'too-few-regions-and-clusters',
    make: async (world) => {
      await addDeployment(world);
      const of = (spreadByField: string) => ({ spreadByField, minGroups: 5, maxGroups: 5 });
      const spreadConstraints = [of('region'), of('cluster')];
      await addPolicy(world, { ...on('member1', 'member2'), spreadConstraints });
    },
    reason: 'Unschedulable',
    summary: /groups by region, and the spread constraint asks for at least 5/,
    mend: { chain: ['LowerMinGroups', 'LowerMinGroups'] },
  },
  {
    name: 'no-node-in-the-zone',
    make: async (world) => {
      const matchExpressions = [{ key: 'zone', operator: 'In', values: ['moon'] }];
      const requiredDuringSchedulingIgnoredDuringExecution = {
        nodeSelectorTerms: [{ matchExpressions }],
      };
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } };
      await addDeployment(world, { spec: { affinity } });
      await addPolicy(world, { ...on('member2'), ...BY_ROOM });
    },
    reason: 'Unschedulable',
    summary: /^too little room: .*: no node takes them, which ask for zone In \(moon\)$/,
    mend: { first: 'FixNodeSelector' },
  },
  {
    name: 'override-takes-all-replicas',
    make: async (world) => {
      await addDeployment(world);
      await override(world, 'member1', { path: '/spec/replicas', operator: 'replace', value: 0 });
      await addPolicy(world, on('member1'));
    },
    reason: 'ScaledToZero',
    summary: /^override policies let it have no replicas in any of its clusters$/,
    mend: {
      none: 'an override may well be there to keep work from running',
      remedy: async (world) => {
        await world.remove(OverridePolicy, 'change');
        await world.patch(Deployment, 'web', { spec: { replicas: 3 } });
      },
    },
  },
];
