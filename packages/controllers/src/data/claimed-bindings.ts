import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { carriedDataOf } from '@perigee/scheduling/data/data-marks';

const CARRYING = 'carries-claim';
const OF_WORK = 'of-work';

const groupOf = (apiVersion: string): string => apiVersion.split('/').toReversed()[1] ?? '';

const workKey = (
  namespace: string,
  { apiVersion, kind, name }: Pick<BoundResource, 'apiVersion' | 'kind' | 'name'>,
): string => JSON.stringify([namespace, groupOf(apiVersion), kind, name]);

const carrying = ({ metadata }: ResourceBinding): readonly string[] =>
  carriedDataOf(metadata).map(({ claim }) => `${metadata.namespace}/${claim}`);

const ofWork = ({ metadata, spec }: ResourceBinding): readonly string[] => [
  workKey(metadata.namespace ?? '', spec.resource),
];

export const bindingIndexes = [
  index(ResourceBinding, CARRYING, carrying),
  index(ResourceBinding, OF_WORK, ofWork),
];

/** Bindings that carry the data of a claim. */
export const bindingsCarrying = (
  cache: Caches,
  { metadata: { namespace, name } }: DataSourceClaim,
): readonly ResourceBinding[] => cache(ResourceBinding).byIndex(CARRYING, `${namespace}/${name}`);

export const bindingsOf = (
  cache: Caches,
  namespace: string,
  resource: Pick<BoundResource, 'apiVersion' | 'kind' | 'name'>,
): readonly ResourceBinding[] =>
  cache(ResourceBinding).byIndex(OF_WORK, workKey(namespace, resource));

/** Bindings that a claim concerns, or may concern. With a selector: all of its namespace. */
export const bindingsConcernedBy = (
  cache: Caches,
  claim: DataSourceClaim,
): readonly ResourceBinding[] => {
  const { namespace = '' } = claim.metadata;
  const { workload } = claim.spec;
  if (workload === undefined) return cache(ResourceBinding).listNamespace(namespace);
  return [...bindingsCarrying(cache, claim), ...bindingsOf(cache, namespace, workload)];
};
