import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Job as VolcanoJob } from '@perigee/api/kinds/groups/job';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import type { Client } from '@perigee/kube/client/client';
import { isNotFound } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import { propagatedBy } from '@perigee/scheduling/placement/policy/propagated-by';
import { policyReleaseController } from '../../../src/placement/detector/policy-release.ts';
import { eventsOf } from '../../support/bindings.ts';
import { startControlPlane } from '../../support/control-plane.ts';

const web = { namespace: 'default', name: 'web' };
const bindingRef = { namespace: 'default', name: 'web-deployment' };

const addDeployment = (client: Client, name = 'web', labels = { app: name }) =>
  client.create(Deployment, {
    metadata: { namespace: 'default', name, labels },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '500m' } } }],
        },
      },
    },
  });

const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };

const policy = (name: string, spec: object = {}, id = name) => ({
  metadata: {
    namespace: 'default',
    name,
    labels: { 'propagationpolicy.karmada.io/permanent-id': id },
  },
  spec: {
    resourceSelectors: [kind],
    placement: { clusterAffinity: { clusterNames: [`${name}-cluster`] } },
    ...spec,
  },
});

const bindingOf = async (client: Client) => {
  try {
    return await client.get(ResourceBinding, bindingRef);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const ownerOf = async (client: Client) =>
  propagatedBy((await client.get(Deployment, web)).metadata)?.name;

const interpreter = createInterpreter([...nativeKinds, ...frameworkKinds]);

const start = ({ isQuiet = false } = {}) =>
  startControlPlane({
    isQuiet,
    controllers: ({ client, clock }) => [
      detectorController({ client, clock, interpreter }),
      policyReleaseController(PropagationPolicy),
      policyReleaseController(ClusterPropagationPolicy),
    ],
  });

describe('the detector', () => {
  it('tells of kinds that nobody serves, and waits for them', async () => {
    await using plane = await start({ isQuiet: true });
    const { client, settled, clock } = plane;
    const foreign = { apiVersion: 'example.com/v1', kind: 'Foo' };
    await client.create(PropagationPolicy, policy('p', { resourceSelectors: [kind, foreign] }));
    await addDeployment(client);
    await clock.advance(60_000);
    assert.notEqual(await bindingOf(client), undefined);
    assert.deepEqual(
      plane.troubles().map(({ controller, object }) => [controller, object]),
      [['detector', 'example.com/v1 Foo']],
    );
    await settled();
  });

  it('makes a binding of what a policy selects, whichever comes first', async () => {
    for (const policyFirst of [true, false]) {
      await using plane = await start();
      const { client, settled } = plane;
      const acts = [
        () => client.create(PropagationPolicy, policy('p')),
        () => addDeployment(client),
      ];
      for (const act of policyFirst ? acts : acts.toReversed()) {
        await act();
        await settled();
      }
      const binding = await bindingOf(client);
      assert.equal(binding?.spec.replicas, 3);
      assert.deepEqual(binding.spec.replicaRequirements, { resourceRequest: { cpu: '500m' } });
      assert.deepEqual(binding.spec.placement, {
        clusterAffinity: { clusterNames: ['p-cluster'] },
      });
      assert.deepEqual(binding.metadata.finalizers, ['karmada.io/binding-controller']);
      assert.equal(binding.metadata.ownerReferences?.[0]?.name, 'web');
      assert.equal(propagatedBy(binding.metadata)?.name, 'p');
      assert.equal(await ownerOf(client), 'p');
    }
  });

  it('finds what one of many selectors selects, and nothing else', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addDeployment(client);
    await addDeployment(client, 'other');
    await settled();
    const resourceSelectors = Array.from({ length: 30 }, (_, at) => ({
      ...kind,
      labelSelector: { matchLabels: { app: at === 29 ? 'web' : `app-${at}` } },
    }));
    await client.create(PropagationPolicy, policy('p', { resourceSelectors }));
    await settled();
    const { items } = await client.list(ResourceBinding);
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['web-deployment'],
    );
  });

  it('follows the template and the policy, and leaves alone what the scheduler decided', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(PropagationPolicy, policy('p'));
    await addDeployment(client);
    await settled();
    const clusters = [{ name: 'm1', replicas: 3 }];
    await client.patch(ResourceBinding, bindingRef, {
      type: 'merge',
      body: { spec: { clusters } },
    });
    await client.patch(Deployment, web, { type: 'merge', body: { spec: { replicas: 5 } } });
    const placement = { clusterAffinity: { exclude: ['m9'] } };
    const body = [{ op: 'replace', path: '/spec/placement', value: placement }] as const;
    const ref = { namespace: 'default', name: 'p' };
    await client.patch(PropagationPolicy, ref, { type: 'json', operations: body });
    await settled();
    const binding = await bindingOf(client);
    assert.equal(binding?.spec.replicas, 5);
    assert.deepEqual(binding.spec.placement, placement);
    assert.deepEqual(binding.spec.clusters, clusters);
  });

  it('tells of every change that users make to the template, and of no other', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(PropagationPolicy, policy('p'));
    await addDeployment(client);
    await settled();
    const before = await bindingOf(client);
    const status = { observedGeneration: 1, replicas: 3 };
    const options = { subresource: 'status' };
    await client.patch(Deployment, web, { type: 'merge', body: { status } }, options);
    await settled();
    assert.deepEqual(await bindingOf(client), before);
    const image = [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'nginx:2' },
    ] as const;
    await client.patch(Deployment, web, { type: 'json', operations: image });
    await settled();
    const after = await bindingOf(client);
    assert.equal(after?.metadata.generation, (before?.metadata.generation ?? 0) + 1);
    const { metadata } = await client.get(Deployment, web);
    assert.equal(after?.spec.resource.resourceVersion, metadata.resourceVersion);
  });

  it('leaves a template with its policy, unless another may take it', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(PropagationPolicy, policy('first'));
    await addDeployment(client);
    await settled();
    await client.create(PropagationPolicy, policy('stronger', { priority: 5 }));
    await settled();
    assert.equal(await ownerOf(client), 'first');
    const named = [{ ...kind, name: 'web' }];
    const taking = { priority: 5, preemption: 'Always', resourceSelectors: named };
    await client.create(PropagationPolicy, policy('taking', taking));
    await settled();
    assert.equal(await ownerOf(client), 'taking');
    assert.equal(propagatedBy((await bindingOf(client))?.metadata ?? {})?.name, 'taking');
  });

  it('gives a template to another policy when its own is gone', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(PropagationPolicy, policy('p'));
    await addDeployment(client);
    await settled();
    const wide = {
      metadata: {
        name: 'wide',
        labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'wide' },
      },
      spec: { resourceSelectors: [kind] },
    };
    await client.create(ClusterPropagationPolicy, wide);
    await settled();
    assert.equal(await ownerOf(client), 'p');
    await client.delete(PropagationPolicy, { namespace: 'default', name: 'p' });
    await settled();
    assert.equal(await ownerOf(client), 'wide');
    const { labels } = (await bindingOf(client))?.metadata ?? {};
    assert.equal(labels?.['propagationpolicy.karmada.io/permanent-id'], undefined);
  });

  it('lets go of everything when a policy is deleted, and keeps the binding', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    const finalizers = ['karmada.io/propagation-policy-controller'];
    const { metadata, ...rest } = policy('p');
    await client.create(PropagationPolicy, { metadata: { ...metadata, finalizers }, ...rest });
    await addDeployment(client);
    await settled();
    await client.delete(PropagationPolicy, { namespace: 'default', name: 'p' });
    await settled();
    await assert.rejects(
      client.get(PropagationPolicy, { namespace: 'default', name: 'p' }),
      isNotFound,
    );
    assert.equal(await ownerOf(client), undefined);
    assert.equal(propagatedBy((await bindingOf(client))?.metadata ?? {}), undefined);
    assert.notEqual(await bindingOf(client), undefined);
  });

  it('lets go of the binding, too, when a policy does not select its resource any more', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await addDeployment(client);
    await client.create(PropagationPolicy, policy('p'));
    await settled();
    const resourceSelectors = [{ ...kind, name: 'other' }];
    const body = { spec: { resourceSelectors } };
    await client.patch(
      PropagationPolicy,
      { namespace: 'default', name: 'p' },
      { type: 'merge', body },
    );
    await settled();
    assert.equal(await ownerOf(client), undefined);
    const { metadata, spec } = (await bindingOf(client)) as ResourceBinding;
    assert.equal(propagatedBy(metadata), undefined);
    assert.deepEqual(spec.placement?.clusterAffinity?.clusterNames, ['p-cluster']);
  });

  it('waits for the overrides that a policy depends on', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(PropagationPolicy, policy('p', { dependentOverrides: ['o'] }));
    await addDeployment(client);
    await settled();
    assert.equal(await bindingOf(client), undefined);
    const spec = { overrideRules: [{ overriders: { plaintext: [] } }] };
    await client.create(OverridePolicy, { metadata: { namespace: 'default', name: 'o' }, spec });
    await settled();
    assert.notEqual(await bindingOf(client), undefined);
  });

  it('rolls out a lazy policy only with changes of the template', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(PropagationPolicy, policy('p', { activationPreference: 'Lazy' }));
    await addDeployment(client);
    await settled();
    const ref = { namespace: 'default', name: 'p' };
    const placement = { clusterAffinity: { clusterNames: ['new'] } };
    await client.patch(PropagationPolicy, ref, { type: 'merge', body: { spec: { placement } } });
    await settled();
    const namesOf = async () =>
      (await bindingOf(client))?.spec.placement?.clusterAffinity?.clusterNames;
    assert.deepEqual(await namesOf(), ['p-cluster']);
    await client.patch(Deployment, web, { type: 'merge', body: { spec: { replicas: 4 } } });
    await settled();
    assert.deepEqual(await namesOf(), ['new']);
  });

  it('lets a lazy policy that comes after its resource wait until that changes', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addDeployment(client);
    await clock.advance(2000);
    await client.create(PropagationPolicy, policy('p', { activationPreference: 'Lazy' }));
    await settled();
    assert.equal(await bindingOf(client), undefined);
    assert.equal(await ownerOf(client), 'p');
    assert.equal((await eventsOf(client, 'LazyPolicyWaits')).length, 1);
    // A change of the status or of the policy is no change of the resource.
    const status = { type: 'merge', body: { status: { observedGeneration: 1 } } } as const;
    await client.patch(Deployment, web, status, { subresource: 'status' });
    const ref = { namespace: 'default', name: 'p' };
    const placement = { clusterAffinity: { clusterNames: ['later'] } };
    await client.patch(PropagationPolicy, ref, { type: 'merge', body: { spec: { placement } } });
    await clock.advance(600_000);
    assert.equal(await bindingOf(client), undefined);

    await client.patch(Deployment, web, { type: 'merge', body: { spec: { replicas: 4 } } });
    await settled();
    const { spec } = (await bindingOf(client)) ?? {};
    assert.deepEqual(spec?.placement?.clusterAffinity?.clusterNames, ['later']);
    // Once it has taken effect, a binding that is lost comes back.
    await client.patch(ResourceBinding, bindingRef, {
      type: 'merge',
      body: { metadata: { finalizers: null } },
    });
    await client.delete(ResourceBinding, bindingRef);
    await settled();
    assert.notEqual(await bindingOf(client), undefined);
  });

  it('gives what a lazy policy left waiting to the next policy', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    await addDeployment(client);
    await clock.advance(2000);
    await client.create(PropagationPolicy, policy('p', { activationPreference: 'Lazy' }));
    await settled();
    await client.delete(PropagationPolicy, { namespace: 'default', name: 'p' });
    await settled();
    assert.equal(await ownerOf(client), undefined);
    await client.create(PropagationPolicy, policy('q'));
    await settled();
    assert.equal(await ownerOf(client), 'q');
    assert.notEqual(await bindingOf(client), undefined);
  });

  it('keeps bindings of same-named resources of two groups apart', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    const selectors = ['batch/v1', 'batch.volcano.sh/v1alpha1'].map((apiVersion) => ({
      apiVersion,
      kind: 'Job',
    }));
    await client.create(PropagationPolicy, policy('p', { resourceSelectors: selectors }));
    const metadata = { namespace: 'default', name: 'train' };
    const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'nginx' }] };
    const template = { spec: pod };
    await client.create(Job, { metadata, spec: { template } } as never);
    await settled();
    const tasks = [{ name: 'worker', replicas: 2, template }];
    await client.create(VolcanoJob, { metadata, spec: { tasks } } as never);
    await settled();
    const bound = async () => {
      const { items } = await client.list(ResourceBinding, { namespace: 'default' });
      return items
        .filter(({ spec }) => spec.resource.name === 'train')
        .map(({ metadata: { name }, spec }) => [name, spec.resource.apiVersion]);
    };
    const both = await bound();
    assert.deepEqual(both[0], ['train-job', 'batch/v1']);
    assert.match(both[1]?.[0] ?? '', /^train-job-[a-z0-9]+$/);
    assert.equal(both[1]?.[1], 'batch.volcano.sh/v1alpha1');

    // The name of the one is not the other's when it is free.
    await client.delete(Job, metadata, { propagationPolicy: 'Background' });
    await client.patch(
      ResourceBinding,
      { namespace: 'default', name: 'train-job' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );
    await settled();
    await client.patch(VolcanoJob, metadata, {
      type: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
    });
    await settled();
    assert.deepEqual(
      (await bound()).filter(([, apiVersion]) => apiVersion !== 'batch/v1'),
      both.slice(1),
    );
  });

  const volcanoJobs = { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job' };
  const taskOf = (name: string) => {
    const container = { name: 'main', image: 'nginx' };
    const spec = { restartPolicy: 'Never', containers: [container] };
    return { name, replicas: 1, template: { spec } };
  };

  it('binds what has tasks with longer names than a binding takes', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(PropagationPolicy, policy('p', { resourceSelectors: [volcanoJobs] }));
    const long = 'a-parameter-server-of-the-first-kind';
    const tasks = [`${long}-1`, `${long}-2`, 'worker'].map(taskOf);
    const metadata = { namespace: 'default', name: 'train' };
    await client.create(VolcanoJob, { metadata, spec: { tasks } } as never);
    await settled();
    const [binding] = (await client.list(ResourceBinding)).items;
    assert.deepEqual(
      binding?.spec.components?.map(({ name }) => name),
      ['a-parameter-server-of-the-firs-0', 'a-parameter-server-of-the-firs-1', 'worker'],
    );
  });

  it('tells the user of work that no binding can describe', async () => {
    await using plane = await start({ isQuiet: true });
    const { client, clock } = plane;
    await client.create(PropagationPolicy, policy('p', { resourceSelectors: [volcanoJobs] }));
    const tasks = Array.from({ length: 101 }, (_, at) => taskOf(`task-${at}`));
    const metadata = { namespace: 'default', name: 'train' };
    await client.create(VolcanoJob, { metadata, spec: { tasks } } as never);
    await clock.advance(5000);
    assert.deepEqual((await client.list(ResourceBinding)).items, []);
    const [event = ''] = await eventsOf(client, 'ApplyPolicyFailed');
    assert.match(event, /^Job: Apply policy\(default\/p\) failed: .*spec.components/);
  });

  it('does not believe the marks of a policy of another namespace', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(Namespace, { metadata: { name: 'other' } });
    const theirs = policy('theirs');
    await client.create(PropagationPolicy, {
      ...theirs,
      metadata: { ...theirs.metadata, namespace: 'other' },
    });
    await client.create(PropagationPolicy, policy('own'));
    await addDeployment(client);
    await settled();
    const body = {
      metadata: {
        labels: { 'propagationpolicy.karmada.io/permanent-id': 'theirs' },
        annotations: {
          'propagationpolicy.karmada.io/namespace': 'other',
          'propagationpolicy.karmada.io/name': 'theirs',
        },
      },
    };
    await client.patch(Deployment, web, { type: 'merge', body });
    await settled();
    assert.equal(await ownerOf(client), 'own');
  });

  it('does not release what a policy propagates when another one with its id goes', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    await client.create(PropagationPolicy, policy('p'));
    await addDeployment(client);
    await settled();
    await client.create(Namespace, { metadata: { name: 'other' } });
    const forged = policy('forged', {}, 'p');
    const ref = { namespace: 'other', name: 'forged' };
    await client.create(PropagationPolicy, {
      ...forged,
      metadata: { ...forged.metadata, ...ref },
    });
    const before = (await bindingOf(client))?.metadata.resourceVersion;
    await client.delete(PropagationPolicy, ref);
    await settled();
    assert.equal((await bindingOf(client))?.metadata.resourceVersion, before);
  });

  it('propagates no binding of what it propagates, and no Event about that: it never ended', async () => {
    await using plane = await start();
    const { client, clock, troubles } = plane;
    const own = [
      kind,
      { apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
      { apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
      { apiVersion: 'v1', kind: 'Event' },
      { apiVersion: 'events.k8s.io/v1', kind: 'Event' },
    ];
    await client.create(PropagationPolicy, policy('p', { resourceSelectors: own }));
    await addDeployment(client);
    await clock.advance(60_000);
    const { items } = await client.list(ResourceBinding);
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['web-deployment'],
    );
    assert.deepEqual(troubles(), []);
  });

  it('propagates nothing out of namespaces of the control plane', async () => {
    await using plane = await start();
    const { client, settled } = plane;
    const wide = {
      metadata: {
        name: 'wide',
        labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'wide' },
      },
      spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] },
    };
    await client.create(ClusterPropagationPolicy, wide);
    for (const namespace of ['kube-system', 'default']) {
      await client.create(ConfigMap, { metadata: { namespace, name: 'c' } });
    }
    await settled();
    const { items } = await client.list(ResourceBinding);
    const made = items.filter(({ metadata }) => metadata.name === 'c-configmap');
    assert.deepEqual(
      made.map(({ metadata }) => metadata.namespace),
      ['default'],
    );
  });
});
