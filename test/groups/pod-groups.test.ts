import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { controllerOf } from '@perigee/api/values/owner-references';
import type { Client } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { CronJob } from '@perigee/kubernetes/batch/cron-job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf } from '@perigee/scheduling/groups/group-names';
import { deploymentOf, grouped, intercepted, startGroupedCluster } from './cluster.ts';

const namespace = 'default';
const jobSpec = ({ spec }: ReturnType<typeof grouped>) => ({ ...spec, restartPolicy: 'Never' });
type Cluster = Awaited<ReturnType<typeof startGroupedCluster>>;

const ownerOf = (group: PodGroup): string => {
  const owner = controllerOf(group);
  return `${owner?.kind}/${owner?.name}`;
};

const ownersOf = async ({ groups }: Cluster) => (await groups()).map(ownerOf).toSorted();

const allRun =
  ({ pods }: Cluster, count: number, app?: string) =>
  async () => {
    const all = await pods(app && `app=${app}`);
    return all.length === count && all.every(({ status }) => status?.phase === 'Running');
  };

const apply = (client: Client, { kind, object }: ReturnType<typeof deploymentOf>) =>
  client.create(kind, object as never);

const writeRules = async (client: Client, conf: string) => {
  const name = 'volcano-controller-configmap';
  const data = { 'volcano-controller.conf': conf };
  const metadata = { namespace: 'volcano-system', name };
  await client
    .create(Namespace, { metadata: { name: 'volcano-system' } } as never)
    .catch(() => undefined);
  await client
    .create(ConfigMap, { metadata, data })
    .catch(() => client.patch(ConfigMap, metadata, { type: 'merge', body: { data } }));
};

describe('the groups of pods', () => {
  it('are one per Deployment over all its ReplicaSets, and go when it is scaled to zero', async () => {
    await using cluster = await startGroupedCluster();
    const { client, clock } = cluster;
    const annotations = { 'scheduling.volcano.sh/group-min-member': '3' };
    await apply(client, deploymentOf('web', 3, grouped('web', { cpu: '1' }), annotations));
    await cluster.until(allRun(cluster, 3));
    for (const version of [2, 3, 4]) {
      const body = [{ name: 'main', image: `app:${version}` }];
      await client.patch(
        Deployment,
        { namespace, name: 'web' },
        {
          type: 'strategic',
          body: { spec: { template: { spec: { containers: body } } } },
        },
      );
      // Also a minimum of all members does not hold up the change, because the old pods are in the same group.
      await cluster.until(async () => {
        const pods = await cluster.pods();
        return (
          pods.length === 3 &&
          pods.every(
            ({ spec, status }) =>
              spec.containers[0]?.image === `app:${version}` && status?.phase === 'Running',
          )
        );
      });
    }
    assert.equal((await client.list(ReplicaSet, { namespace })).items.length, 4);
    const [group, ...others] = await cluster.groups();
    assert.deepEqual(others, []);
    assert.ok(group);
    assert.equal(ownerOf(group), 'Deployment/web');
    assert.equal(group.metadata.name, `podgroup-${controllerOf(group)?.uid}`);
    assert.equal(group.status?.phase, 'Running');
    assert.deepEqual([group.spec.minMember, group.spec.minResources], [3, { cpu: '3' }]);
    await client.patch(
      Deployment,
      { namespace, name: 'web' },
      { type: 'merge', body: { spec: { replicas: 0 } } },
    );
    await cluster.until(async () => (await cluster.groups()).length === 0);
    await client.patch(
      Deployment,
      { namespace, name: 'web' },
      { type: 'merge', body: { spec: { replicas: 3 } } },
    );
    await cluster.until(allRun(cluster, 3));
    assert.deepEqual(await ownersOf(cluster), ['Deployment/web']);
    await client.delete(Deployment, { namespace, name: 'web' });
    await cluster.until(async () => (await cluster.groups()).length === 0);
    await clock.advance(0);
    assert.deepEqual(cluster.problems, []);
  });

  it('are left alone where a user chose one, and are of the pod itself where nobody owns it', async () => {
    await using cluster = await startGroupedCluster();
    const { client } = cluster;
    const { spec } = grouped('x');
    const annotations = { 'scheduling.k8s.io/group-name': 'mine' };
    await client.create(PodGroup, {
      metadata: { namespace, name: 'mine' },
      spec: { minMember: 1 },
    });
    await client.create(Pod, { metadata: { namespace, name: 'chosen', annotations }, spec });
    await client.create(Pod, { metadata: { namespace, name: 'alone' }, spec });
    const other = { ...spec, schedulerName: 'default-scheduler' };
    await client.create(Pod, { metadata: { namespace, name: 'other' }, spec: other });
    await cluster.until(allRun(cluster, 3));
    const pods = await cluster.pods();
    const alone = pods.find(({ metadata }) => metadata.name === 'alone');
    assert.deepEqual(Object.fromEntries(pods.map((pod) => [pod.metadata.name, groupNameOf(pod)])), {
      chosen: 'mine',
      alone: `podgroup-${alone?.metadata.uid}`,
      other: undefined,
    });
    assert.deepEqual(await ownersOf(cluster), ['Pod/alone', 'undefined/undefined']);
  });

  it('of Volcano are taken over: their pods move to the group of the Deployment', async () => {
    await using cluster = await startGroupedCluster({
      before: (client) => writeRules(client, 'podgroup-level-rules: []'),
    });
    const { client } = cluster;
    await apply(client, deploymentOf('web', 2, grouped('web')));
    await cluster.until(allRun(cluster, 2));
    assert.match(String(await ownersOf(cluster)), /^ReplicaSet\/web-\w+$/);
    // As Volcano leaves it: without a mark of ours.
    const [made] = await cluster.groups();
    assert.ok(made);
    const annotations = { 'groups.perigee.io/applied': null };
    const ref = { namespace, name: made.metadata.name };
    await client.patch(PodGroup, ref, { type: 'merge', body: { metadata: { annotations } } });
    await writeRules(client, 'podgroupLevel: [{apiversion: apps/v1, kind: deployment}]');
    await cluster.until(async () => String(await ownersOf(cluster)) === 'Deployment/web');
    const [group] = await cluster.groups();
    const names = (await cluster.pods()).map(groupNameOf);
    assert.deepEqual(names, [group?.metadata.name, group?.metadata.name]);
  });

  it('keep the last good rules when new ones are wrong, and an event names the line', async () => {
    const rules = 'podgroup-level-rules:\n- apiversion: apps/v1\n  kind: replicaset\n';
    await using cluster = await startGroupedCluster({
      before: (client) => writeRules(client, rules),
    });
    const { client, clock } = cluster;
    await writeRules(
      client,
      `${rules}- apiversion: apps/v1\n  kind: deployment\n  adjust-level: 1\n`,
    );
    await clock.advance(1000);
    await apply(client, deploymentOf('web', 1, grouped('web')));
    await cluster.until(allRun(cluster, 1));
    assert.match(String(await ownersOf(cluster)), /^ReplicaSet\//);
    const events = (await client.list(Event, { namespace: 'volcano-system' })).items;
    const messages = events.filter(({ reason }) => reason === 'InvalidRules');
    assert.match(
      messages[0]?.message ?? '',
      /^volcano-controller\.conf: line 6: podgroup-level-rules\[1\]\.adjust-level: Invalid value: 1: must be 0 .*the last good rules stay in force$/,
    );
    await writeRules(client, rules);
    // It said so before: repetitions are gathered for ten seconds.
    await clock.advance(11_000);
    const again = (await client.list(Event, { namespace: 'volcano-system' })).items;
    const last = again
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .at(-1);
    assert.equal(last?.reason, 'RulesRead', 'it says that all is well again');
    await client.delete(ConfigMap, {
      namespace: 'volcano-system',
      name: 'volcano-controller-configmap',
    });
    await cluster.until(async () => String(await ownersOf(cluster)) === 'Deployment/web');
  });

  it('follow their workload, but not where a user changed them', async () => {
    await using cluster = await startGroupedCluster();
    const { client } = cluster;
    await apply(client, deploymentOf('web', 2, grouped('web', { cpu: '1' })));
    await cluster.until(allRun(cluster, 2));
    const [group] = await cluster.groups();
    const ref = { namespace, name: group?.metadata.name ?? '' };
    await client.patch(PodGroup, ref, {
      type: 'merge',
      body: { spec: { priorityClassName: 'mine' } },
    });
    const annotations = { 'scheduling.volcano.sh/group-min-member': '2' };
    await client.patch(
      Deployment,
      { namespace, name: 'web' },
      { type: 'merge', body: { metadata: { annotations } } },
    );
    const queue = { 'scheduling.volcano.sh/queue-name': 'team' };
    await client.patch(
      Namespace,
      { name: namespace },
      { type: 'merge', body: { metadata: { annotations: queue } } },
    );
    await cluster.until(async () => (await client.get(PodGroup, ref)).spec.queue === 'team');
    const { spec } = await client.get(PodGroup, ref);
    assert.deepEqual(
      [spec.minMember, spec.minResources, spec.priorityClassName],
      [2, { cpu: '2' }, 'mine'],
    );
    await client.patch(PodGroup, ref, { type: 'merge', body: { spec: { minMember: 1 } } });
    await cluster.restart();
    await cluster.until(async () => true);
    const { minMember, minResources } = (await client.get(PodGroup, ref)).spec;
    assert.deepEqual([minMember, minResources], [1, { cpu: '1' }], 'it asks for what these need');
  });

  it('come back when somebody deletes them, and go when their owner leaves them behind', async () => {
    await using cluster = await startGroupedCluster();
    const { client } = cluster;
    await apply(client, deploymentOf('web', 1, grouped('web')));
    await cluster.until(allRun(cluster, 1));
    const [first] = await cluster.groups();
    await client.delete(PodGroup, { namespace, name: first?.metadata.name ?? '' });
    await cluster.until(async () => {
      const [group] = await cluster.groups();
      return group !== undefined && group.metadata.uid !== first?.metadata.uid;
    });
    await client.delete(Deployment, { namespace, name: 'web' }, { propagationPolicy: 'Orphan' });
    await cluster.until(async () => /^ReplicaSet\/web-\w+$/.test(String(await ownersOf(cluster))));
    assert.equal((await cluster.pods()).length, 1);
  });

  it('are made anew for a pod whose group went with an owner that left the pod behind', async () => {
    await using cluster = await startGroupedCluster();
    const { client } = cluster;
    const annotations = {
      'scheduling.k8s.io/group-name': 'podgroup-183a5495-aa36-4eff-a58f-4f9ba0215422',
    };
    const { spec } = grouped('left');
    const { metadata } = await client.create(Pod, {
      metadata: { namespace, name: 'left', annotations },
      spec,
    });
    await cluster.until(async () => {
      const [group] = await cluster.groups();
      return group?.metadata.name === `podgroup-${metadata.uid}`;
    });
  });

  it('cost no request for owners in steady state, one for each pod, and one for each group', async () => {
    const requests: string[] = [];
    const counting =
      (counts: (verb: string, args: readonly unknown[]) => boolean) =>
      (client: Client): Client =>
        intercepted(client, (verb, args) => {
          if (!counts(verb, args)) return undefined;
          requests.push(`${verb} ${(args[0] as { plural?: string } | undefined)?.plural}`);
          return undefined;
        });
    await using cluster = await startGroupedCluster({
      reach: counting(() => true),
      reachAll: counting((_, args) => JSON.stringify(args.at(-1))?.includes('perigee-pod-groups')),
    });
    const { client } = cluster;
    await apply(client, deploymentOf('first', 1, grouped('first')));
    await cluster.until(allRun(cluster, 1));
    requests.length = 0;
    await apply(client, deploymentOf('second', 20, grouped('second')));
    await cluster.until(allRun(cluster, 20, 'second'));
    const expected = ['create podgroups', ...Array.from({ length: 20 }, () => 'patch pods')];
    assert.deepEqual([...new Set(requests)].toSorted(), [...new Set(expected)]);
    assert.equal(requests.filter((request) => request === 'patch pods').length, 20);
  });

  it('say which workload is at the top, where their owner was made by another', async () => {
    await using cluster = await startGroupedCluster();
    const { client, until, groups } = cluster;
    await client.create(CronJob, {
      metadata: { namespace, name: 'nightly' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: { template: { ...grouped('nightly'), spec: jobSpec(grouped('nightly')) } },
        },
      },
    } as never);
    await apply(client, deploymentOf('web', 1, grouped('web')));
    await until(async () => (await groups()).length === 2, 180);
    const marks = (await groups()).map((group) => [
      ownerOf(group).split('/')[0],
      group.metadata.annotations?.['groups.perigee.io/workload'],
    ]);
    assert.deepEqual(marks.toSorted(), [
      ['Deployment', undefined],
      ['Job', 'batch/v1 CronJob nightly'],
    ]);
  });

  it('have no kind watched of which somebody only claims to have an owner', async () => {
    const watched = new Set<string>();
    const noting = (client: Client): Client =>
      intercepted(client, (verb, [kind]) => {
        if (verb === 'watch' || verb === 'list') watched.add((kind as ResourceKind).plural);
        return undefined;
      });
    await using cluster = await startGroupedCluster({ reach: noting, reachAll: noting });
    const { client, clock } = cluster;
    const forged = ['ConfigMap', 'Secret', 'Service', 'Role'].map((kind, index) => ({
      apiVersion: kind === 'Role' ? 'rbac.authorization.k8s.io/v1' : 'v1',
      kind,
      name: 'nobody',
      uid: `00000000-0000-4000-8000-00000000000${index}`,
      controller: true,
    }));
    watched.clear();
    for (const [index, owner] of forged.entries()) {
      await client.create(Pod, {
        metadata: { namespace, name: `p${index}`, ownerReferences: [owner] },
        spec: grouped('p').spec,
      } as never);
    }
    // The pods go soon, as their owners are not there; until then they were looked at.
    await clock.advance(5000);
    assert.deepEqual(
      [...watched].filter((plural) => /secrets|services|roles/.test(plural)),
      [],
    );
  });

  it('are made although an owner may not be read, or its kind is not served', async () => {
    const forbid = (client: Client): Client =>
      intercepted(client, (verb, args) =>
        verb === 'list' && (args[0] as { plural: string }).plural === 'deployments'
          ? Promise.reject(new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }))
          : undefined,
      );
    await using cluster = await startGroupedCluster({ reach: forbid });
    const { client } = cluster;
    await apply(client, deploymentOf('web', 1, grouped('web')));
    const owner = { apiVersion: 'x.io/v1', kind: 'Thing', name: 't', uid: 'u-1', controller: true };
    const metadata = { namespace, name: 'thing', ownerReferences: [owner] };
    await client.create(Pod, { metadata, spec: grouped('thing').spec });
    await cluster.until(allRun(cluster, 2));
    assert.deepEqual(await ownersOf(cluster), ['Deployment/web', 'Thing/t']);
  });

  it('move to the owner that the rules say as soon as owners between may be read', async () => {
    let isAllowed = false;
    const forbid = (client: Client): Client =>
      intercepted(client, (verb, args) =>
        verb === 'list' && (args[0] as { plural: string }).plural === 'replicasets' && !isAllowed
          ? Promise.reject(new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }))
          : undefined,
      );
    await using cluster = await startGroupedCluster({ reach: forbid });
    await apply(cluster.client, deploymentOf('web', 1, grouped('web')));
    await cluster.until(allRun(cluster, 1));
    assert.match(String(await ownersOf(cluster)), /^ReplicaSet\/web-\w+$/);
    isAllowed = true;
    await cluster.until(async () => String(await ownersOf(cluster)) === 'Deployment/web', 180);
  });
});
