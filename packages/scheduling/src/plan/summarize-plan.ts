import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { findCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { isFinished, runsToCompletion } from '../interpreter/completion-checks.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { TEMPLATE_DIGEST } from '../placement/binding/template-digest.ts';
import { isWorkload } from '../placement/scheduler/placement-request.ts';
import { reportOverrides } from './override-changes.ts';
import { planNotes } from './plan-notes.ts';
import type { PlanState } from './plan-state.ts';
import type { Plan, PlannedAction, PlannedStep, PlannedWork } from './planned-work.ts';
import { type Change, keyOfTemplate } from './world.ts';

const sharesOf = (binding: Binding | undefined): readonly TargetCluster[] =>
  (binding?.spec.clusters ?? [])
    .map(({ name, replicas }) => (replicas === undefined ? { name } : { name, replicas }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

const namesOf = (clusters: readonly TargetCluster[]): readonly string[] =>
  clusters.map(({ name }) => name);

const digestOf = (binding: Binding | undefined): string | undefined =>
  binding?.metadata.annotations?.[TEMPLATE_DIGEST];

const actionOf = (
  before: Binding | undefined,
  now: Binding | undefined,
  from: readonly TargetCluster[],
  to: readonly TargetCluster[],
): PlannedAction => {
  if (from.length === 0) return to.length === 0 ? 'wait' : 'place';
  if (to.length === 0) return 'remove';
  if (!sameJson(namesOf(from), namesOf(to))) return 'move';
  if (!sameJson(from, to)) return 'scale';
  if (digestOf(before) === digestOf(now)) return 'stay';
  const scheduledCondition = findCondition(now?.status?.conditions, 'Scheduled');
  return scheduledCondition?.status === 'False' ? 'short' : 'update';
};

const MEANINGS: { readonly [action in 'update' | 'stay']: Omit<PlannedStep, 'afterSeconds'> } = {
  update: { reason: 'TemplateChanged', message: 'its copies change where they are' },
  stay: { reason: 'NotTouched', message: 'it stays as it is' },
};

/** Kinds that run pods, and have no replicas to divide. */
const UNDIVIDED: ReadonlySet<string> = new Set(['DaemonSet', 'CronJob']);

/** The lost clusters in which work stays, and does not run until they come back. */
const silentClusters = (
  binding: Binding,
  to: readonly TargetCluster[],
  lostClusters: ReadonlySet<string>,
): readonly string[] => {
  const { spec, status } = binding;
  const { resource } = spec;
  const hasPods = isWorkload(spec) || UNDIVIDED.has(resource.kind) || runsToCompletion(resource);
  if (!hasPods) return [];
  const isOver = (name: string) =>
    (status?.aggregatedStatus ?? []).some(
      (item) => item.clusterName === name && isFinished(spec.resource, item.status),
    );
  return namesOf(to).filter((name) => lostClusters.has(name) && !isOver(name));
};

/** The reason of a hold before the scheduler; undefined without one. */
const heldBack = ({ spec, status }: Binding): Omit<PlannedStep, 'afterSeconds'> | undefined => {
  if (spec.suspension?.scheduling !== true) return undefined;
  const admission = findCondition(status?.conditions, 'Admitted');
  return admission?.status === 'False'
    ? { reason: admission.reason as PlannedStep['reason'], message: admission.message }
    : { reason: 'SchedulingSuspended', message: 'its scheduling is suspended' };
};

const lostReason = (clusters: readonly string[]): Omit<PlannedStep, 'afterSeconds'> => ({
  reason: 'ClusterLost',
  message: `nothing takes it out of ${clusters.join(', ')}, and it does not run there until that comes back`,
});

const WAITING: ReadonlySet<PlannedAction> = new Set(['wait', 'short', 'stay']);

const whyOf = (
  action: PlannedAction,
  steps: readonly PlannedStep[],
  now: Binding | undefined,
): Omit<PlannedStep, 'afterSeconds'> => {
  // Waiting work shows its last reason; moved work the first.
  const step = WAITING.has(action) ? steps.at(-1) : steps[0];
  if (step !== undefined) return { reason: step.reason, message: step.message };
  const holdReason = now && heldBack(now);
  return holdReason ?? (action === 'update' ? MEANINGS.update : MEANINGS.stay);
};

/** True if work waits or stays for the same reason as before: the plan omits it. */
const isAsBefore = (
  action: PlannedAction,
  before: Binding | undefined,
  now: Binding | undefined,
): boolean => {
  if (before === undefined || (action !== 'wait' && action !== 'stay')) return false;
  const reasonOf = (binding: Binding | undefined) =>
    findCondition(binding?.status?.conditions, 'Scheduled')?.reason;
  return reasonOf(before) === reasonOf(now);
};

const refOf = ({ apiVersion, kind, namespace, name }: BoundResource) => ({
  apiVersion,
  kind,
  ...present({ namespace }),
  name,
});

const summarizeBinding = (
  state: PlanState,
  key: string,
  overriddenKeys: ReadonlySet<string>,
  lostClusters: ReadonlySet<string>,
): readonly PlannedWork[] => {
  const before = state.touchedBindings.get(key);
  const now = state.bindings.get(key);
  const binding = now ?? before;
  // Dependencies are placed along with other work.
  if (binding === undefined || binding.spec.placement === undefined) return [];
  const [from, to] = [sharesOf(before), sharesOf(now)];
  const placingAction = actionOf(before, now, from, to);
  const silent = placingAction === 'stay' ? silentClusters(binding, to, lostClusters) : [];
  const action =
    silent.length > 0
      ? 'short'
      : placingAction === 'stay' && overriddenKeys.has(key)
        ? 'update'
        : placingAction;
  if (!state.about.has(key) && isAsBefore(action, before, now)) return [];
  const steps = state.steps.get(key) ?? [];
  const reason =
    silent.length > 0 && steps.length === 0 ? lostReason(silent) : whyOf(action, steps, now);
  const afterSeconds = steps.at(-1)?.afterSeconds ?? 0;
  const { resource } = binding.spec;
  return [{ ...refOf(resource), action, from, to, afterSeconds, ...reason, steps }];
};

const summarizeUnbound = (state: PlanState, changes: readonly Change[]): readonly PlannedWork[] =>
  changes.flatMap((change) => {
    if (change.kind !== 'put' || change.of !== 'template') return [];
    const { apiVersion, kind, metadata } = change.object;
    const step = state.unbound.get(keyOfTemplate(change.object));
    if (step === undefined) return [];
    const { namespace, name } = metadata;
    const ref = { apiVersion, kind, name, ...present({ namespace }) };
    const { reason, message, afterSeconds } = step;
    return [
      { ...ref, action: 'wait', from: [], to: [], afterSeconds, reason, message, steps: [step] },
    ];
  });

const byName = (a: PlannedWork, b: PlannedWork): number => {
  const [left, right] = [a, b].map(
    ({ namespace = '', kind, name }) => `${namespace} ${kind} ${name}`,
  );
  return (left ?? '') < (right ?? '') ? -1 : 1;
};

/** The result of a played plan, for people and programs. */
export const summarizePlan = (state: PlanState, changes: readonly Change[]): Plan => {
  const isAboutOverrides = changes.some((one) => one.kind === 'put' && one.of === 'override');
  const overriddenKeys = isAboutOverrides ? reportOverrides(state) : new Set<string>();
  const lostClusters = new Set(
    changes.flatMap((change) => (change.kind === 'lose' ? [change.cluster] : [])),
  );
  const work = [
    ...[...state.touchedBindings.keys()].flatMap((key) =>
      summarizeBinding(state, key, overriddenKeys, lostClusters),
    ),
    ...summarizeUnbound(state, changes),
  ].sort(byName);
  return {
    work,
    notes: [...state.notes, ...planNotes(state, changes, work, lostClusters)],
  };
};
