import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { podGroupControllers } from '@perigee/controllers/groups/pod-group-controllers';
import { podGroupClusterRoles, podGroupRoles } from '@perigee/controllers/groups/pod-groups-access';
import { volcanoMakesGroups } from '@perigee/controllers/groups/volcano-makes-groups';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { parseYaml } from '@perigee/kube/yaml/parse-yaml';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { DaemonSet } from '@perigee/kubernetes/apps/daemon-set';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { StatefulSet } from '@perigee/kubernetes/apps/stateful-set';
import { CronJob } from '@perigee/kubernetes/batch/cron-job';
import { Job } from '@perigee/kubernetes/batch/job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startMember } from '@perigee/member/start-member';
import { perigee } from '../../packages/cli/test/command-line.ts';
import { podGroupsRbac } from '../../tools/pod-group-files.ts';
import { deploymentOf, grouped } from './cluster.ts';

const VERBS = new Set(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']);

const LATE_MS = 2000;
const IS_OWNER = /deployments|replicasets|statefulsets|daemonsets|jobs|workflows/;

/** Delays the events of a watch: a pod can arrive before its owner. */
async function* late<T>(events: AsyncIterable<T>, clock: VirtualClock): AsyncGenerator<T> {
  for await (const event of events) {
    await clock.sleep(LATE_MS);
    yield event;
  }
}

/** A client of which each use is noted, as a rule would name it. */
const noting = (client: Client, used: Set<string>, clock: VirtualClock): Client =>
  new Proxy(client, {
    get: (target, verb) => {
      const call = Reflect.get(target, verb);
      if (typeof call !== 'function') return call;
      return (...args: unknown[]) => {
        const kind = args[0] as ResourceKind;
        if (VERBS.has(String(verb))) used.add(`${String(verb)} ${kind.plural}.${kind.group}`);
        const result = call.apply(target, args);
        return verb === 'watch' && IS_OWNER.test(kind.plural) ? late(result, clock) : result;
      };
    },
  });

const WORKFLOW = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Workflow',
  plural: 'workflows',
  scope: 'Namespaced',
} as ResourceKind;

/** A pod of every kind of owner that the roles name, each as its controller would make it. */
const ownAll = async (client: Client, suffix: string): Promise<void> => {
  const template = grouped('owned');
  const ended = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
  const selector = { matchLabels: template.metadata?.labels };
  const owners = [
    [Deployment, { selector, template, replicas: 0 }],
    [ReplicaSet, { selector, template, replicas: 0 }],
    [StatefulSet, { selector, template, serviceName: 'owned', replicas: 0 }],
    [DaemonSet, { selector, template, updateStrategy: { type: 'OnDelete' } }],
    [Job, { template: ended, suspend: true }],
    [CronJob, { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: ended } } }],
    [WORKFLOW, {}],
  ] as const;
  for (const [kind, spec] of owners) {
    const name = `${kind.kind.toLowerCase()}-${suffix}`;
    const metadata = { namespace: 'default', name };
    const made = await client.create(kind, { metadata, spec } as never);
    const { uid } = made.metadata;
    const apiVersion = `${kind.group}/${kind.version}`;
    const owner = { apiVersion, kind: kind.kind, name, uid, controller: true };
    await client.create(Pod, {
      metadata: { namespace: 'default', name: `${name}-pod`, ownerReferences: [owner] },
      spec: template.spec,
    } as never);
  }
};

const defineWorkflows = async (client: Client): Promise<void> => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'workflows.argoproj.io' },
    spec: {
      group: 'argoproj.io',
      scope: 'Namespaced',
      names: { plural: 'workflows', singular: 'workflow', kind: 'Workflow' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
  await client.create(CustomResourceDefinition, crd as never);
};

test('the file with the roles is up to date', () => {
  const file = new URL('../../deploy/pod-groups/rbac.yaml', import.meta.url);
  assert.equal(readFileSync(file, 'utf8'), podGroupsRbac(), 'run `npm run rbac`');
});

test('the Deployment is taken by a server as it is, and runs with the account that has the roles', async () => {
  const clock = new VirtualClock({ seed: 1 });
  await using server = await startEmbeddedServer({ clock, listener: 'none' });
  const read = (file: string) =>
    parseYaml(readFileSync(new URL(`../../deploy/pod-groups/${file}`, import.meta.url), 'utf8'))
      .value as never;
  await server.client.create(Namespace, read('namespace.yaml'));
  const { metadata, spec } = await server.client.create(Deployment, read('podgroups.yaml'));
  const { serviceAccountName, containers } = spec.template.spec as Pod['spec'] & {
    readonly serviceAccountName?: string;
  };
  assert.match(
    podGroupsRbac(),
    new RegExp(
      `kind: ServiceAccount\\n +namespace: ${metadata.namespace}\\n +name: ${serviceAccountName}\\n`,
    ),
  );
  const { code, stdout } = await perigee([...(containers[0]?.args ?? []), '--help']);
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: perigee podgroups/);
});

test('each right of the roles is needed, and none is missing', async () => {
  const clock = new VirtualClock({ seed: 1 });
  const logger = createLogger({ clock, level: 'error' });
  await using server = await startEmbeddedServer({ clock, logger });
  const { client } = server;
  await using _member = await startMember({ client, clock, logger, nodes: [{ count: 1 }] });
  const used = new Set<string>();
  const noted = noting(client, used, clock);
  const controllers = podGroupControllers({ client: noted, clock });
  const lease = { namespace: 'kube-system', name: 'perigee-pod-groups' };
  await using manager = new Manager({
    client: noted,
    clock,
    logger,
    controllers,
    leaderElection: { lease },
  });
  await manager.start();
  await clock.advance(5000);
  const rules = { namespace: 'volcano-system', name: 'volcano-controller-configmap' };
  await client.create(Namespace, { metadata: { name: rules.namespace } });
  const data = { 'volcano-controller.conf': 'podgroupLevel: 1' };
  await client.create(ConfigMap, { metadata: rules, data });
  // Wrong in another way: the same event is told again, with a patch.
  for (const value of ['2', '1', '2', '1']) {
    await clock.advance(3000);
    const body = { data: { 'volcano-controller.conf': `podgroupLevel: ${value}` } };
    await client.patch(ConfigMap, rules, { type: 'merge', body });
  }
  await volcanoMakesGroups(noted, clock);
  await defineWorkflows(client);
  for (const suffix of ['a', 'b']) {
    await clock.advance(20_000);
    await ownAll(client, suffix);
  }
  await clock.advance(20_000);
  const { object } = deploymentOf('web', 1, grouped('web'));
  await client.create(Deployment, object as never);
  await clock.advance(20_000);
  const ref = { namespace: 'default', name: 'web' };
  const annotations = { 'scheduling.volcano.sh/group-min-member': '0' };
  await client.patch(Deployment, ref, { type: 'merge', body: { metadata: { annotations } } });
  await clock.advance(20_000);
  await client.patch(Deployment, ref, { type: 'merge', body: { spec: { replicas: 0 } } });
  await clock.advance(60_000);
  const name = `podgroup-${(await client.get(Deployment, ref)).metadata.uid}`;
  assert.equal(await getOrUndefined(client, PodGroup, { namespace: 'default', name }), undefined);

  const granted = [...podGroupClusterRoles(), ...podGroupRoles()]
    .flatMap((role) => role.rules ?? [])
    .flatMap(({ apiGroups = [], resources = [], verbs = [] }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
      ),
    );
  // Older servers cannot begin a watch with what is there, so that it is listed.
  for (const use of [...used]) {
    if (use.startsWith('watch ') && !use.includes('leases')) used.add(use.replace('watch', 'list'));
  }
  assert.deepEqual([...used].toSorted(), [...new Set(granted)].toSorted());
});
