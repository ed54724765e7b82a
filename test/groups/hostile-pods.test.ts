import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { controllerOf } from '@perigee/api/values/owner-references';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf } from '@perigee/scheduling/groups/group-names';
import { deploymentOf, grouped, intercepted, startGroupedCluster } from './cluster.ts';

const namespace = 'default';
type Cluster = Awaited<ReturnType<typeof startGroupedCluster>>;

const deploy = async (cluster: Cluster, replicas: number) => {
  const { kind, object } = deploymentOf('web', replicas, grouped('web'));
  await cluster.client.create(kind, object as never);
  await cluster.until(async () => {
    const pods = await cluster.pods('app=web');
    return pods.length === replicas && pods.every((pod) => pod.status?.phase === 'Running');
  });
};

describe('pods that somebody wrote to do harm', () => {
  it('do not take those of others out of their group by naming the uid of their owner', async () => {
    await using cluster = await startGroupedCluster();
    const { client, clock } = cluster;
    await deploy(cluster, 1);
    const [set] = (await client.list(ReplicaSet, { namespace })).items;
    await client.create(Namespace, { metadata: { name: 'evil' } });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'nobody', controller: true };
    const ownerReferences = [{ ...owner, uid: set?.metadata.uid ?? '' }];
    const metadata = { namespace: 'evil', name: 'forged', ownerReferences };
    await client.create(Pod, { metadata, spec: grouped('x').spec } as never);
    await clock.advance(2000);
    const ref = { namespace, name: 'web' };
    await client.patch(deploymentOf('web', 3, grouped('web')).kind, ref, {
      type: 'merge',
      body: { spec: { replicas: 3 } },
    });
    await cluster.until(async () => (await cluster.pods('app=web')).length === 3);
    await clock.advance(2000);
    const groups = await cluster.groups();
    assert.deepEqual(
      groups.map((group) => controllerOf(group)?.kind),
      ['Deployment'],
    );
    const names = new Set((await cluster.pods('app=web')).map(groupNameOf));
    assert.deepEqual([...names], [groups[0]?.metadata.name]);
  });

  it('do not have the kinds of the server read once for each kind that they invent', async () => {
    let discoveries = 0;
    await using cluster = await startGroupedCluster({
      reach: (client) =>
        intercepted(client, (verb) => {
          if (verb === 'discover') discoveries += 1;
          return undefined;
        }),
    });
    const { client, clock } = cluster;
    for (let index = 0; index < 40; index++) {
      const owner = { apiVersion: 'x.io/v1', kind: `Thing${index}`, name: 't', controller: true };
      const metadata = {
        namespace,
        name: `p${index}`,
        ownerReferences: [{ ...owner, uid: `u-${index}` }],
      };
      await client.create(Pod, { metadata, spec: grouped('p').spec } as never);
    }
    await clock.advance(4000);
    assert.ok((await cluster.pods()).every((pod) => groupNameOf(pod) !== undefined));
    assert.ok(discoveries <= 2, `${discoveries} discoveries for 40 pods`);
  });

  it('do not keep a group from following its workload by naming it', async () => {
    await using cluster = await startGroupedCluster();
    const { client, clock } = cluster;
    const { kind, object } = deploymentOf('web', 1, grouped('web'));
    const { metadata: made } = await client.create(kind, object as never);
    const name = `podgroup-${made.uid}`;
    const metadata = {
      namespace,
      name: 'a-stranger',
      annotations: { 'scheduling.k8s.io/group-name': name },
    };
    await client.create(Pod, { metadata, spec: grouped('x').spec } as never);
    await clock.advance(5000);
    const annotations = { 'scheduling.volcano.sh/queue-name': 'team' };
    const ref = { namespace, name: 'web' };
    await client.patch(kind, ref, { type: 'merge', body: { metadata: { annotations } } });
    await cluster.until(
      async () => (await client.get(PodGroup, { namespace, name })).spec.queue === 'team',
      20,
    );
  });

  it('are told when the server refuses to put them into a group, and the others are grouped', async () => {
    await using cluster = await startGroupedCluster();
    const { client } = cluster;
    // As many annotations as a server takes: there is no room for one more.
    const annotations = { book: 'x'.repeat(256 * 1024 - 10) };
    const metadata = { namespace, name: 'full', annotations };
    await client.create(Pod, { metadata, spec: grouped('x').spec } as never);
    await deploy(cluster, 2);
    const events = (await client.list(Event, { namespace })).items;
    const told = events.find(({ reason }) => reason === 'NotGrouped');
    assert.equal(told?.involvedObject.name, 'full');
    assert.match(told?.message ?? '', /^podgroup-\S+: .*annotations/);
  });
});
