import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { type ManifestStatus, Work } from '@perigee/api/kinds/placement/work';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import {
  findCondition,
  isConditionTrue,
  type NewCondition,
  setCondition,
} from '@perigee/api/values/conditions';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ApiError } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import { newTrouble } from '@perigee/scheduling/explain/member-trouble';
import type { MemberState } from '@perigee/scheduling/explain/snapshot';
import { isFinished } from '@perigee/scheduling/interpreter/completion-checks';
import { isOf } from '@perigee/scheduling/placement/work/member-object';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { MemberInformers } from '../../members/member-informers.ts';
import { memberMessage } from '../../members/member-message.ts';
import type { MemberView } from '../../members/member-view.ts';
import { podsOf, warningsOf } from '../../members/read-pods.ts';
import { tenantOfWork } from '../binding-work/binding-index.ts';
import { subjectOf } from '../execution/delivery-reports.ts';
import { type Manifest, manifestsOf, memberRefOf } from '../execution/manifest-writer.ts';
import { isReady, serving } from '../execution/served-clusters.ts';
import { clusterSource } from '../execution/work-sources.ts';

export interface WorkDegradedOptions {
  readonly members: MemberInformers;
  /** The clusters of an agent; by default all in push mode. */
  readonly clusters?: readonly string[];
}

/** An ordinary rollout is over by then; and work that is well for so long has recovered. */
const PATIENCE_MS = 30_000;
/** Longest pause between two looks at pods; until then, each pause doubles the time before. */
const LONGEST_PAUSE_MS = 600_000;
const MEMBER_TIMEOUT_MS = 5000;

const RECOVERED = {
  type: 'Degraded',
  status: 'False',
  reason: 'Recovered',
  message: 'It is well, or has ended',
} as const;

interface Task {
  readonly work: Work;
  readonly cluster: string;
  readonly view: MemberView;
}

/** The time in which a version of a Work is well, or is not. */
interface Spell {
  readonly kind: string;
  readonly since: number;
  readonly lookAt: number;
}

/** A Job has no health of its own. */
const isUnwell = ({ identifier, status, health }: ManifestStatus): boolean => {
  const { group = '', version, kind } = identifier;
  if (isFinished({ apiVersion: apiVersionOf({ group, version }), kind }, status)) return false;
  const { active = 0, ready = 0 } = (kind === 'Job' ? (status ?? {}) : {}) as JsonObject;
  return health === 'Unhealthy' || Number(active) > Number(ready);
};

const unwellManifest = (work: Work): Manifest | undefined => {
  const one = work.status?.manifestStatuses?.find(isUnwell);
  return one && manifestsOf(work)[Number(one.identifier.ordinal)];
};

const isDegraded = ({ status }: Work): boolean => isConditionTrue(status?.conditions, 'Degraded');

/** True if the Work is unwell, or recovers. A member that has lost an object does not say how it is. */
const isWatched = (work: Work): boolean =>
  unwellManifest(work) !== undefined ||
  (isDegraded(work) && (work.status?.manifestStatuses ?? []).length >= manifestsOf(work).length);

const isChange = (now: Work | undefined, before: Work | undefined): boolean =>
  now?.metadata.generation !== before?.metadata.generation ||
  (now && unwellManifest(now) !== undefined) !== (before && unwellManifest(before) !== undefined);

/** The object, by the watch that there is, and its pods. */
const readState = async (
  work: Work,
  manifest: Manifest,
  view: MemberView,
  { clock, signal }: ReconcileContext,
): Promise<MemberState> => {
  const { apiVersion, kind: name, metadata } = manifest;
  const kind = view.knownKind(apiVersion, name);
  const object = kind && view.watched(apiVersion, name)?.get(memberRefOf(kind, manifest));
  const { namespace = '', name: workName } = work.metadata;
  if (object === undefined || !isOf(object, { namespace, name: workName })) {
    return { pods: [], warnings: [] };
  }
  using deadline = deadlineAfter(clock, MEMBER_TIMEOUT_MS, signal);
  const resource = { apiVersion, kind: name, namespace: metadata.namespace, name: metadata.name };
  const none = (error: unknown): readonly JsonObject[] => {
    // An agent may be given fewer rights than usual.
    if (error instanceof ApiError) return [];
    throw error;
  };
  const options = { signal: deadline.signal };
  const [pods, warnings] = await Promise.all([
    podsOf(view.client, resource, object, options).catch(none),
    warningsOf(view.client, resource, options).catch(none),
  ]);
  return { object, pods, warnings };
};

const write = async (
  work: Work,
  condition: NewCondition<'Work', 'Degraded'>,
  { client, clock, signal }: ReconcileContext,
): Promise<void> => {
  // Guarded: other controllers have conditions in the same list.
  const conditions = setCondition(work.status?.conditions, condition, clock.now());
  const options = { fieldManager: 'perigee-work-degraded', signal };
  await patchStatus(client, Work, work, { conditions }, options);
};

/**
 * Reports why work that stays unwell in a member does not run: once for each cause, as the condition `Degraded` of its
 * Work, which outlives a restart, and as an Event on its template.
 */
export const workDegradedController = (options: WorkDegradedOptions): ControllerDefinition => {
  const { members, clusters } = options;
  const serves = serving(clusters);
  const spells = new Map<string, Spell>();

  const taskOf = (ref: ObjectRef, { cache }: ReconcileContext): Task | undefined => {
    const name = clusterOfExecutionNamespace(ref.namespace ?? '');
    const work = cache(Work).get(ref);
    if (name === undefined || work === undefined || !isWatched(work)) return undefined;
    const cluster = cache(MemberCluster).get({ name });
    if (cluster === undefined || !serves(cluster) || !isReady(cluster)) return undefined;
    const view = work.metadata.deletionTimestamp === undefined && members.viewOf(cluster);
    return view ? { work, cluster: name, view } : undefined;
  };

  const look = async (
    { work, cluster, view }: Task,
    manifest: Manifest,
    forMs: number,
    context: ReconcileContext,
  ): Promise<void> => {
    const before = findCondition(work.status?.conditions, 'Degraded');
    const { generation } = work.metadata;
    const isKnown = before?.status === 'True' && before.observedGeneration === generation;
    const state = await readState(work, manifest, view, context);
    const unwell = { forMs, reported: isKnown ? before.reason : undefined };
    const trouble = newTrouble(cluster, state, unwell);
    if (trouble === undefined) return;
    const { reason } = trouble;
    const message = memberMessage(trouble.message);
    const observed = present({ observedGeneration: generation });
    await write(work, { type: 'Degraded', status: 'True', reason, message, ...observed }, context);
    if (before?.reason === reason && before.message === message) return;
    context.events.warning(subjectOf(manifest), 'WorkDegraded', message);
  };

  return defineController({
    name: 'work-degraded',
    concurrency: 4,
    tenantOf: tenantOfWork,
    watches: [watch(Work, { when: isChange, resync: true }), clusterSource(clusters)],
    async reconcile(ref, context) {
      const key = objectKey(ref);
      const task = taskOf(ref, context);
      if (task === undefined) {
        spells.delete(key);
        return undefined;
      }
      const manifest = unwellManifest(task.work);
      const now = context.clock.monotonic();
      const kind = `${task.work.metadata.generation} ${manifest === undefined}`;
      const known = spells.get(key);
      const spell = known?.kind === kind ? known : { kind, since: now, lookAt: now + PATIENCE_MS };
      spells.set(key, spell);
      if (spell.lookAt > now) return { requeueAfterMs: spell.lookAt - now };
      if (manifest === undefined) {
        await write(task.work, RECOVERED, context);
        spells.delete(key);
        return undefined;
      }
      const forMs = now - spell.since;
      await look(task, manifest, forMs, context);
      const pauseMs = Math.min(forMs, LONGEST_PAUSE_MS);
      spells.set(key, { ...spell, lookAt: now + pauseMs });
      return { requeueAfterMs: pauseMs };
    },
  });
};
