import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { type ManifestStatus, Work } from '@perigee/api/kinds/placement/work';
import { isConditionTrue } from '@perigee/api/values/conditions';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { Settling } from '@perigee/kube/controller/settling';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { manifestStatus } from '@perigee/scheduling/placement/work/manifest-status';
import { isOf } from '@perigee/scheduling/placement/work/member-object';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import type { MemberInformers } from '../../members/member-informers.ts';
import type { MemberKind, MemberView } from '../../members/member-view.ts';
import { tenantOfWork } from '../binding-work/binding-index.ts';
import { manifestsOf, memberRefOf } from '../execution/manifest-writer.ts';
import { isReady, serving } from '../execution/served-clusters.ts';
import { clusterSource, memberSource } from '../execution/work-sources.ts';
import { OperationReports } from './operation-reports.ts';

export interface WorkStatusOptions {
  readonly members: MemberInformers;
  readonly interpreter: Interpreter;
  /** The clusters of an agent; by default all in push mode. */
  readonly clusters?: readonly string[];
  readonly concurrency?: number;
}

const MEMBER_TIMEOUT_MS = 5000;
/** Retry interval: a new watch lists existing objects, but reports no missing ones. */
const NOT_KNOWN_RETRY_MS = 5000;

const userOf = (work: ObjectRef): string => `status of ${objectKey(work)}`;

const isApplied = ({ status }: Work): boolean => isConditionTrue(status?.conditions, 'Applied');

const isWorkChange = (now: Work | undefined, before: Work | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  isApplied(now) !== isApplied(before);

interface Observed {
  /** Undefined while it is unknown. */
  readonly statuses: readonly ManifestStatus[] | undefined;
  /** The requeue delay, unless an event comes first. */
  readonly againMs?: number;
}

const reportedStatus = ({ status }: Work, ordinal: number): JsonObject | undefined =>
  status?.manifestStatuses?.find(({ identifier }) => Number(identifier.ordinal) === ordinal)
    ?.status as JsonObject | undefined;

/** Reads the member's object of each manifest. */
const observe = async (
  work: Work,
  view: MemberView,
  { interpreter, reports }: { interpreter: Interpreter; reports: OperationReports },
  signal: AbortSignal,
): Promise<Observed> => {
  const user = userOf(work.metadata);
  const kinds: MemberKind[] = [];
  const statuses: ManifestStatus[] = [];
  let isKnown = true;
  let againMs: number | undefined;
  for (const [ordinal, manifest] of manifestsOf(work).entries()) {
    const { apiVersion } = manifest;
    const kind = await view.kindOf(apiVersion, manifest.kind, { signal });
    const informer = view.watch(kind, user);
    kinds.push(kind);
    isKnown &&= informer.hasSynced;
    const observed = informer.get(memberRefOf(kind, manifest));
    const { namespace = '', name } = work.metadata;
    if (observed === undefined || !isOf(observed, { namespace, name })) continue;
    const kindInterpreter = interpreter.of(apiVersion, manifest.kind);
    const report = manifestStatus({ ordinal, kind, live: observed }, kindInterpreter);
    const isJob = kind.group === 'batch' && kind.kind === 'Job';
    const run = isJob
      ? await reports.of(view.client, observed, reportedStatus(work, ordinal), signal)
      : undefined;
    const operation = run?.report;
    againMs ??= run?.againMs;
    const status = { ...(report.status as JsonObject), ...present({ operation }) };
    statuses.push(operation ? { ...report, status } : report);
  }
  view.keepOnly(user, kinds);
  return {
    statuses: isKnown ? statuses : undefined,
    ...present({ againMs: againMs || undefined }),
  };
};

const write = async (
  { metadata: { namespace = '', name }, status }: Work,
  manifestStatuses: readonly ManifestStatus[],
  { client, signal }: ReconcileContext,
): Promise<void> => {
  if (sameJson(status?.manifestStatuses ?? [], manifestStatuses)) return;
  const options = { fieldManager: 'perigee-work-status', signal };
  // No other controller writes this field, so the write is unguarded.
  await patchStatus(
    client,
    Work,
    { metadata: { namespace, name } },
    { manifestStatuses },
    options,
  ).catch(ignoreNotFound);
};

/** Reports in each Work the status of its manifests in the member cluster. */
export const workStatusController = (options: WorkStatusOptions): ControllerDefinition => {
  const { members, interpreter, clusters } = options;
  const serves = serving(clusters);
  const reports = new OperationReports();
  /** A rollout changes a status many times. */
  let settling: Settling | undefined;
  return defineController({
    name: 'work-status',
    concurrency: options.concurrency ?? 16,
    tenantOf: tenantOfWork,
    watches: [
      watch(Work, { when: isWorkChange, resync: true }),
      clusterSource(clusters),
      memberSource(members, () => true),
    ],
    async reconcile(ref, context) {
      const name = clusterOfExecutionNamespace(ref.namespace ?? '');
      if (name === undefined) return undefined;
      settling ??= new Settling(context.clock);
      const key = objectKey(ref);
      const work = context.cache(Work).get(ref);
      if (work === undefined) {
        members.release(name, userOf(ref));
        settling.forget(key);
      }
      if (work === undefined || work.metadata.deletionTimestamp !== undefined) return undefined;
      const cluster = context.cache(MemberCluster).get({ name });
      // There is no status before the delivery.
      const hasAny = isApplied(work) || work.status?.manifestStatuses !== undefined;
      if (cluster === undefined || !serves(cluster) || !isReady(cluster) || !hasAny) {
        return undefined;
      }
      const view = members.viewOf(cluster);
      if (view === undefined) return undefined;
      using deadline = deadlineAfter(context.clock, MEMBER_TIMEOUT_MS, context.signal);
      const world = { interpreter, reports };
      const { statuses, againMs } = await observe(work, view, world, deadline.signal);
      if (statuses === undefined) return { requeueAfterMs: NOT_KNOWN_RETRY_MS };
      const restMs = settling.restOf(
        key,
        statuses.every(({ health }) => health === 'Healthy'),
      );
      if (restMs > 0) return { requeueAfterMs: restMs };
      await write(work, statuses, context);
      return againMs === undefined ? undefined : { requeueAfterMs: againMs };
    },
  });
};
