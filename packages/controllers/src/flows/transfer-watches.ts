import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Work } from '@perigee/api/kinds/placement/work';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { OPERATION_KINDS, type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { sameJson } from '@perigee/schema/same-json';
import { refOfKey, refOfOperation } from './operation-indexes.ts';
import { isOfTransfer, isTransferring, operationOfWork, transfersOutOf } from './transfer-works.ts';

const isRouteChange = (now: Operation | undefined, before: Operation | undefined): boolean => {
  if (now === undefined || before === undefined) return true;
  const names = ({ status }: Operation) =>
    (status?.clusters ?? []).map(({ name, phase }) => `${name} ${phase === 'Complete'}`);
  return (
    isTransferring(now) !== isTransferring(before) ||
    now.metadata.uid !== before.metadata.uid ||
    now.status?.attempts !== before.status?.attempts ||
    !sameJson(names(now), names(before))
  );
};

/** Other transfers out of the same cluster, which share its bandwidth. */
const fellows = (operation: Operation, cache: Caches): readonly ObjectRef[] => {
  const from = statusOf(operation).transfer?.from;
  return from === undefined ? [] : transfersOutOf(cache, from).map(refOfOperation);
};

const isWorkChange = (now: Work | undefined, before: Work | undefined): boolean =>
  isOfTransfer(now ?? before) &&
  (now === undefined ||
    before === undefined ||
    now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
    !sameJson(now.spec, before.spec) ||
    !sameJson(now.status?.manifestStatuses, before.status?.manifestStatuses));

/** Watches operations that get data from other clusters, their Works, and the links between clusters. */
export const transferWatches = (): readonly Source[] => [
  ...OPERATION_KINDS.flatMap((kind) => [
    watch(kind, { when: isRouteChange, map: (operation) => [refOfOperation(operation)] }),
    watch(kind, { atStart: false, when: isRouteChange, map: fellows }),
  ]),
  watch(Work, {
    when: isWorkChange,
    map: (work) => {
      const key = operationOfWork(work);
      return key === undefined ? [] : [refOfKey(key)];
    },
  }),
  watch(ClusterRecord, {
    atStart: false,
    when: (now, before) =>
      !sameJson(
        (now?.spec.dataTransfer ?? {}) as never,
        (before?.spec.dataTransfer ?? {}) as never,
      ),
    map: ({ metadata }, cache) => transfersOutOf(cache, metadata.name).map(refOfOperation),
  }),
];
