import type { BoundResource } from '@perigee/api/kinds/placement/binding-spec';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { findCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import type { Binding } from '../placement/binding/binding.ts';
import { TEMPLATE_DIGEST } from '../placement/binding/template-digest.ts';
import { drivingTaints } from '../placement/failover/drive-out.ts';
import { tellOverrides } from './override-changes.ts';
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

/** The reason of a hold before the scheduler; undefined without one. */
const heldBack = ({ spec, status }: Binding): Omit<PlannedStep, 'afterSeconds'> | undefined => {
  if (spec.suspension?.scheduling !== true) return undefined;
  const admission = findCondition(status?.conditions, 'Admitted');
  return admission?.status === 'False'
    ? { reason: admission.reason as PlannedStep['reason'], message: admission.message }
    : { reason: 'SchedulingSuspended', message: 'its scheduling is suspended' };
};

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

const toldBinding = (
  state: PlanState,
  key: string,
  overriddenKeys: ReadonlySet<string>,
): readonly PlannedWork[] => {
  const before = state.touched.get(key);
  const now = state.bindings.get(key);
  const binding = now ?? before;
  // Dependencies are placed along with other work.
  if (binding === undefined || binding.spec.placement === undefined) return [];
  const [from, to] = [sharesOf(before), sharesOf(now)];
  const placingAction = actionOf(before, now, from, to);
  const action = placingAction === 'stay' && overriddenKeys.has(key) ? 'update' : placingAction;
  if (!state.about.has(key) && isAsBefore(action, before, now)) return [];
  const steps = state.steps.get(key) ?? [];
  const afterSeconds = steps.at(-1)?.afterSeconds ?? 0;
  const { resource } = binding.spec;
  return [
    { ...refOf(resource), action, from, to, afterSeconds, ...whyOf(action, steps, now), steps },
  ];
};

const toldUnbound = (state: PlanState, changes: readonly Change[]): readonly PlannedWork[] =>
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

const noteLost = (state: PlanState, change: Change): readonly string[] => {
  if (change.kind !== 'lose') return [];
  const { cluster } = change;
  if (drivingTaints(state.clusters.get(cluster)).length > 0) return [];
  return [
    `nothing leaves ${cluster} by itself: no ClusterTaintPolicy drives work out of lost clusters. ` +
      'What runs there waits for it to come back; see docs/failover.md.',
  ];
};

/** The result of a played plan, for people and programs. */
export const toldWork = (state: PlanState, changes: readonly Change[]): Plan => {
  const isAboutOverrides = changes.some((one) => one.kind === 'put' && one.of === 'override');
  const overriddenKeys = isAboutOverrides ? tellOverrides(state) : new Set<string>();
  return {
    work: [
      ...[...state.touched.keys()].flatMap((key) => toldBinding(state, key, overriddenKeys)),
      ...toldUnbound(state, changes),
    ].sort(byName),
    notes: [...state.notes, ...changes.flatMap((change) => noteLost(state, change))],
  };
};
