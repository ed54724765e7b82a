import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { OperationStatus, OperationTransfer } from '@perigee/api/kinds/flows/operation-status';
import type { ObjectRef } from '@perigee/kube/client/client';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { OwnWrites } from '@perigee/kube/controller/own-writes';
import type { Source } from '@perigee/kube/controller/source';
import { ApiError, ignoreNotFound, isConflict } from '@perigee/kube/errors';
import type { Metrics } from '@perigee/kube/observe/metrics';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import {
  OPERATION_KINDS,
  type Operation,
  type OperationKey,
  type OperationKind,
  statusOf,
} from '@perigee/scheduling/flows/operation';
import { withCondition } from '@perigee/scheduling/flows/operation-conditions';
import { failedStep } from '@perigee/scheduling/flows/operation-run';
import { operationStep } from '@perigee/scheduling/flows/operation-step';
import type { PlacedOperation } from '@perigee/scheduling/flows/place-operation';
import { type MoverSettings, USUAL_MOVER } from '@perigee/scheduling/flows/render-mover-job';
import { renderRun } from '@perigee/scheduling/flows/render-run';
import type { RenderedRun } from '@perigee/scheduling/flows/run-parts';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { isRunHere } from '@perigee/scheduling/placement/binding/run-here';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { bindingIndexes } from '../data/claimed-bindings.ts';
import { dataIndexes } from '../data/data-indexes.ts';
import { RefusedRunError } from '../errors.ts';
import { policyIndexes } from '../placement/detector/policies.ts';
import { DataWriters } from './data-writers.ts';
import { datasetIndexes } from './dataset-indexes.ts';
import { type FactSources, operationFacts } from './gather-operation-facts.ts';
import { knownDataset } from './known-copies.ts';
import { bindingsOfOperation, keyOfRef, kindOf, operationIndexes } from './operation-indexes.ts';
import { OperationMetrics } from './operation-metrics.ts';
import { placingOf } from './operation-placing.ts';
import { attemptOf, ensureRun, removeRuns } from './operation-runs.ts';
import { otherWatches, watchesOf } from './operation-watches.ts';
import { reportOperation } from './report-operation.ts';
import { refuseWithoutKeys } from './staging-keys.ts';
import { transferIndexes } from './transfer-works.ts';

export interface DataOperationsOptions {
  readonly interpreter: Interpreter;
  /** Image, host paths and staging store of the mover; virtual members need none of them. */
  readonly mover?: MoverSettings;
  readonly metrics?: Metrics;
}

const FIELD_MANAGER = 'perigee-data-operations';

/** Advances data operations through their phases, and propagates their Jobs to clusters. */
class DataOperations {
  readonly #interpreter: Interpreter;
  readonly #mover: MoverSettings;
  readonly #own = new Map<string, OwnWrites<Operation>>(
    OPERATION_KINDS.map(({ kind }) => [kind, new OwnWrites()]),
  );
  readonly #writers = new DataWriters();
  readonly #metrics: OperationMetrics;

  constructor({ interpreter, mover = USUAL_MOVER, metrics }: DataOperationsOptions) {
    this.#metrics = new OperationMetrics(metrics);
    this.#interpreter = interpreter;
    this.#mover = mover;
  }

  get watches(): readonly Source[] {
    return [
      ...OPERATION_KINDS.flatMap((kind) => [
        ...watchesOf(kind),
        ...[this.#own.get(kind.kind)?.seenBy(kind)].filter((source) => source !== undefined),
      ]),
      ...otherWatches(),
    ];
  }

  async reconcile(ref: ObjectRef, context: ReconcileContext): Promise<ReconcileResult> {
    const key = keyOfRef(ref);
    const kind = kindOf(key.kind);
    const operation = kind && this.#find(key, context.cache);
    if (kind === undefined || operation === undefined) return undefined;
    if (operation.metadata.deletionTimestamp !== undefined || !isRunHere(operation))
      return undefined;
    return this.#advance(kind, operation, context);
  }

  #newest(operation: Operation): Operation {
    return this.#own.get(operation.kind)?.newest(operation) ?? operation;
  }

  /** The newest version of an operation: the last write of this process if the cache lags behind. */
  #find({ kind, namespace, name }: OperationKey, cache: Caches): Operation | undefined {
    const of = kindOf(kind);
    const operation = of && cache(of).get({ namespace, name });
    return operation && this.#newest(operation);
  }

  async #advance(
    kind: OperationKind,
    operation: Operation,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const { cache, client, signal } = context;
    const { namespace = '' } = operation.metadata;
    const datasets = new Map<string, Dataset | undefined>();
    const newest = (one: Operation) => this.#newest(one);
    const lookups = {
      find: (key: OperationKey) => this.#find(key, cache),
      newest,
      // The copies are computed from all operations on a dataset, and read several times.
      dataset: (name: string) => {
        if (!datasets.has(name)) {
          datasets.set(name, knownDataset(cache, { namespace, name }, newest));
        }
        return datasets.get(name);
      },
    };
    let placedOperation: PlacedOperation | undefined;
    const hasStaging = this.#mover.staging !== undefined;
    const placing = () => {
      placedOperation ??= placingOf(cache, operation, lookups, hasStaging);
      return placedOperation;
    };
    const sources: FactSources = {
      ...lookups,
      placing,
      writers: this.#writers,
      render: (one, name, path) => this.#render(one, name, path, lookups.dataset, placing),
    };
    const step = operationStep(operation, operationFacts(operation, sources, context));
    if (step.isExpired) {
      const { namespace = '', name, uid, resourceVersion } = operation.metadata;
      const preconditions = { uid, ...present({ resourceVersion: resourceVersion || undefined }) };
      await client
        .delete(kind, { namespace, name }, { preconditions, signal })
        .catch(ignoreNotFound);
      return undefined;
    }
    const updatedOperation = await this.#write(kind, operation, step.status, context);
    if (step.job === 'unwanted') await removeRuns(updatedOperation, 'all', context);
    if (step.job === 'wanted') await this.#run(kind, updatedOperation, sources, context);
    return step.nextMs === Infinity ? undefined : { requeueAfterMs: step.nextMs };
  }

  #render(
    operation: Operation,
    name: string,
    between: OperationTransfer['path'] | undefined,
    findDataset: (name: string) => Dataset | undefined,
    placing: () => PlacedOperation,
  ): RenderedRun {
    const { candidates: clusters } = placing();
    return renderRun(operation, name, { findDataset, mover: this.#mover, between, clusters });
  }

  /** Writes the status. A start counts as a writer of the data at once, before the cache shows it. */
  async #write(
    kind: OperationKind,
    operation: Operation,
    status: OperationStatus,
    context: ReconcileContext,
  ): Promise<Operation> {
    if (sameJson(status, operation.status)) return operation;
    const { cache, client, signal } = context;
    const { namespace = '', name } = operation.metadata;
    const isStart = status.phase === 'Executing' && statusOf(operation).phase === 'Pending';
    using _ = isStart ? this.#writers.start(operation) : undefined;
    const options = { fieldManager: FIELD_MANAGER, signal };
    const updatedOperation = await replaceStatus(client, kind, operation as never, status, options);
    this.#own.get(kind.kind)?.note(updatedOperation as never, cache(kind).get({ namespace, name }));
    reportOperation(operation, statusOf(operation), status, context);
    this.#metrics.note(operation, statusOf(operation), status);
    return updatedOperation as Operation;
  }

  async #run(
    kind: OperationKind,
    operation: Operation,
    { placing, render }: Pick<FactSources, 'placing' | 'render'>,
    context: ReconcileContext,
  ): Promise<void> {
    const { cache } = context;
    const maker = {
      interpreter: this.#interpreter,
      render: (one: Operation, name: string) =>
        render(one, name, statusOf(operation).transfer?.path),
      placing,
      find: (key: OperationKey) => this.#find(key, cache),
    };
    try {
      if (attemptOf(operation) > 1 && bindingsOfOperation(context.cache, operation).length > 0) {
        await removeRuns(operation, 'earlier', context);
      }
      await refuseWithoutKeys(operation, this.#mover.staging, context);
      await ensureRun(operation, maker, context);
    } catch (error) {
      const nowMs = context.clock.now();
      const status = statusOf(operation);
      if (error instanceof RefusedRunError) {
        await this.#write(
          kind,
          operation,
          failedStep(status, error.refusal, nowMs).status,
          context,
        );
        return;
      }
      if (error instanceof ApiError && error.code === 403 && !isConflict(error)) {
        const word = { status: 'False', reason: 'JobRefused', message: error.message } as const;
        const conditions = withCondition(status.conditions, 'Started', word, nowMs);
        await this.#write(kind, operation, { ...status, conditions }, context);
      }
      throw error;
    }
  }
}

export const dataOperationsController = (options: DataOperationsOptions): ControllerDefinition => {
  const operations = new DataOperations(options);
  const [first, ...others] = operations.watches;
  return defineController({
    name: 'data-operations',
    watches: [first as Source, ...others],
    reads: [DataSource, DataSourceClaim, PriorityClass, ClusterRecord],
    indexes: [
      ...operationIndexes,
      ...datasetIndexes,
      ...policyIndexes,
      ...dataIndexes,
      ...bindingIndexes,
      ...transferIndexes,
    ],
    concurrency: 64,
    reconcile: (ref, context) => operations.reconcile(ref, context),
  });
};
