import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { OperationTransfer } from '@perigee/api/kinds/flows/operation-status';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { reportOf } from '@perigee/scheduling/flows/cluster-states';
import {
  isSimulated,
  keyOfOperation,
  type Operation,
  SIMULATE,
  statusOf,
} from '@perigee/scheduling/flows/operation';
import { reasonIn, type Word } from '@perigee/scheduling/flows/operation-conditions';
import type { OperationFacts } from '@perigee/scheduling/flows/operation-facts';
import { runName } from '@perigee/scheduling/flows/operation-run-objects';
import type { PlacedOperation } from '@perigee/scheduling/flows/place-operation';
import type { RenderedRun } from '@perigee/scheduling/flows/run-parts';
import { costOf, routeTo } from '@perigee/scheduling/flows/transfer-routes';
import type { Refusal } from '@perigee/scheduling/flows/validate-operation';
import { datasetsOf } from '@perigee/scheduling/flows/written-data';
import type { DataWriters } from './data-writers.ts';
import { clustersHolding } from './known-copies.ts';
import { successorsOf } from './operation-indexes.ts';
import { type KnownOperations, readDatasets } from './operation-placing.ts';
import { attemptOf, bindingOfRun } from './operation-runs.ts';
import { clusterOfWork, servingReport, transferWorks } from './transfer-works.ts';
import { isUnrecorded } from './unrecorded-data.ts';

const missingDataset = (cache: Caches, operation: Operation): string | undefined => {
  const { namespace = '' } = operation.metadata;
  return datasetsOf(operation).find((name) => {
    const dataset = cache(Dataset).get({ namespace, name });
    return dataset === undefined || dataset.metadata.deletionTimestamp !== undefined;
  });
};

/** True if the pods of a Job are simulated. Bindings of earlier versions have no such mark. */
const isPlayed = ({ metadata }: ResourceBinding, operation: Operation): boolean => {
  const mark = metadata.annotations?.[SIMULATE];
  return mark === undefined ? isSimulated(operation) : mark === 'true';
};

/** The placement by the binding of a Job, if it is not recorded yet. */
const placedBy = (
  operation: Operation,
  binding: ResourceBinding | undefined,
  placing: () => Word<'Placed'>,
): Word<'Placed'> | undefined => {
  if (binding === undefined) return undefined;
  const { spec, status, metadata } = binding;
  const isPlaced = (spec.clusters ?? []).length > 0;
  const admittedCondition = findCondition(status?.conditions, 'Admitted');
  if (!isPlaced && admittedCondition?.status === 'False') {
    return { status: 'False', reason: 'Held', message: admittedCondition.message };
  }
  const scheduled = findCondition(status?.conditions, 'Scheduled');
  if (!isPlaced && scheduled?.status === 'False') {
    const message = `${scheduled.message} (the binding ${metadata.name})`;
    return { status: 'False', reason: 'NoCluster', message };
  }
  const before = reasonIn(statusOf(operation).conditions, 'Placed');
  return isPlaced && (before === 'Held' || before === 'NoCluster') ? placing() : undefined;
};

/** The cost of bringing bytes to a cluster, by the price of their source. */
const costOfTransfer = (
  cache: Caches,
  operation: Operation,
  to: string,
  bytes: number,
): number | undefined => {
  const { transfer } = statusOf(operation);
  if (transfer?.path !== 'Direct') return undefined;
  return costOf(routeTo(cache(ClusterRecord).get({ name: transfer.from }), to), bytes);
};

/** The reason why the source cluster stopped serving the data of an unfinished operation. */
const servingFailure = (
  cache: Caches,
  operation: Operation,
  dataset: KnownOperations['dataset'],
): Refusal | undefined => {
  const { transfer } = statusOf(operation);
  if (transfer === undefined) return undefined;
  const { from } = transfer;
  if (cache(MemberCluster).get({ name: from }) === undefined) {
    const message = `the cluster ${from}, which has the data, is not registered any more`;
    return { reason: 'SourceFailed', message };
  }
  // Data that was changed elsewhere meanwhile is still there.
  const lostDataset = readDatasets(cache, operation).find(
    (name) => !clustersHolding(dataset(name)).includes(from),
  );
  if (lostDataset !== undefined) {
    const message = `${from} does not have the data of the dataset ${lostDataset} any more`;
    return { reason: 'SourceFailed', message };
  }
  const works = transferWorks(cache, keyOfOperation(operation));
  const failure = servingReport(works.filter((work) => clusterOfWork(work) === from))?.failure;
  return failure === undefined
    ? undefined
    : { reason: 'SourceFailed', message: `${from} does not serve the data: ${failure}` };
};

export interface FactSources extends KnownOperations {
  readonly writers: DataWriters;
  readonly placing: () => PlacedOperation;
  /** The run of an operation under a name, for data that comes on a path from another cluster. */
  readonly render: (
    operation: Operation,
    name: string,
    path: OperationTransfer['path'] | undefined,
  ) => RenderedRun;
}

/** The facts that the next step of an operation is decided on; most are read only when the decision asks. */
export const operationFacts = (
  operation: Operation,
  { find, newest, dataset, writers, placing, render }: FactSources,
  context: ReconcileContext,
): OperationFacts => {
  const { cache, clock } = context;
  const binding =
    statusOf(operation).phase === 'Executing' ? bindingOfRun(context, operation) : undefined;
  return {
    nowMs: clock.now(),
    find,
    isAwaited: () =>
      isUnrecorded(cache, operation, clock.now()) ||
      successorsOf(cache, operation).some((one) => {
        const { phase, waitingFor } = statusOf(one);
        return phase === '' || (phase === 'Pending' && waitingFor?.operationComplete === true);
      }),
    missingDataset: () => missingDataset(cache, operation),
    writerAhead: () => writers.aheadOf(operation, cache, newest),
    refusal: () => {
      const { crossing } = placing();
      if (crossing?.kind === 'refused') return crossing;
      const nextRun = runName(operation, attemptOf(operation) + 1);
      const run = render(operation, nextRun, crossing?.path);
      return run.kind === 'refused' ? run : undefined;
    },
    placementWord: () => placing().word,
    onlyCluster: () => placing().only,
    transfer: () => {
      const { crossing } = placing();
      return crossing?.kind === 'transfer'
        ? { from: crossing.from, path: crossing.path }
        : undefined;
    },
    costOf: (to, bytes) => costOfTransfer(cache, operation, to, bytes),
    servingFailure: () => servingFailure(cache, operation, dataset),
    report: binding && reportOf(binding, isPlayed(binding, operation)),
    placedWord: placedBy(operation, binding, () => placing().word),
  };
};
