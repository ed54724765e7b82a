import { DataSource } from '@perigee/api/kinds/data/data-source';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { isForbidden } from '@perigee/kube/errors';
import type { SourceClusters } from '@perigee/scheduling/data/carried-placement';
import { carriedDataOf } from '@perigee/scheduling/data/data-marks';

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
