import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import { addReadyCluster } from '../support/bindings.ts';

/** Choices that depend on a seed alone. */
export interface Chance {
  happens(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];
const WORKS = ['w1', 'w2'];
const JOBS = ['j1'];
const DATA = ['d1', 'd2'];
/** DataSources, and the data that they offer: three of them the same. */
const OFFERS: { readonly [source: string]: string } = { s1: 'd1', s2: 'd2', s3: 'd1', s4: 'd1' };
const SOURCES = Object.keys(OFFERS);
const CLAIMS = ['k1', 'k2', 'k3'];

/** Makes an object be so, whatever was there. */
const put = async (
  client: Client,
  kind: ResourceKind,
  ref: ObjectRef,
  labels: object,
  spec: object,
): Promise<void> => {
  const present = await getOrUndefined(client, kind, ref);
  if (present === undefined) {
    await client.create(kind, { metadata: { ...ref, labels }, spec } as never);
    return;
  }
  const { resourceVersion: _, ...metadata } = present.metadata;
  const patch = [
    { op: 'add', path: '/metadata/labels', value: { ...metadata.labels, ...labels } },
    {
      op: 'add',
      path: '/spec',
      value: { ...(kind === Deployment ? (present as Deployment).spec : {}), ...spec },
    },
  ];
  await client.patch(kind, ref, { type: 'json', operations: patch as never });
};

const someOf = (chance: Chance, from: readonly string[]) => from.filter(() => chance.happens(0.5));

const byZone = (zone: string) => ({ labelSelector: { matchLabels: { zone } } });

/** Divisions: duplicated, equal weights, by room, aggregated. */
const SHARES: readonly object[] = [
  {},
  { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
  {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  },
  { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
];

const placementOf = (chance: Chance): object => ({
  replicaScheduling: chance.pick(SHARES),
  ...chance.pick([
    () => ({}),
    () => ({
      clusterAffinity: { clusterNames: [chance.pick(CLUSTERS), ...someOf(chance, CLUSTERS)] },
    }),
    () => ({ clusterAffinity: byZone(chance.pick(['a', 'b'])) }),
    () => ({
      clusterAffinities: [
        { affinityName: 'one', ...byZone('a') },
        { affinityName: 'two', clusterNames: [chance.pick(CLUSTERS), chance.pick(CLUSTERS)] },
      ],
    }),
  ])(),
});

const localityOf = (chance: Chance): object =>
  chance.happens(0.3)
    ? { clusterAffinity: byZone(chance.pick(['a', 'b'])) }
    : { clusterNames: someOf(chance, [...CLUSTERS, 'c5']) };

/** Everything that can happen to the work, data and clusters of a namespace, each as likely as the others. */
export const eventsOf = (client: Client, namespace: string, chance: Chance) => {
  const here = (name: string) => ({ namespace, name });
  const dataOf = (name: string) => `${namespace}-${name}`;
  const remove = (kind: ResourceKind, ref: ObjectRef) =>
    client.delete(kind, ref).catch(ignoreNotFound);
  const policy = () =>
    put(
      client,
      PropagationPolicy,
      here('all'),
      {},
      {
        resourceSelectors: [
          { apiVersion: 'apps/v1', kind: 'Deployment' },
          { apiVersion: 'batch/v1', kind: 'Job' },
        ],
        placement: placementOf(chance),
        ...(chance.happens(0.2) ? { activationPreference: 'Lazy' } : {}),
      },
    );
  const work = (name: string) => {
    if (chance.happens(0.1)) return remove(Deployment, here(name));
    const labels = { needs: chance.pick(['x', 'y']) };
    const app = { app: name };
    return put(client, Deployment, here(name), labels, {
      replicas: chance.pick([1, 2, 3]),
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: { containers: [{ name: 'main', image: 'app:1' }] },
      },
    });
  };
  const job = async (name: string): Promise<void> => {
    const labels = { needs: chance.pick(['x', 'y']) };
    const parallelism = chance.pick([1, 2]);
    if ((await getOrUndefined(client, Job, here(name))) === undefined) {
      const containers = [{ name: 'main', image: 'app:1' }];
      const template = { spec: { restartPolicy: 'Never', containers } };
      const fresh = { metadata: { ...here(name), labels }, spec: { parallelism, template } };
      await client.create(Job, fresh as never);
    } else if (chance.happens(0.3)) {
      await client.delete(Job, here(name), { propagationPolicy: 'Background' });
    } else {
      // Most of a Job cannot be changed.
      const body = { metadata: { labels }, spec: { parallelism } };
      await client.patch(Job, here(name), { type: 'merge', body });
    }
  };
  const source = (name: string) =>
    chance.happens(0.2)
      ? remove(DataSource, { name: dataOf(name) })
      : put(
          client,
          DataSource,
          { name: dataOf(name) },
          {},
          {
            system: 'hive',
            type: 'table',
            name: dataOf(OFFERS[name] ?? name),
            locality: localityOf(chance),
            reclaimPolicy: 'Retain',
          },
        );
  const claim = (name: string) => {
    if (chance.happens(0.25)) return remove(DataSourceClaim, here(name));
    const who = chance.happens(0.5)
      ? {
          workload: {
            ...chance.pick([
              { apiVersion: 'apps/v1', kind: 'Deployment', name: chance.pick(WORKS) },
              { apiVersion: 'apps/v1', kind: 'Deployment', name: chance.pick(WORKS) },
              { apiVersion: 'batch/v1', kind: 'Job', name: chance.pick(JOBS) },
            ]),
            namespace,
          },
        }
      : { workloadSelector: { matchLabels: { needs: chance.pick(['x', 'y']) } } };
    return put(
      client,
      DataSourceClaim,
      here(name),
      {},
      {
        system: 'hive',
        dataSourceType: 'table',
        dataSourceName: dataOf(chance.pick(DATA)),
        ...who,
        ...(chance.happens(0.2) ? { onRunning: chance.pick(['Keep', 'Move']) } : {}),
      },
    );
  };
  const label = () =>
    client.patch(
      MemberCluster,
      { name: chance.pick(CLUSTERS) },
      { type: 'merge', body: { metadata: { labels: { zone: chance.pick(['a', 'b', null]) } } } },
    );
  const join = async () => {
    const present = await getOrUndefined(client, MemberCluster, { name: 'c5' });
    if (present === undefined) await addReadyCluster(client, 'c5');
    else await remove(MemberCluster, { name: 'c5' });
  };
  return {
    begin: async () => {
      await policy();
      for (const name of WORKS) if (chance.happens(0.7)) await work(name);
      for (const name of JOBS) if (chance.happens(0.5)) await job(name);
    },
    next: (): Promise<unknown> =>
      chance.pick([
        policy,
        () => work(chance.pick(WORKS)),
        () => work(chance.pick(WORKS)),
        () => source(chance.pick(SOURCES)),
        () => source(chance.pick(SOURCES)),
        () => source(chance.pick(SOURCES)),
        () => claim(chance.pick(CLAIMS)),
        () => claim(chance.pick(CLAIMS)),
        () => claim(chance.pick(CLAIMS)),
        () => job(chance.pick(JOBS)),
        label,
        join,
      ])(),
    end: async () => {
      for (const name of WORKS) await remove(Deployment, here(name));
      for (const name of JOBS) {
        const options = { propagationPolicy: 'Background' } as const;
        await client.delete(Job, here(name), options).catch(ignoreNotFound);
      }
      for (const name of CLAIMS) await remove(DataSourceClaim, here(name));
      for (const name of SOURCES) await remove(DataSource, { name: dataOf(name) });
      await remove(PropagationPolicy, here('all'));
    },
  };
};
