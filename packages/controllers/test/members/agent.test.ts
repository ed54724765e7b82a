import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import { agentClient } from '@perigee/controllers/members/agent-client';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { MemberInformers } from '@perigee/controllers/members/member-informers';
import { executionController } from '@perigee/controllers/placement/execution/execution-controller';
import { workDegradedController } from '@perigee/controllers/placement/work-status/work-degraded-controller';
import { workStatusController } from '@perigee/controllers/placement/work-status/work-status-controller';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { createInterpreter, nativeKinds } from '@perigee/scheduling/interpreter/known-kinds';
import { setReady, startFederation } from '../support/federation.ts';
import { boundTo } from '../support/kinds.ts';
import { SimulatedMember } from '../support/simulated-member.ts';

test('an agent does for its own cluster what is done for others from outside', async () => {
  await using world = await startFederation({ members: ['m1'] });
  const { client, clock } = world;
  for (const name of ['mine', 'theirs']) {
    await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Pull' } });
    await setReady(client, name, 'True');
  }
  const local = new SimulatedMember('mine', clock);
  await local.addNamespaces('default');
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });
  const clusters = ['m1', 'mine', 'theirs'].map((name) => ({ name }));
  await world.bind(boundTo('v1', 'ConfigMap', 'settings'), clusters);
  await world.settle();
  assert.equal(await local.find(ConfigMap, 'settings'), undefined, 'nobody pushes to it');

  const members = new MemberInformers({
    members: new InProcessMembers(() => local.client),
    clock,
  });
  const options = {
    members,
    interpreter: createInterpreter(nativeKinds),
    clusters: ['mine'],
  };
  const seen: string[] = [];
  const restricted = agentClient(client, 'mine');
  const manager = new Manager({
    client: {
      ...restricted,
      list: (kind, asked) => restricted.list(kind, asked),
      watch: (kind, asked) => {
        seen.push(kind.plural);
        return restricted.watch(kind, asked);
      },
    },
    clock,
    logger: createLogger({ clock, level: 'error', write: () => {} }),
    controllers: [
      executionController(options),
      workStatusController(options),
      workDegradedController(options),
    ],
  });
  await manager.start();
  await world.settle();
  assert.deepEqual([...new Set(seen)].sort(), ['clusters', 'works']);
  assert.deepEqual(
    manager.informers
      .for(MemberCluster)
      .list()
      .map(({ metadata }) => metadata.name),
    ['mine'],
  );
  assert.ok(
    manager.informers
      .for(Work)
      .list()
      .every(({ metadata }) => metadata.namespace === 'karmada-es-mine'),
  );
  assert.notEqual(await local.find(ConfigMap, 'settings'), undefined);
  const appliedIn = async (cluster: string) => {
    const work = (await world.works(cluster)).find(({ metadata }) =>
      metadata.name.startsWith('settings-'),
    );
    return findCondition(work?.status?.conditions, 'Applied')?.status;
  };
  assert.equal(await appliedIn('mine'), 'True');
  assert.equal(await appliedIn('theirs'), undefined);
  const stopping = manager.stop();
  await world.settle(60_000);
  await stopping;
  await members[Symbol.asyncDispose]();
});
