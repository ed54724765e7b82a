import { Job as VolcanoJob } from '@perigee/api/kinds/groups/job';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { DaemonSet } from '@perigee/kubernetes/apps/daemon-set';
import { StatefulSet } from '@perigee/kubernetes/apps/stateful-set';
import { CronJob } from '@perigee/kubernetes/batch/cron-job';
import { Job } from '@perigee/kubernetes/batch/job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import type { Situation } from '../situation.ts';
import { FLEET, type SituationWorld } from '../situation-world.ts';
import { addDeployment, BY_ROOM, on } from '../work-objects.ts';

const policy = (world: SituationWorld, kind: string, apiVersion: string, placement: object) =>
  world.create(PropagationPolicy, 'it', {
    spec: { resourceSelectors: [{ apiVersion, kind, name: 'it' }], placement },
  });

const podTemplate = (cpu: string, annotations: object = {}, restartPolicy = 'Always') => ({
  metadata: { labels: { app: 'it' }, annotations },
  spec: {
    restartPolicy,
    containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }],
  },
});

const selector = { matchLabels: { app: 'it' } };

const LONG = { 'member.perigee.io/run-for': '10h' };

const volcanoJob = (queue: string) => ({
  spec: {
    queue,
    tasks: [{ name: 'work', replicas: 3, template: podTemplate('1', LONG, 'Never') }],
  },
});

const GADGET = {
  group: 'example.com',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
} as const;

/** A kind of its own, which a policy sends to one of the members. */
const addGadgets = async (world: SituationWorld): Promise<void> => {
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  const name = 'gadgets.example.com';
  await world.create(CustomResourceDefinition, name, {
    spec: {
      group: GADGET.group,
      names: { kind: GADGET.kind, plural: GADGET.plural },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await world.create(ClusterPropagationPolicy, 'gadgets', {
    spec: {
      resourceSelectors: [
        { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name },
      ],
      placement: on('member1'),
    },
  });
  await world.settle(45_000);
};

/** Work other than Deployments. */
export const KINDS: readonly Situation[] = [
  {
    name: 'stateful-set-larger-than-nodes',
    target: 'statefulset/it',
    make: async (world) => {
      const spec = { serviceName: 'it', replicas: 2, selector, template: podTemplate('9') };
      await world.create(StatefulSet, 'it', { spec });
      await policy(world, 'StatefulSet', 'apps/v1', { ...on(FLEET.spares[2]), ...BY_ROOM });
    },
    reason: 'Unschedulable',
    summary: /: each asks for 9 cpu, and no node has more than 8 free$/,
    mend: { first: 'SmallerRequests' },
  },
  {
    name: 'daemon-set-larger-than-nodes',
    target: 'daemonset/it',
    make: async (world) => {
      await world.create(DaemonSet, 'it', { spec: { selector, template: podTemplate('100') } });
      await policy(world, 'DaemonSet', 'apps/v1', on(FLEET.spares[3]));
    },
    reason: 'PodUnschedulable',
    summary: /^3 pods in member10: no node takes them: .*Insufficient cpu/,
    mend: { first: 'SmallerRequests' },
  },
  {
    name: 'cron-job-without-policy',
    target: 'cronjob/it',
    make: (world) =>
      world.create(CronJob, 'it', {
        spec: {
          schedule: '0 3 1 1 *',
          jobTemplate: { spec: { template: podTemplate('0', {}, 'Never') } },
        },
      }),
    reason: 'NoPolicy',
    summary: /^no propagation policy selects it/,
    mend: { first: 'AddPolicy' },
  },
  {
    name: 'no-policy-and-config-not-sent',
    make: async (world) => {
      await world.create(ConfigMap, 'settings', { data: { mode: 'fast' } });
      await addDeployment(world, {
        container: { envFrom: [{ configMapRef: { name: 'settings' } }] },
      });
    },
    reason: 'NoPolicy',
    summary: /^no propagation policy selects it/,
    mend: { first: 'AddPolicy' },
  },
  {
    name: 'job-with-three-faults',
    target: 'job/it',
    make: (world) =>
      world.create(Job, 'it', {
        metadata: { labels: { 'volcano.sh/queue-name': 'not-there-yet' } },
        spec: { suspend: true, template: podTemplate('0', LONG, 'Never') },
      }),
    reason: 'NoPolicy',
    summary: /^no propagation policy selects it/,
    mend: { chain: ['AddPolicy', 'AddQueue', 'ResumeWork'] },
  },
  {
    name: 'volcano-job-misspelt-and-too-large',
    target: 'jobs.batch.volcano.sh/it',
    make: async (world) => {
      await world.create(Queue, 'narrow', { spec: { capability: { cpu: '2' } } });
      await world.create(VolcanoJob, 'it', volcanoJob('narrow'));
      await policy(world, 'Job', 'batch.volcano.sh/v1alpha1', on('menber2'));
    },
    reason: 'NeverFits',
    summary: /^it asks for cpu 3, cpu 1 more than the whole capability of the queue narrow/,
    mend: { chain: ['FixClusterName', 'RaiseQueue'] },
  },
  {
    name: 'definition-sent-to-one-of-two',
    target: 'gadgets.example.com/it',
    make: async (world) => {
      await addGadgets(world);
      await world.create(GADGET, 'it', { spec: {} });
      await policy(world, 'Gadget', 'example.com/v1', on('member1', 'member2'));
    },
    reason: 'LeftOut',
    summary:
      /^in place on member1, but the policy names member2 as well, which is left out: Gadget of example\.com\/v1 is not served there$/,
    mend: { first: 'ServeApi' },
  },
];
