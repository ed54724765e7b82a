import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { podGroupControllers } from '@perigee/controllers/groups/pod-group-controllers';
import { podGroupClusterRoles, podGroupRoles } from '@perigee/controllers/groups/pod-groups-access';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { startMember } from '@perigee/member/start-member';
import { podGroupsRbac } from '../../tools/pod-group-files.ts';
import { deploymentOf, grouped } from './cluster.ts';

const VERBS = new Set(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']);

/** A client of which each use is noted, as a rule would name it. */
const noting = (client: Client, used: Set<string>): Client =>
  new Proxy(client, {
    get: (target, verb) => {
      const call = Reflect.get(target, verb);
      if (typeof call !== 'function') return call;
      return (...args: unknown[]) => {
        const kind = args[0] as ResourceKind;
        if (VERBS.has(String(verb))) used.add(`${String(verb)} ${kind.plural}.${kind.group}`);
        return call.apply(target, args);
      };
    },
  });

test('the file with the roles is up to date', () => {
  const file = new URL('../../deploy/pod-groups/rbac.yaml', import.meta.url);
  assert.equal(readFileSync(file, 'utf8'), podGroupsRbac(), 'run `npm run rbac`');
});

test('each right of the roles is needed, and none is missing', async () => {
  const clock = new VirtualClock({ seed: 1 });
  const logger = createLogger({ clock, level: 'error' });
  await using server = await startEmbeddedServer({ clock, logger });
  const { client } = server;
  await using _member = await startMember({ client, clock, logger, nodes: [{ count: 1 }] });
  const used = new Set<string>();
  const noted = noting(client, used);
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
  const { object } = deploymentOf('web', 1, grouped('web'));
  await client.create(Deployment, object as never);
  await clock.advance(20_000);
  const ref = { namespace: 'default', name: 'web' };
  const annotations = { 'scheduling.volcano.sh/group-min-member': '0' };
  await client.patch(Deployment, ref, { type: 'merge', body: { metadata: { annotations } } });
  await clock.advance(20_000);
  await client.patch(Deployment, ref, { type: 'merge', body: { spec: { replicas: 0 } } });
  await clock.advance(60_000);
  assert.deepEqual((await client.list(PodGroup, { namespace: 'default' })).items, []);

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
  // The other owners are read just like these.
  const isOther = (right: string) =>
    /stateful|daemon|jobs|workflows/.test(right) || / (deployments|replicasets)\./.test(right);
  assert.deepEqual(
    [...used].filter((right) => !isOther(right)).toSorted(),
    [...new Set(granted)].filter((right) => !isOther(right)).toSorted(),
  );
  for (const verb of ['list', 'watch']) {
    for (const kind of ['deployments.apps', 'replicasets.apps']) {
      assert.ok(used.has(`${verb} ${kind}`) && granted.includes(`${verb} ${kind}`));
    }
  }
});
