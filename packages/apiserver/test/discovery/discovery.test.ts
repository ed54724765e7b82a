import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AggregatedDiscovery } from '@perigee/kube/client/discovery-documents';
import fc from 'fast-check';
import { createDiscovery } from '../../src/discovery/discovery.ts';
import type { ServedResource } from '../../src/resource/served-resource.ts';
import { kindsAsServed } from '../crd/kinds.ts';

const options = { serverAddress: '192.0.2.2:6443' };
const discovery = createDiscovery(kindsAsServed, options);
const read = (path: string) => JSON.parse(discovery.document(path)?.body ?? 'null');
const aggregated = (): AggregatedDiscovery =>
  JSON.parse(discovery.document('/apis', 'v2')?.body ?? 'null');

const job = kindsAsServed.find(({ kind }) => kind === 'Job') as ServedResource;
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

describe('the discovery documents', () => {
  it('list a resource with its subresources as kube-apiserver 1.36 does', () => {
    assert.deepEqual(read('/apis/batch.volcano.sh/v1alpha1'), {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'batch.volcano.sh/v1alpha1',
      resources: [
        {
          name: 'jobs',
          singularName: 'job',
          namespaced: true,
          kind: 'Job',
          verbs: VERBS,
          shortNames: ['vcjob', 'vj'],
          categories: ['perigee'],
          storageVersionHash: 'DbMX/QqtM30=',
        },
        {
          name: 'jobs/status',
          singularName: '',
          namespaced: true,
          kind: 'Job',
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  it('name the kind of a scale, which is of another group', () => {
    const paths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const scaled = createDiscovery([{ ...job, hasStatus: false, scale: paths }], options);
    const list = JSON.parse(scaled.document('/apis/batch.volcano.sh/v1alpha1')?.body ?? 'null');
    assert.deepEqual(list.resources[1], {
      name: 'jobs/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  });

  it('prefer the more stable and the newer version of a group', () => {
    assert.deepEqual(read('/apis/work.karmada.io'), {
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'work.karmada.io',
      versions: [
        { groupVersion: 'work.karmada.io/v1alpha2', version: 'v1alpha2' },
        { groupVersion: 'work.karmada.io/v1alpha1', version: 'v1alpha1' },
      ],
      preferredVersion: { groupVersion: 'work.karmada.io/v1alpha2', version: 'v1alpha2' },
    });
  });

  it('keep the core group apart', () => {
    const core = { ...job, group: '', version: 'v1' };
    const both = createDiscovery([job, core], options);
    const parse = (path: string, form?: 'v2') =>
      JSON.parse(both.document(path, form)?.body ?? 'null');
    assert.deepEqual(parse('/api'), {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.2:6443' }],
    });
    assert.equal(parse('/api/v1').groupVersion, 'v1');
    assert.deepEqual(parse('/api', 'v2').items[0].metadata, {});
    assert.deepEqual(
      parse('/apis').groups.map(({ name }: { name: string }) => name),
      ['batch.volcano.sh'],
    );
  });

  it('name every resource in all forms', () => {
    const inAggregated = aggregated().items.flatMap(({ metadata, versions = [] }) =>
      versions.flatMap(({ version, resources = [] }) =>
        resources.map(({ resource }) => `${metadata?.name}/${version}/${resource}`),
      ),
    );
    const served = kindsAsServed.map((r) => `${r.group}/${r.version}/${r.plural}`);
    assert.deepEqual([...inAggregated].sort(), [...served].sort());
    for (const { group, version, plural } of kindsAsServed) {
      const { resources } = read(`/apis/${group}/${version}`);
      assert.ok(resources.some(({ name }: { name: string }) => name === plural));
    }
  });

  it('say which form they are in', () => {
    assert.equal(discovery.document('/apis')?.contentType, 'application/json');
    assert.equal(
      discovery.document('/apis', 'v2beta1')?.contentType,
      'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
    );
    assert.equal(aggregated().kind, 'APIGroupDiscoveryList');
  });

  it('are not there for what is not served', () => {
    assert.equal(discovery.document('/apis/example.com'), undefined);
    assert.equal(discovery.document('/apis/batch.volcano.sh/v9'), undefined);
  });

  it('have an ETag that depends on what is served, and on nothing else', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...kindsAsServed]),
        fc.shuffledSubarray([...kindsAsServed]),
        (some, others) => {
          const of = (list: readonly ServedResource[]) =>
            createDiscovery(list, options).document('/apis', 'v2');
          const isSame = new Set(some).symmetricDifference(new Set(others)).size === 0;
          assert.equal(of(some)?.etag === of(others)?.etag, isSame);
          assert.equal(of(some)?.etag, of([...some].reverse())?.etag);
        },
      ),
      { numRuns: 30 },
    );
  });
});
