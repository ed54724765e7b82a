import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ClaimCopy } from '@perigee/api/kinds/data/claim-copy';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { Work } from '@perigee/api/kinds/placement/work';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { ApiError, isAlreadyExists } from '@perigee/kube/errors';
import {
  addUp,
  type CopyFacts,
  copiedCondition,
  copyOperation,
  decideCopy,
  isBringing,
  isUnderWay,
} from '@perigee/scheduling/flows/claim-copy';
import { dataPlanFacts, mayWait, waitingWork } from '@perigee/scheduling/flows/data-plan-facts';
import type { DataPlanWorld } from '@perigee/scheduling/flows/data-plan-world';
import { datasetUses } from '@perigee/scheduling/flows/dataset-uses';
import { followCopy } from '@perigee/scheduling/flows/follow-claim-copy';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import type { StagingStore } from '@perigee/scheduling/flows/staging-store';
import { costOf, routeTo } from '@perigee/scheduling/flows/transfer-routes';
import { claimCopyIndexes, claimCopyWatches, isClaimChange } from '../data/claim-copy-watches.ts';
import { claimCopyWorld } from '../data/claim-copy-world.ts';
import { bindingIndexes, bindingsConcernedBy } from '../data/claimed-bindings.ts';
import { ClusterLocations, dataIndexes } from '../data/data-indexes.ts';
import { datasetIndexes } from './dataset-indexes.ts';
import { clustersWith, knownDataset } from './known-copies.ts';
import { FIELD_MANAGER, writeCopyReport } from './write-copy-report.ts';

/** Requeues after a write, in case its event gets lost. */
const SOON_MS = 1000;
/** Status codes for which a retry of the same request is pointless. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 413, 422]);

/** Clusters with a complete copy that the DataSource does not list yet. */
const unregisteredCopies = (
  { claim, source, dataset }: DataPlanWorld,
  cache: Caches,
): readonly string[] => {
  if (dataset === undefined) return [];
  const ref = { namespace: claim.metadata.namespace ?? '', name: dataset.metadata.name };
  const registeredClusters = new Set(source?.spec.locality.clusterNames ?? []);
  return clustersWith(knownDataset(cache, ref, (operation) => operation)).filter(
    (name) => !registeredClusters.has(name),
  );
};

/** Copies the data of claims with `onMissing: Copy` to clusters where their work can run, if that is the best plan. */
class ClaimCopies {
  readonly #locations = new ClusterLocations();
  readonly #hasStaging: boolean;

  constructor(hasStaging: boolean) {
    this.#hasStaging = hasStaging;
  }

  async reconcile(claim: DataSourceClaim, context: ReconcileContext): Promise<ReconcileResult> {
    const { copy } = claim.status ?? {};
    const { generation = 0 } = claim.metadata;
    const isFailed = copy?.phase === 'Failed' && copy.generation === generation;
    if (copy !== undefined && (isUnderWay(copy) || isFailed)) {
      return this.#follow(claim, copy, context);
    }
    if (claim.spec.onMissing === 'Copy') return this.#decide(claim, context);
    await writeCopyReport(claim, {}, context);
    return undefined;
  }

  /** Writes the decision to the status before acting, so that after a crash the same decision is carried out. */
  async #decide(claim: DataSourceClaim, context: ReconcileContext): Promise<ReconcileResult> {
    const { nextMs, ...report } = decideCopy(this.#factsOf(claim, context));
    await writeCopyReport(claim, report, context);
    if (report.copy !== undefined) return { requeueAfterMs: SOON_MS };
    return nextMs === undefined ? undefined : { requeueAfterMs: nextMs };
  }

  #factsOf(claim: DataSourceClaim, { cache, clock }: ReconcileContext): CopyFacts {
    const nowMs = clock.now();
    const world = () => claimCopyWorld(claim, cache, nowMs, this.#locations, this.#hasStaging);
    const plan = () => dataPlanFacts(world(), 'time');
    // The world has all claims of the namespace in it, and every step of an operation asks each of them.
    if (!bindingsConcernedBy(cache, claim).some(mayWait)) {
      const facts = { isAwaited: false, arrivingOperation: undefined, unregisteredClusters: [] };
      return { nowMs, claim, plan, ...facts };
    }
    const present = world();
    return {
      nowMs,
      claim,
      isAwaited: waitingWork(present) !== undefined,
      arrivingOperation: this.#arrivingOperation(
        claim,
        present.dataset?.metadata.name,
        present.operations,
      ),
      unregisteredClusters: unregisteredCopies(present, cache),
      plan: () => dataPlanFacts(present, 'time'),
    };
  }

  async #follow(
    claim: DataSourceClaim,
    copy: ClaimCopy,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const { cache, client, clock, signal } = context;
    const ref = { namespace: claim.metadata.namespace ?? '', name: copy.operation };
    const operation =
      cache(DataLoad).get(ref) ?? (await getOrUndefined(client, DataLoad, ref, { signal }));
    const from = operation?.status?.transfer?.from ?? copy.from ?? '';
    const route = routeTo(cache(ClusterRecord).get({ name: from }), copy.cluster);
    const isStaged = operation?.status?.transfer?.path === 'Staging';
    const step = followCopy({
      nowMs: clock.now(),
      claim,
      copy,
      operation,
      costOf: (bytes) => (isStaged ? undefined : costOf(route, bytes)),
    });
    switch (step?.kind) {
      case undefined:
        return undefined;
      case 'withdraw':
        await this.#withdraw(claim, copy, context);
        return undefined;
      case 'create':
        return this.#create(claim, copy, context);
      case 'tell':
        if (step.isStopped && operation !== undefined) {
          const patch = { type: 'merge', body: { spec: { cancel: true } } } as const;
          await client.patch(DataLoad, refOf(operation), patch, { fieldManager: FIELD_MANAGER });
        }
        await writeCopyReport(claim, step, context);
        return undefined;
      default:
        return step satisfies never;
    }
  }

  /**
   * Creates the decided operation, unless a live list shows that another one is already bringing the data: the
   * cache may be stale.
   */
  async #create(
    claim: DataSourceClaim,
    copy: ClaimCopy,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const { cache, client, clock, signal } = context;
    const { namespace = '' } = claim.metadata;
    const world = claimCopyWorld(claim, cache, clock.now(), this.#locations, this.#hasStaging);
    const dataset = world.dataset?.metadata.name;
    const lists = OPERATION_KINDS.map((kind) => listAll(client, kind, { namespace, signal }));
    const operations = (await Promise.all(lists)).flatMap(({ items }) => items);
    const other = this.#arrivingOperation(claim, dataset, operations);
    if (dataset === undefined || other !== undefined) {
      await this.#withdraw(claim, copy, context);
      return undefined;
    }
    const object = copyOperation(claim, copy, dataset);
    try {
      await client.create(DataLoad, object as never, { fieldManager: FIELD_MANAGER, signal });
    } catch (error) {
      if (error instanceof ApiError && REFUSALS.has(error.code)) {
        const message = `the DataLoad ${copy.operation} was refused: ${error.message}`;
        await writeCopyReport(
          claim,
          {
            copy: { ...copy, phase: 'Failed' },
            condition: copiedCondition(claim, 'CopyFailed', message),
          },
          context,
        );
        return undefined;
      }
      if (!isAlreadyExists(error)) throw error;
    }
    return { requeueAfterMs: SOON_MS };
  }

  /** Drops a decision that was never carried out, including its costs. */
  async #withdraw(
    claim: DataSourceClaim,
    copy: ClaimCopy,
    context: ReconcileContext,
  ): Promise<void> {
    const { bytes, cost = '0' } = copy;
    const copied = addUp(claim, { copies: 0, bytes: -Number(bytes), cost: -Number(cost) });
    await writeCopyReport(claim, { copy: null, copied }, context);
  }

  /** Another operation that is bringing the dataset to a cluster. */
  #arrivingOperation(
    claim: DataSourceClaim,
    dataset: string | undefined,
    operations: readonly Operation[],
  ): Operation | undefined {
    if (dataset === undefined) return undefined;
    const own = claim.status?.copy?.operation;
    return operations.find(
      (one) =>
        one.metadata.name !== own &&
        isBringing(one) &&
        datasetUses(one).some((use) => use.dataset === dataset && use.does !== 'read'),
    );
  }
}

const isConcerned = (claim: DataSourceClaim | undefined): boolean =>
  claim?.spec.onMissing === 'Copy' || claim?.status?.copy !== undefined;

/** Concurrency 1: two claims for the same data must not copy it twice. */
export const claimCopyController = ({
  staging,
}: {
  readonly staging: StagingStore | undefined;
}): ControllerDefinition => {
  const copies = new ClaimCopies(staging !== undefined);
  return defineController({
    name: 'data-copies',
    for: DataSourceClaim,
    when: (now, before) => (isConcerned(now) || isConcerned(before)) && isClaimChange(now, before),
    watches: claimCopyWatches(),
    reads: [Work, MemberCluster, ClusterRoom, ClusterRecord, DataSource, DataLoad],
    indexes: [...claimCopyIndexes, ...bindingIndexes, ...dataIndexes, ...datasetIndexes],
    reconcile: async (ref, context) => {
      const claim = context.cache(DataSourceClaim).get(ref);
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return undefined;
      return copies.reconcile(claim, context);
    },
  });
};
