import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { ApiError } from '@perigee/kube/errors';
import { Event } from '@perigee/kubernetes/core/event';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { FURTHER_LABELS, reportedLabels } from '@perigee/scheduling/flows/follow-nodes';
import {
  isBeingMade,
  movingContainers,
  operationReport,
} from '@perigee/scheduling/flows/operation-report';
import { isPlayedRun, OPERATION, runsMover } from '@perigee/scheduling/flows/operation-run-objects';
import { objectIn, objectsIn, textIn } from '@perigee/scheduling/interpreter/fields';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';

/** The report of an operation beside the status of its Job. */
export interface ReportedRun {
  readonly report?: JsonObject;
  /** The delay until the next report, if no event comes first. */
  readonly againMs?: number;
}

const POLL_MS = 1000;
/** Poll interval of a pending pod: its reason may change without an event of its Job. The Job reports when it runs. */
const PENDING_POLL_MS = 5000;
/** Limit of Events to read: what keeps a pod from being made has one for each volume, and counts how often. */
const MOST_EVENTS = 50;
/** Limit of a log line; lines of the mover are shorter. */
const LINE_BYTES = 16_384;

const isFinished = (status: JsonObject): boolean =>
  objectsIn(status, 'conditions').some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );

const asJson = (pod: Pod): JsonObject => pod as unknown as JsonObject;

const succeeded = ({ status }: Pod): number => (status?.phase === 'Succeeded' ? 1 : 0);

/** The pod that represents a Job: a succeeded one, else the last. */
const byWeight = (a: Pod, b: Pod): number =>
  succeeded(b) - succeeded(a) ||
  (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1);

const podsOf = async (
  client: Client,
  job: JsonObject,
  signal: AbortSignal,
): Promise<readonly Pod[]> => {
  const labels = Object.entries(objectIn(job, 'spec', 'selector', 'matchLabels'));
  if (labels.length === 0) return [];
  const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(',');
  const namespace = textIn(job, 'metadata', 'namespace');
  const { items } = await client.list(Pod, { namespace, labelSelector, signal });
  return items.toSorted(byWeight);
};

/** The last log line of each running container; the result of a finished one is in its status. */
const lastLines = async (
  client: Client,
  { metadata, ...pod }: Pod,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  const lines = new Map<string, string>();
  const ref: ObjectRef = { namespace: metadata.namespace ?? '', name: metadata.name };
  for (const container of movingContainers(asJson({ metadata, ...pod }))) {
    const options = { container, tailLines: 1, limitBytes: LINE_BYTES, signal };
    try {
      lines.set(container, (await client.podLog?.(ref, options)) ?? '');
    } catch (error) {
      // Progress is optional: the node may be unreachable, or the right to read logs missing.
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return lines;
};

/** The reason why the volumes of a pod are not mounted, such as a missing Secret. */
const mountProblemOf = async (
  client: Client,
  pod: Pod,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (!isBeingMade(asJson(pod))) return undefined;
  const { namespace = '', uid } = pod.metadata;
  const fieldSelector = `involvedObject.uid=${uid},reason=FailedMount`;
  try {
    const { items } = await client.list(Event, {
      namespace,
      fieldSelector,
      limit: MOST_EVENTS,
      signal,
    });
    return items.at(-1)?.message;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
};

/** The labels of the node of a Job, for the affinity of its successors; none if nodes may not be read. */
const labelsOfNode = async (
  client: Client,
  job: JsonObject,
  podReport: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> => {
  const name = textIn(podReport, 'node');
  if (name === '') return {};
  try {
    const node = await getOrUndefined(client, Node, { name }, { signal });
    const further = textIn(objectIn(job, 'metadata', 'annotations'), FURTHER_LABELS);
    const all = node?.metadata.labels ?? {};
    const labelEntries = reportedLabels(further).flatMap((key) => {
      const value = all[key];
      return value === undefined ? [] : [[key, value] as const];
    });
    return labelEntries.length === 0 ? {} : { nodeLabels: Object.fromEntries(labelEntries) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {};
  }
};

/** The poll interval of an unfinished Job: while it copies, and until its pod runs; undefined otherwise. */
const againAfter = (job: JsonObject, pod: Pod | undefined): number | undefined => {
  if (pod?.status?.phase !== 'Running') return PENDING_POLL_MS;
  return runsMover(job) ? POLL_MS : undefined;
};

/** Reads the reports of data operations from their pods in members: two small reads per second for a copying pod. */
export class OperationReports {
  /** The pods of Jobs that copy now, by the uids of the Jobs. */
  readonly #pods = new Map<string, ObjectRef>();

  /** The report of a member's Job. That of a finished one is kept, as its pods may be gone. */
  async of(
    client: Client,
    job: JsonObject,
    lastStatus: JsonObject | undefined,
    signal: AbortSignal,
  ): Promise<ReportedRun> {
    const labels = objectIn(job, 'metadata', 'labels');
    if (labels[OPERATION] === undefined || isPlayedRun(job)) return {};
    const uid = textIn(job, 'metadata', 'uid');
    const before = lastStatus === undefined ? undefined : objectIn(lastStatus, 'operation');
    const status = objectIn(job, 'status');
    const isOver = isFinished(status);
    if (isOver) this.#pods.delete(uid);
    if (isOver && lastStatus !== undefined && isFinished(lastStatus))
      return before ? { report: before } : {};
    if (!isOver && textIn(status, 'startTime') === '') return {};
    const pod = await this.#podOf(client, job, isOver, signal);
    const lines = pod === undefined ? new Map() : await lastLines(client, pod, signal);
    const podReport =
      pod === undefined
        ? before
        : operationReport(asJson(pod), lines, await mountProblemOf(client, pod, signal));
    const nodeLabels =
      isOver && podReport ? await labelsOfNode(client, job, podReport, signal) : {};
    const report = podReport && { ...podReport, ...nodeLabels };
    const againMs = isOver ? undefined : againAfter(job, pod);
    return present({ report: isJsonObject(report) ? report : undefined, againMs });
  }

  /** Reads a running pod by name: a list would read all pods of the namespace each time. */
  async #podOf(
    client: Client,
    job: JsonObject,
    isOver: boolean,
    signal: AbortSignal,
  ): Promise<Pod | undefined> {
    const uid = textIn(job, 'metadata', 'uid');
    const ref = this.#pods.get(uid);
    const cachedPod = ref && (await getOrUndefined(client, Pod, ref, { signal }));
    const isCurrent =
      cachedPod?.status?.phase === 'Pending' || cachedPod?.status?.phase === 'Running';
    if (cachedPod !== undefined && isCurrent && !isOver) return cachedPod;
    const [pod] = await podsOf(client, job, signal);
    if (pod === undefined || isOver) this.#pods.delete(uid);
    else {
      const { namespace = '', name } = pod.metadata;
      this.#pods.set(uid, { namespace, name });
    }
    return pod;
  }
}
