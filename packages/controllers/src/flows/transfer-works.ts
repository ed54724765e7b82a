import { Work } from '@perigee/api/kinds/placement/work';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  keyOfOperation,
  OPERATION_KINDS,
  type Operation,
  type OperationKey,
  statusOf,
  textOfKey,
} from '@perigee/scheduling/flows/operation';
import { MOST_SERVERS, serverOfJob } from '@perigee/scheduling/flows/transfer-objects';
import { numberIn, objectIn, objectsIn, textIn } from '@perigee/scheduling/interpreter/fields';
import { type DesiredWork, workFor } from '@perigee/scheduling/placement/work/desired-work';
import { TRANSFER_OF_WORK } from '@perigee/scheduling/placement/work/work-names';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { kindOf } from './operation-indexes.ts';

const OF_TRANSFER = 'of-transfer';
const OUT_OF = 'transfer-out-of';

/** True for Works of a transfer. It runs for every change of a Work, and is almost always false. */
export const isOfTransfer = (work: Work | undefined): boolean =>
  work?.metadata.annotations?.[TRANSFER_OF_WORK] !== undefined;

/** The operation whose transfer a Work is part of. */
export const operationOfWork = ({ metadata }: Work): OperationKey | undefined => {
  const [kind = '', namespace, name] = (metadata.annotations?.[TRANSFER_OF_WORK] ?? '').split('/');
  if (kindOf(kind) === undefined || !namespace || !name) return undefined;
  return { kind: kind as OperationKey['kind'], namespace, name };
};

const ofTransfer = (work: Work): readonly string[] => {
  const key = operationOfWork(work);
  return key === undefined ? [] : [textOfKey(key)];
};

/** True while an operation gets its data from another cluster. */
export const isTransferring = (operation: Operation): boolean =>
  statusOf(operation).phase === 'Executing' &&
  statusOf(operation).transfer !== undefined &&
  operation.metadata.deletionTimestamp === undefined;

const outOf = (operation: Operation): readonly string[] =>
  isTransferring(operation) ? [statusOf(operation).transfer?.from ?? ''] : [];

export const transferIndexes = [
  index(Work, OF_TRANSFER, ofTransfer),
  ...OPERATION_KINDS.map((kind) => index(kind, OUT_OF, outOf)),
];

/** The Works of a transfer, in all clusters. */
export const transferWorks = (cache: Caches, key: OperationKey): readonly Work[] =>
  cache(Work).byIndex(OF_TRANSFER, textOfKey(key));

/** The operations that get their data from a cluster right now. */
export const transfersOutOf = (cache: Caches, cluster: string): readonly Operation[] =>
  OPERATION_KINDS.flatMap((kind) => cache(kind).byIndex(OUT_OF, cluster));

/** The Work with an object of a transfer for a cluster. */
export const transferWork = (
  operation: Operation,
  cluster: string,
  object: JsonObject,
): DesiredWork => {
  const annotations = { [TRANSFER_OF_WORK]: textOfKey(keyOfOperation(operation)) };
  const name = `transfer-${textIn(object, 'kind').toLowerCase()}-${textIn(object, 'metadata', 'name')}`;
  return workFor(cluster, object, { labels: {}, annotations }, { name });
};

export const clusterOfWork = ({ metadata }: Work): string =>
  clusterOfExecutionNamespace(metadata.namespace ?? '') ?? '';

/** The object that a Work carries. */
export const manifestOf = ({ spec }: Work): JsonObject => {
  const [manifest] = spec.workload?.manifests ?? [];
  return isJsonObject(manifest) ? manifest : {};
};

/** True if a cluster has got an address of the data before. */
export const targetsHaveAddress = (works: readonly Work[], from: string): boolean =>
  works.some(
    (work) => clusterOfWork(work) !== from && textIn(manifestOf(work), 'kind') === 'ConfigMap',
  );

/** The Job that serves the data of an operation, as its cluster reports it. */
export interface ServingReport {
  /** The number of the server, the newest that there is. */
  readonly server: number;
  readonly port?: number;
  /** True once all data is uploaded to the staging store. */
  readonly isStaged?: boolean;
  /** The time at which it ended too early, if another server follows. */
  readonly endedMs?: number;
  /** The reason of a permanent failure. */
  readonly failure?: string;
}

const HIGHEST_PORT = 65_535;

/** A cluster's report on its serving Job. Of the address only the port is trusted. */
export const servingReport = (works: readonly Work[]): ServingReport | undefined => {
  const [work] = works
    .filter((one) => textIn(manifestOf(one), 'kind') === 'Job')
    .toSorted((a, b) => serverOfJob(manifestOf(b)) - serverOfJob(manifestOf(a)));
  if (work === undefined) return undefined;
  const job = manifestOf(work);
  const server = serverOfJob(job);
  const jobStatus = work.status?.manifestStatuses?.[0]?.status;
  if (!isJsonObject(jobStatus)) return { server };
  const operation = objectIn(jobStatus, 'operation');
  const port = numberIn(objectIn(operation, 'serving'), 'port');
  const isPort = Number.isInteger(port) && Number(port) > 0 && Number(port) <= HIGHEST_PORT;
  const trueCondition = (type: string) =>
    objectsIn(jobStatus, 'conditions').find((one) => one.type === type && one.status === 'True');
  const failedCondition = trueCondition('Failed');
  const messages = [textIn(operation, 'message'), textIn(failedCondition ?? {}, 'message')];
  const isFollowed =
    numberIn(job, 'spec', 'backoffLimit') === 0 &&
    operation.failsAgain !== true &&
    server + 1 < MOST_SERVERS;
  const end = { endedMs: Date.parse(textIn(failedCondition ?? {}, 'lastTransitionTime')) || 0 };
  const failure = { failure: messages.filter((one) => one !== '').join('; ') };
  return {
    server,
    ...present({
      port: isPort ? port : undefined,
      isStaged: trueCondition('Complete') === undefined ? undefined : true,
    }),
    ...(failedCondition === undefined ? {} : isFollowed ? end : failure),
  };
};
