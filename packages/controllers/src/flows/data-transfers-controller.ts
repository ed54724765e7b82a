import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { Work } from '@perigee/api/kinds/placement/work';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import { createAuthority, issueCertificate } from '@perigee/kube/pki/certificate-authority';
import { leafValidity } from '@perigee/kube/pki/validity';
import { type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { type MoverSettings, USUAL_MOVER } from '@perigee/scheduling/flows/render-mover-job';
import { servingName, type Transfer } from '@perigee/scheduling/flows/transfer';
import { keySecret, keysIn, type TransferKeys } from '@perigee/scheduling/flows/transfer-keys';
import { pullingObjects, servingObjects } from '@perigee/scheduling/flows/transfer-objects';
import { routeTo, shareOf, transferAddress } from '@perigee/scheduling/flows/transfer-routes';
import { textIn } from '@perigee/scheduling/interpreter/fields';
import { deleteWork, writeWork } from '../placement/binding-work/write-work.ts';
import { datasetIndexes } from './dataset-indexes.ts';
import { knownDataset } from './known-copies.ts';
import { keyOfRef, kindOf } from './operation-indexes.ts';
import { attemptOf } from './operation-runs.ts';
import { servingPort } from './serving-port.ts';
import { stageTransfer } from './stage-transfer.ts';
import { transferWatches } from './transfer-watches.ts';
import {
  clusterOfWork,
  isTransferring,
  manifestOf,
  type ServingReport,
  servingReport,
  targetsHaveAddress,
  transferIndexes,
  transfersOutOf,
  transferWork,
  transferWorks,
} from './transfer-works.ts';

/** Lifetime of the certificates; a transfer that takes longer is repeated as another attempt. */
const CERTIFICATE_MS = 30 * 86_400_000;
const PAUSE_MS = 10_000;
/** Retry interval: another controller creates the execution namespace of a cluster at about the same time. */
const CACHE_LAG_MS = 1000;

const newKeys = (nowMs: number): TransferKeys => {
  const validity = leafValidity(nowMs, CERTIFICATE_MS);
  const authority = createAuthority('perigee transfer', validity);
  return issueCertificate(authority, { commonName: 'perigee-mover', usage: 'server', validity });
};

/** The back-off before the next server after one that ended too early; none after the first. */
const pauseAfter = (last: ServingReport | undefined, nowMs: number): number =>
  last?.endedMs === undefined || last.server === 0
    ? 0
    : Math.min(PAUSE_MS, last.endedMs + PAUSE_MS - nowMs);

const nameOfWork = (operation: Operation, cluster: string, object: object): string => {
  const { namespace, name } = transferWork(operation, cluster, object as never);
  return `${namespace}/${name}`;
};

const recordOf = (cache: Caches, name: string) => cache(ClusterRecord).get({ name });

/** The clusters that a transfer has yet to reach. */
const targetsOf = (operation: Operation): readonly string[] =>
  (statusOf(operation).clusters ?? [])
    .filter(({ phase }) => phase !== 'Complete')
    .map(({ name }) => name);

/** The rate limit of a transfer: its share of the slowest link that it uses; undefined is unlimited. */
const rateOf = (cache: Caches, from: string, targets: readonly string[]): number | undefined => {
  // Data that goes through the store takes another route.
  const all = transfersOutOf(cache, from)
    .filter((one) => statusOf(one).transfer?.path === 'Direct')
    .map(targetsOf);
  const rates = targets.flatMap((to) => {
    const copies = all.filter((names) => names.includes(to));
    return shareOf(routeTo(recordOf(cache, from), to), copies.length) ?? [];
  });
  return rates.length === 0 ? undefined : Math.min(...rates);
};

/**
 * Transfers data from one cluster to others for an operation: a Job serves it in the source cluster, with keys for
 * this transfer only, and the target clusters get its address. Its Works are deleted at the end of the operation.
 */
class DataTransfers {
  readonly #mover: MoverSettings;

  constructor(mover: MoverSettings) {
    this.#mover = mover;
  }

  async reconcile(ref: ObjectRef, context: ReconcileContext): Promise<ReconcileResult> {
    const key = keyOfRef(ref);
    const kind = kindOf(key.kind);
    const { cache } = context;
    const operation = kind && cache(kind).get({ namespace: key.namespace, name: key.name });
    const works = transferWorks(cache, key);
    if (operation === undefined || !isTransferring(operation)) {
      await Promise.all(works.map((work) => deleteWork(work, context)));
      return undefined;
    }
    try {
      return await this.#keep(operation, works, context);
    } catch (error) {
      if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
      return { requeueAfterMs: CACHE_LAG_MS };
    }
  }

  async #keep(
    operation: Operation,
    works: readonly Work[],
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const { cache, clock } = context;
    const { transfer: route } = statusOf(operation);
    const targets = targetsOf(operation);
    const from = route?.from ?? '';
    const transfer = { operation, attempt: attemptOf(operation) };
    const world = this.#world(operation.metadata.namespace ?? '', cache);
    if (route?.path === 'Staging') {
      const { staging } = this.#mover;
      if (staging === undefined || targets.length === 0) return undefined;
      await stageTransfer(transfer, staging, { from, targets, works }, world, context);
      return undefined;
    }
    const member = cache(MemberCluster).get({ name: from });
    const address = member && transferAddress(member, recordOf(cache, from));
    // The targets are decided first: no server runs for an operation that is held.
    if (address === undefined || targets.length === 0) return undefined;
    const keys = await this.#keys(transfer, from, works, context);
    if (keys === undefined) return undefined;
    const current = new Set<string>([nameOfWork(operation, from, keySecret(transfer, keys))]);
    const last = servingReport(works.filter((work) => clusterOfWork(work) === from));
    const waitMs = pauseAfter(last, clock.now());
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const hasEnded = last?.endedMs !== undefined;
    const server = (last?.server ?? 0) + (hasEnded ? 1 : 0);
    const report = hasEnded ? undefined : last;
    const port = servingPort(transfer, address, from, report?.port, works, cache);
    const serving = {
      keys,
      server,
      targets,
      address,
      port,
      bytesPerSecond: rateOf(cache, from, targets),
    };
    const write = async (cluster: string, object: object): Promise<void> => {
      const desired = transferWork(operation, cluster, object as never);
      current.add(`${desired.namespace}/${desired.name}`);
      await writeWork(desired, { ...context, clock });
    };
    for (const object of servingObjects(transfer, serving, world)) await write(from, object);
    // A target cluster keeps the address that it got: another port replaces it, a missing one does not.
    if (port !== undefined && (report?.port !== undefined || targetsHaveAddress(works, from))) {
      for (const target of targets) {
        for (const object of pullingObjects(transfer, target, { ...serving, port }, world)) {
          await write(target, object);
        }
      }
    }
    const isCurrent = (work: Work): boolean =>
      current.has(`${work.metadata.namespace}/${work.metadata.name}`);
    await Promise.all(
      works.filter((work) => !isCurrent(work)).map((work) => deleteWork(work, context)),
    );
    return undefined;
  }

  #world(namespace: string, cache: Caches) {
    return {
      mover: this.#mover,
      findDataset: (name: string) => knownDataset(cache, { namespace, name }, (one) => one),
    };
  }

  /** The keys of a transfer: those in its first Work, or new ones if there is no Work yet. */
  async #keys(
    transfer: Transfer,
    from: string,
    works: readonly Work[],
    context: ReconcileContext,
  ): Promise<TransferKeys | undefined> {
    const keysWork = works.find((work) => {
      const object = manifestOf(work);
      const isSecret = textIn(object, 'kind') === 'Secret' && clusterOfWork(work) === from;
      return isSecret && textIn(object, 'metadata', 'name') === servingName(transfer);
    });
    if (keysWork !== undefined) return keysIn(manifestOf(keysWork));
    const fresh = keySecret(transfer, newKeys(context.clock.now()));
    const desired = transferWork(transfer.operation, from, fresh);
    // The Works that use the keys are written only once the keys are stored.
    await writeWork(desired, context);
    return undefined;
  }
}

/** Transfers data between clusters, for the operations that need it. */
export const dataTransfersController = ({
  mover = USUAL_MOVER,
}: {
  readonly mover?: MoverSettings;
}): ControllerDefinition => {
  const transfers = new DataTransfers(mover);
  const [first, ...others] = transferWatches();
  return defineController({
    name: 'data-transfers',
    watches: [first as Source, ...others],
    reads: [Dataset, MemberCluster],
    indexes: [...transferIndexes, ...datasetIndexes],
    concurrency: 16,
    reconcile: (ref, context) => transfers.reconcile(ref, context),
  });
};
