import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { carriedDataOf } from '@perigee/scheduling/data/data-marks';
import { isUnderWay } from '@perigee/scheduling/flows/claim-copy';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { sameJson } from '@perigee/schema/same-json';
import { isLocationChange } from './data-indexes.ts';

const COPYING = 'claims-copying';

const isCopying = ({ spec, status }: DataSourceClaim): boolean =>
  spec.onMissing === 'Copy' || isUnderWay(status?.copy);

/** The empty key stands for all namespaces. */
const copying = (claim: DataSourceClaim): readonly string[] =>
  isCopying(claim) ? ['', claim.metadata.namespace ?? ''] : [];

export const claimCopyIndexes = [index(DataSourceClaim, COPYING, copying)];

/** The claims with `onMissing: Copy`, of a namespace or of all. They are few. */
const copyingClaims = (cache: Caches, namespace = ''): readonly ObjectRef[] =>
  cache(DataSourceClaim).byIndex(COPYING, namespace).map(refOf);

/** True for changes that matter for copies, of the claim itself or of others of the same work. */
export const isClaimChange = (
  now: DataSourceClaim | undefined,
  before: DataSourceClaim | undefined,
): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  now.status?.boundDataSource !== before.status?.boundDataSource ||
  !sameJson((now.status?.copy ?? {}) as never, (before.status?.copy ?? {}) as never);

const isBindingChange = (
  now: ResourceBinding | undefined,
  before: ResourceBinding | undefined,
): boolean =>
  now?.metadata.generation !== before?.metadata.generation ||
  !sameJson(now?.status?.conditions as never, before?.status?.conditions as never);

const claimsOfBinding = ({ metadata }: ResourceBinding, cache: Caches): readonly ObjectRef[] => {
  const { namespace = '' } = metadata;
  const claims = copyingClaims(cache, namespace);
  if (claims.length === 0) return [];
  const carried = new Set(carriedDataOf(metadata).map(({ claim }) => claim));
  return claims.filter(({ name }) => carried.has(name));
};

const isOperationChange = (now: Operation | undefined, before: Operation | undefined): boolean =>
  now?.status?.phase !== before?.status?.phase ||
  now?.spec.cancel !== before?.spec.cancel ||
  now?.status?.transfer?.from !== before?.status?.transfer?.from ||
  now?.status?.progress?.bytesTotal !== before?.status?.progress?.bytesTotal ||
  now?.status?.progress?.percentage !== before?.status?.progress?.percentage;

/** Watches for everything else that can change whether a claim gets a copy. */
export const claimCopyWatches = (): readonly Source[] => [
  watch(DataSourceClaim, {
    atStart: false,
    when: isClaimChange,
    map: ({ metadata }, cache) => copyingClaims(cache, metadata.namespace),
  }),
  watch(ResourceBinding, { atStart: false, when: isBindingChange, map: claimsOfBinding }),
  watch(Dataset, {
    atStart: false,
    when: (now, before) =>
      !sameJson(now?.status?.clusters as never, before?.status?.clusters as never),
    map: ({ metadata }, cache) => copyingClaims(cache, metadata.namespace),
  }),
  ...OPERATION_KINDS.map((kind) =>
    watch(kind, {
      atStart: false,
      when: isOperationChange,
      map: ({ metadata }, cache) => copyingClaims(cache, metadata.namespace),
    }),
  ),
  watch(MemberCluster, {
    atStart: false,
    when: isLocationChange,
    map: (_, cache) => copyingClaims(cache),
  }),
  watch(ClusterRecord, {
    atStart: false,
    when: (now, before) =>
      !sameJson(
        (now?.spec.dataTransfer ?? {}) as never,
        (before?.spec.dataTransfer ?? {}) as never,
      ),
    map: (_, cache) => copyingClaims(cache),
  }),
];
