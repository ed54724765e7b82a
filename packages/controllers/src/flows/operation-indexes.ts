import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ObjectRef } from '@perigee/kube/client/client';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  keyOfOperation,
  OPERATION_KINDS,
  type Operation,
  type OperationKey,
  type OperationKind,
  predecessorKeys,
  statusOf,
  textOfKey,
} from '@perigee/scheduling/flows/operation';
import { reasonIn } from '@perigee/scheduling/flows/operation-conditions';
import { OPERATION, operationLabel } from '@perigee/scheduling/flows/operation-run-objects';
import { datasetsOf, writtenData } from '@perigee/scheduling/flows/written-data';

const RUNS_AFTER = 'runs-after';
const WRITES = 'writes-data';
const WORKS_ON = 'works-on-dataset';
const UNPLACED = 'not-placed';
const OF_OPERATION = 'of-operation';

const runsAfter = (operation: Operation): readonly string[] => [
  ...new Set(predecessorKeys(operation).map(textOfKey)),
];

const datasetKey = (namespace = '', name: string): string => `${namespace}/${name}`;

const worksOn = (operation: Operation): readonly string[] =>
  datasetsOf(operation).map((name) => datasetKey(operation.metadata.namespace, name));

/** Key of all operations that are not placed. */
const ANYWHERE = '';
const NO_PLACE_YET: ReadonlySet<string | undefined> = new Set(['Held', 'NoCluster']);

/** The index keys of an operation that waits for a cluster: a policy, a cluster or a copy can bring one. */
const unplaced = (operation: Operation): readonly string[] => {
  const { phase, conditions } = statusOf(operation);
  const isHeld = reasonIn(conditions, 'Started') === 'WaitingForCluster' && phase === 'Pending';
  const isStuck = phase === 'Executing' && NO_PLACE_YET.has(reasonIn(conditions, 'Placed'));
  if (!isHeld && !isStuck) return [];
  return [ANYWHERE, operation.metadata.namespace ?? '', ...worksOn(operation)];
};

const ofOperation = ({ metadata }: ResourceBinding): readonly string[] => {
  const label = metadata.labels?.[OPERATION];
  return label === undefined ? [] : [label];
};

export const operationIndexes = [
  ...OPERATION_KINDS.flatMap((kind) => [
    index(kind, RUNS_AFTER, runsAfter),
    index(kind, WRITES, writtenData),
    index(kind, WORKS_ON, worksOn),
    index(kind, UNPLACED, unplaced),
  ]),
  index(ResourceBinding, OF_OPERATION, ofOperation),
];

export const kindOf = (name: string): OperationKind | undefined =>
  OPERATION_KINDS.find(({ kind }) => kind === name);

/** The ref of an operation in a controller of all four kinds: the name is prefixed with the kind. */
export const refOfKey = ({ kind, namespace, name }: OperationKey): ObjectRef => ({
  namespace,
  name: `${kind}/${name}`,
});

export const keyOfRef = ({ namespace = '', name }: ObjectRef): OperationKey => {
  const slash = name.indexOf('/');
  return {
    kind: name.slice(0, slash) as OperationKey['kind'],
    namespace,
    name: name.slice(slash + 1),
  };
};

export const refOfOperation = (operation: Operation): ObjectRef =>
  refOfKey(keyOfOperation(operation));

const byIndex = (cache: Caches, name: string, key: string): readonly Operation[] =>
  OPERATION_KINDS.flatMap((kind) => cache(kind).byIndex(name, key));

/** The operations that run after one. */
export const successorsOf = (cache: Caches, operation: Operation): readonly Operation[] =>
  byIndex(cache, RUNS_AFTER, textOfKey(keyOfOperation(operation)));

/** The other operations that write some of the same data. */
export const fellowWriters = (cache: Caches, operation: Operation): readonly Operation[] => {
  const all = writtenData(operation).flatMap((key) => byIndex(cache, WRITES, key));
  return [...new Set(all)].filter(({ metadata }) => metadata.uid !== operation.metadata.uid);
};

export const operationsOnDataset = (cache: Caches, { metadata }: Dataset): readonly Operation[] =>
  byIndex(cache, WORKS_ON, datasetKey(metadata.namespace, metadata.name));

/** The operations that wait for a cluster: all, those of a namespace, or those on one of its datasets. */
export const unplacedOperations = (
  cache: Caches,
  { namespace = ANYWHERE, dataset }: { readonly namespace?: string; readonly dataset?: string },
): readonly Operation[] =>
  byIndex(cache, UNPLACED, dataset === undefined ? namespace : datasetKey(namespace, dataset));

/** The bindings of the Jobs of an operation, of all of its attempts. */
export const bindingsOfOperation = (
  cache: Caches,
  operation: Operation,
): readonly ResourceBinding[] =>
  cache(ResourceBinding)
    .byIndex(OF_OPERATION, operationLabel(operation))
    .filter(({ metadata }) => metadata.namespace === operation.metadata.namespace);

/** The operation that a binding runs for. */
export const operationOfBinding = ({ metadata }: ResourceBinding): OperationKey | undefined => {
  const [kind = '', namespace = '', name] = (metadata.annotations?.[OPERATION] ?? '').split('/');
  if (kindOf(kind) === undefined || name === undefined) return undefined;
  // A user who may write bindings of one namespace must not affect another.
  return namespace === metadata.namespace
    ? { kind: kind as OperationKey['kind'], namespace, name }
    : undefined;
};
