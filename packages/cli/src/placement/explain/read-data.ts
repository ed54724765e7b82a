import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden } from '@perigee/kube/errors';
import type { SourceClusters } from '@perigee/scheduling/data/carried-placement';
import { claimKey, claimsOf } from '@perigee/scheduling/data/concerned-work';
import { carriedDataOf } from '@perigee/scheduling/data/data-marks';
import type { WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { readingList } from './reading.ts';

/** Reads the clusters of a binding's data, if the user may: DataSources are cluster-scoped. */
export const readSourceClusters = async (
  client: Client,
  metadata: Pick<ObjectMeta, 'annotations'>,
): Promise<SourceClusters> => {
  const names = new Set(carriedDataOf(metadata).flatMap(({ source }) => source ?? []));
  const places = new Map<string, readonly string[]>();
  for (const name of names) {
    try {
      const source = await getOrUndefined(client, DataSource, { name });
      if (source !== undefined) places.set(name, source.status?.clusters ?? []);
    } catch (error) {
      if (!isForbidden(error)) throw error;
    }
  }
  return (source) => places.get(source);
};

/** Reads the claims of data that concern a workload. */
export const readClaims = async (
  client: Client,
  binding: Binding | undefined,
  template: Template | undefined,
): Promise<WorkSnapshot['claims']> => {
  const { namespace } = binding?.metadata ?? {};
  if (binding === undefined || namespace === undefined) return { value: [] };
  const all = await readingList(
    'claims of data',
    listAll(client, DataSourceClaim, { namespace }).then(({ items }) => items),
  );
  if ('hidden' in all) return all;
  const byKey = Map.groupBy(all.value, claimKey);
  const work = { binding, labels: template?.metadata.labels ?? {} };
  return {
    value: claimsOf(work, {
      byKey: (key) => byKey.get(key) ?? [],
      byName: (_, name) => all.value.find(({ metadata }) => metadata.name === name),
    }),
  };
};
