import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import {
  isTerminal,
  type Operation,
  type OperationKey,
  type OperationKind,
  statusOf,
} from '@perigee/scheduling/flows/operation';
import { reasonIn } from '@perigee/scheduling/flows/operation-conditions';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import {
  fellowWriters,
  kindOf,
  operationOfBinding,
  operationsOnDataset,
  refOfKey,
  refOfOperation,
  successorsOf,
  unplacedOperations,
} from './operation-indexes.ts';
import { isOfTransfer, operationOfWork, transfersOutOf } from './transfer-works.ts';

/** True if successors have to be reconciled: only phases and cycles concern them. */
const isChangeForSuccessors = (
  now: Operation | undefined,
  before: Operation | undefined,
): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.uid !== before.metadata.uid ||
  now.status?.phase !== before.status?.phase ||
  reasonIn(statusOf(now).conditions, 'Started') !==
    reasonIn(statusOf(before).conditions, 'Started');

/** True if another writer of the same data may get its turn. */
const isChangeForWriters = (now: Operation | undefined, before: Operation | undefined): boolean =>
  before !== undefined &&
  (now === undefined ||
    now.status?.phase !== before.status?.phase ||
    reasonIn(statusOf(now).conditions, 'Started') !==
      reasonIn(statusOf(before).conditions, 'Started'));

const isBindingChange = (
  now: ResourceBinding | undefined,
  before: ResourceBinding | undefined,
): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  !sameJson(now.status, before.status);

/** True if it waits for another writer of the same data. */
export const isBlockedWriter = (operation: Operation): boolean =>
  reasonIn(statusOf(operation).conditions, 'Started') === 'DataInUse';

/** Watches operations: enqueues the operation itself, its successors, and other writers of its data. */
export const watchesOf = (kind: OperationKind): readonly Source[] => [
  watch(kind, { resync: true, map: (operation) => [refOfOperation(operation)] }),
  watch(kind, {
    atStart: false,
    when: isChangeForSuccessors,
    map: (operation, cache) => successorsOf(cache, operation).map(refOfOperation),
  }),
  watch(kind, {
    atStart: false,
    when: isChangeForWriters,
    map: (operation, cache) =>
      fellowWriters(cache, operation).filter(isBlockedWriter).map(refOfOperation),
  }),
];

/** The operations that wait for the data that a cancelled one still writes. */
const blockedBy = (key: OperationKey, cache: Caches): readonly ObjectRef[] => {
  const kind = kindOf(key.kind);
  const operation = kind && cache(kind).get({ namespace: key.namespace, name: key.name });
  if (operation === undefined || !isTerminal(statusOf(operation))) return [];
  return fellowWriters(cache, operation).filter(isBlockedWriter).map(refOfOperation);
};

const selectsOperations = (policy: AnyPolicy | undefined): boolean =>
  (policy?.spec.resourceSelectors ?? []).some(({ apiVersion }) =>
    apiVersion.startsWith('data.fluid.io/'),
  );

const isPolicyChange = (now: AnyPolicy | undefined, before: AnyPolicy | undefined): boolean =>
  (selectsOperations(now) || selectsOperations(before)) &&
  now?.metadata.generation !== before?.metadata.generation;

/** True for changes of a cluster's place or of its runtime; the rest of its status makes no cluster eligible. */
const isClusterChange = (now: MemberCluster | undefined, before: MemberCluster | undefined) =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  !sameJson(now.metadata.labels ?? {}, before.metadata.labels ?? {}) ||
  !sameJson(now.metadata.annotations ?? {}, before.metadata.annotations ?? {});

const heldIn = (dataset: Dataset | undefined): readonly string[] =>
  (dataset?.status?.clusters ?? [])
    .filter(({ state }) => state !== 'Evicted' && state !== 'Loading')
    .map(({ name }) => name);

const completeIn = (dataset: Dataset | undefined): readonly string[] =>
  (dataset?.status?.clusters ?? [])
    .filter(({ state }) => state === 'Complete')
    .map(({ name }) => name);

/** Watches the objects that can make a cluster eligible for waiting operations. */
const placeWatches = (): readonly Source[] => [
  ...[PropagationPolicy, ClusterPropagationPolicy].map((kind) =>
    watch(kind as ResourceKind<AnyPolicy>, {
      atStart: false,
      when: isPolicyChange,
      map: ({ metadata: { namespace } }, cache) =>
        unplacedOperations(cache, present({ namespace })).map(refOfOperation),
    }),
  ),
  watch(MemberCluster, {
    atStart: false,
    when: isClusterChange,
    map: (_, cache) => unplacedOperations(cache, {}).map(refOfOperation),
  }),
  watch(Dataset, {
    atStart: false,
    when: (now, before) => !sameJson(completeIn(now), completeIn(before)),
    map: ({ metadata: { namespace = '', name } }, cache) =>
      unplacedOperations(cache, { namespace, dataset: name }).map(refOfOperation),
  }),
];

/** Watches the bindings of operations, their datasets, and the objects that decide their clusters. */
export const otherWatches = (): readonly Source[] => [
  watch(ResourceBinding, {
    when: isBindingChange,
    map: (binding, cache) => {
      const key = operationOfBinding(binding);
      return key === undefined ? [] : [refOfKey(key), ...blockedBy(key, cache)];
    },
  }),
  watch(Dataset, {
    atStart: false,
    when: (now, before) => now === undefined || before === undefined,
    map: (dataset, cache) => operationsOnDataset(cache, dataset).map(refOfOperation),
  }),
  watch(Dataset, {
    atStart: false,
    when: (now, before) => heldIn(before).some((name) => !heldIn(now).includes(name)),
    map: (dataset, cache) =>
      heldIn(dataset).flatMap((name) => transfersOutOf(cache, name).map(refOfOperation)),
  }),
  watch(Work, {
    atStart: false,
    when: (now, before) =>
      isOfTransfer(now ?? before) &&
      !sameJson(now?.status?.manifestStatuses, before?.status?.manifestStatuses),
    map: (work) => {
      const key = operationOfWork(work);
      return key === undefined ? [] : [refOfKey(key)];
    },
  }),
  ...placeWatches(),
];
