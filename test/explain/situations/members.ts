import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { Situation } from '../situation.ts';
import { FLEET, type SituationWorld } from '../situation-world.ts';
import { addDeployment, addPolicy, on } from '../work-objects.ts';

const override = (world: SituationWorld, path: string, value: unknown, operator = 'replace') =>
  world.create(OverridePolicy, 'change', {
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
      overrideRules: [{ overriders: { plaintext: [{ path, operator, value }] } }],
    },
  });

/** The same world, where objects are made in a member. */
const inMember = (world: SituationWorld, name: string): Pick<SituationWorld, 'create'> => ({
  create: async (kind, objectName, rest) => {
    const metadata = { namespace: world.namespace, name: objectName };
    await world.member(name).create(kind, { ...rest, metadata } as never);
  },
});

const podAnnotations = (annotations: object) => ({
  spec: { template: { metadata: { annotations } } },
});

const failing = (
  name: string,
  fail: string,
  reason: string,
  summary: RegExp,
  none: string,
): Situation => ({
  name,
  make: async (world) => {
    await addDeployment(world, { pods: { 'member.perigee.io/fail': fail } });
    await addPolicy(world, on('member1'));
  },
  reason,
  summary,
  mend: {
    none,
    remedy: (world) =>
      world.patch(Deployment, 'web', podAnnotations({ 'member.perigee.io/fail': null })),
  },
});

const addJob = async (world: SituationWorld, annotations: object): Promise<void> => {
  await world.create(Job, 'batch', {
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { annotations },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1' }] },
      },
    },
  });
  await world.create(PropagationPolicy, 'batch', {
    spec: {
      resourceSelectors: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'batch' }],
      placement: on('member1'),
    },
  });
};

/** Placement that tolerates clusters that are not ready. */
const TOLERATES_LOSS = {
  clusterTolerations: [{ key: 'cluster.karmada.io/not-ready', operator: 'Exists' }],
};

/** From the binding to the pods. */
export const MEMBERS: readonly Situation[] = [
  {
    name: 'override-refused',
    make: async (world) => {
      await addDeployment(world);
      await override(world, '/spec/nothing/here', 1);
      await addPolicy(world, on('member1'));
    },
    reason: 'OverrideRefused',
    summary: /^member1: .*change/,
    mend: { first: 'FixOverride' },
  },
  {
    name: 'member-refuses',
    make: async (world) => {
      await addDeployment(world);
      await override(world, '/spec/selector/matchLabels/app', 'other');
      await addPolicy(world, on('member1'));
    },
    reason: 'ApplyFailed',
    summary: /^member1 did not take it: .*selector/,
    mend: { first: 'FixOverride' },
  },
  {
    name: 'exists-in-member',
    make: async (world) => {
      await addDeployment(world);
      await world.settle();
      const theirs = { ...world, client: world.member('member1') };
      await theirs.client.create(Deployment, {
        metadata: { namespace: world.namespace, name: 'web' },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: 'theirs' } },
          template: {
            metadata: { labels: { app: 'theirs' } },
            spec: { containers: [{ name: 'main', image: 'theirs:1' }] },
          },
        },
      });
      await addPolicy(world, on('member1'));
    },
    reason: 'ConflictInMember',
    summary: /^member1 did not take it: .*exists in cluster member1 and is not managed from here/,
    mend: { first: 'AvoidCluster' },
  },
  {
    name: 'same-work-in-member',
    make: async (world) => {
      await addDeployment(world);
      await world.settle();
      await addDeployment({ ...world, ...inMember(world, 'member1') });
      await addPolicy(world, on('member1'));
    },
    reason: 'ConflictInMember',
    summary: /^member1 did not take it: .*exists in cluster member1 and is not managed from here/,
    mend: { first: 'TakeOver' },
  },
  {
    name: 'namespace-not-in-member',
    labels: { 'namespace.karmada.io/skip-auto-propagation': 'true' },
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('member1'));
    },
    reason: 'NamespaceMissing',
    summary: /^member1 did not take it: namespaces "namespace-not-in-member" not found$/,
    mend: { first: 'PropagateNamespace' },
  },
  {
    name: 'cluster-lost-before',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on(FLEET.lost));
    },
    reason: 'NoClusterFit',
    summary: /^no cluster fits: member4: not ready since \S+ \(taint/,
    mend: { first: 'AvoidCluster' },
  },
  {
    name: 'named-cluster-left-out',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('member1', FLEET.lost));
    },
    reason: 'LeftOut',
    summary:
      /^2 of 2 replicas ready, but the policy names member4 as well, which is left out: not ready/,
    mend: { first: 'AvoidCluster' },
  },
  {
    name: 'cluster-lost',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, { ...on(FLEET.lost), ...TOLERATES_LOSS });
    },
    reason: 'ClusterUnreachable',
    summary: /^member4 is not reachable since \S+$/,
    mend: { first: 'AvoidCluster' },
  },
  {
    name: 'one-cluster-of-two-lost',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, { ...on('member1', FLEET.lost), ...TOLERATES_LOSS });
    },
    reason: 'ClusterUnreachable',
    summary: /^2 of 4 replicas ready: member4 is not reachable since/,
    mend: { first: 'AvoidCluster' },
  },
  failing(
    'image-not-pulled',
    'image-pull',
    'ImageNotPulled',
    /^2 pods in member1: the image `app:1` cannot be pulled: Back-off pulling image/,
    'only whoever builds images knows one that can be pulled',
  ),
  failing(
    'crash-loop',
    'crash-loop',
    'CrashLoop',
    /^2 pods in member1: the container main ends again and again, the last time with exit code 1$/,
    'the program itself ends',
  ),
  {
    name: 'config-missing',
    make: async (world) => {
      const envFrom = [{ configMapRef: { name: 'settings' } }];
      await addDeployment(world, { container: { envFrom } });
      await world.create(ConfigMap, 'settings', { data: { mode: 'fast' } });
      await addPolicy(world, on('member1'));
    },
    reason: 'ConfigMissing',
    summary: /^2 pods in member1: the container main cannot start: configmap "settings" not found/,
    mend: { first: 'PropagateDependencies' },
  },
  {
    name: 'volume-missing',
    make: async (world) => {
      const volumes = [{ name: 'settings', configMap: { name: 'settings' } }];
      const volumeMounts = [{ name: 'settings', mountPath: '/settings' }];
      await addDeployment(world, { container: { volumeMounts }, spec: { volumes } });
      await world.create(ConfigMap, 'settings', { data: { mode: 'fast' } });
      await addPolicy(world, on('member1'));
    },
    reason: 'ConfigMissing',
    summary: /^2 pods in member1: .*configmap "settings" not found/,
    mend: { first: 'PropagateDependencies' },
  },
  {
    name: 'config-nowhere',
    make: async (world) => {
      const envFrom = [{ configMapRef: { name: 'settings' } }];
      await addDeployment(world, { container: { envFrom } });
      await addPolicy(world, on('member1'));
    },
    reason: 'ConfigMissing',
    summary: /^2 pods in member1: the container main cannot start: configmap "settings" not found/,
    mend: {
      none: 'nobody but its author knows what the ConfigMap is to say',
      remedy: async (world) => {
        await world.create(ConfigMap, 'settings', { data: { mode: 'fast' } });
        await world.patch(PropagationPolicy, 'web', { spec: { propagateDeps: true } });
      },
    },
  },
  {
    name: 'secret-missing',
    make: async (world) => {
      const envFrom = [{ secretRef: { name: 'password' } }];
      await addDeployment(world, { container: { envFrom } });
      await world.create(Secret, 'password', { data: {} });
      await addPolicy(world, on('member1'));
    },
    reason: 'ConfigMissing',
    summary: /^2 pods in member1: the container main cannot start: secret "password" not found/,
    mend: { first: 'PropagateDependencies' },
  },
  {
    name: 'claim-of-volume-not-in-member',
    make: async (world) => {
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
      const volumeMounts = [{ name: 'data', mountPath: '/data' }];
      await addDeployment(world, { container: { volumeMounts }, spec: { volumes } });
      const resources = { requests: { storage: '1Gi' } };
      await world.create(PersistentVolumeClaim, 'data', {
        spec: { accessModes: ['ReadWriteOnce'], resources },
      });
      await addPolicy(world, on('member1'));
    },
    reason: 'PodUnschedulable',
    summary: /^2 pods in member1: no node takes them: .*persistentvolumeclaim "data" not found/,
    mend: { first: 'PropagateDependencies' },
  },
  {
    name: 'claim-of-volume-missing',
    make: async (world) => {
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
      const volumeMounts = [{ name: 'data', mountPath: '/data' }];
      await addDeployment(world, { container: { volumeMounts }, spec: { volumes } });
      await addPolicy(world, on('member1'));
    },
    reason: 'PodUnschedulable',
    summary: /^2 pods in member1: no node takes them: .*persistentvolumeclaim "data" not found/,
    mend: { none: 'nothing says how large the volume is to be' },
  },
  {
    name: 'no-node-has-room',
    make: async (world) => {
      await addDeployment(world, { cpu: '64' });
      await addPolicy(world, on(FLEET.spares[1]));
    },
    reason: 'PodUnschedulable',
    summary: /^2 pods in member8: no node takes them: 0\/3 nodes are available: 3 Insufficient cpu/,
    mend: { first: 'SmallerRequests' },
  },
  {
    name: 'no-node-is-selected',
    make: async (world) => {
      await addDeployment(world, { spec: { nodeSelector: { gpu: 'a100' } } });
      await addPolicy(world, on('member1'));
    },
    reason: 'PodUnschedulable',
    summary: /^2 pods in member1: no node takes them: .*didn't match Pod's node affinity\/selector/,
    mend: { first: 'FixNodeSelector' },
  },
  {
    name: 'member-full',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on(FLEET.full));
    },
    reason: 'PodUnschedulable',
    summary: /^2 pods in member6: no node takes them: .*Too many pods/,
    mend: { first: 'AvoidCluster' },
  },
  {
    name: 'never-ready',
    make: async (world) => {
      await addDeployment(world, { pods: { 'member.perigee.io/ready-delay': '10h' } });
      await addPolicy(world, on('member1'));
    },
    reason: 'PodsNotReady',
    summary: /^2 pods in member1: the containers run, and are not ready$/,
    mend: {
      none: 'the program itself does not get ready',
      remedy: (world) =>
        world.patch(Deployment, 'web', podAnnotations({ 'member.perigee.io/ready-delay': null })),
    },
  },
  {
    name: 'job-failed',
    target: 'job/batch',
    make: (world) => addJob(world, { 'member.perigee.io/exit-code': '3' }),
    reason: 'WorkFailed',
    summary: /^it failed in member1: BackoffLimitExceeded/,
    mend: { none: 'the program itself failed, and a Job that has failed does not start again' },
  },
  {
    name: 'job-is-over',
    target: 'job/batch',
    make: (world) => addJob(world, {}),
    reason: 'Finished',
    summary: /^finished on member1$/,
    mend: { none: 'it has done what it was for' },
  },
  {
    name: 'scaled-to-zero',
    make: async (world) => {
      await addDeployment(world, { replicas: 0 });
      await addPolicy(world, on('member1'));
    },
    reason: 'ScaledToZero',
    summary: /^it asks for no replicas: spec\.replicas is 0$/,
    mend: { first: 'MoreReplicas' },
  },
];
