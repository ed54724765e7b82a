import { unknownNames, unknownText } from '../explain/stages/placement-stage.ts';
import { drivingTaints } from '../placement/failover/drive-out.ts';
import { nodeShortages } from './nodes-take.ts';
import type { PlanState } from './plan-state.ts';
import { isChange, type PlannedWork } from './planned-work.ts';
import { type Change, templateKey } from './world.ts';

/** The most workloads that a note names. */
const MOST_STAYING = 3;

const noteLost = (state: PlanState, change: Change): readonly string[] => {
  if (change.kind !== 'lose') return [];
  const { cluster } = change;
  if (drivingTaints(state.clusters.get(cluster)).length > 0) return [];
  return [
    `nothing leaves ${cluster} by itself: no ClusterTaintPolicy drives work out of lost clusters. ` +
      'What runs there waits for it to come back; see docs/failover.md.',
  ];
};

/** Names what a policy asks for in vain: its work may find a place all the same. */
const noteUnknown = (state: PlanState, change: Change): readonly string[] => {
  if (change.kind !== 'put' || change.of !== 'policy') return [];
  const { metadata, spec } = change.object;
  const unknown = unknownNames(spec.placement ?? {}, [...state.clusters.keys()]);
  return unknown.map((one) => `in the policy ${metadata.name}: ${unknownText(one)}`);
};

/** Warns of work that fits nowhere else: because of it, a cluster is not unregistered at all. */
const noteDrained = (change: Change, work: readonly PlannedWork[]): readonly string[] => {
  if (change.kind !== 'drain') return [];
  const { cluster } = change;
  const staying = work.filter(({ to }) => to.some(({ name }) => name === cluster));
  if (staying.length === 0) return [];
  const names = staying.slice(0, MOST_STAYING).map(({ kind, namespace, name }) => {
    const place = namespace === undefined ? '' : `${namespace}/`;
    return `${kind} ${place}${name}`;
  });
  const more = staying.length - names.length;
  return [
    `"perigee unregister ${cluster}" would do nothing of this as long as work there can go nowhere else: ` +
      `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Let it go elsewhere, delete it, or use --force.`,
  ];
};

/** Limit of notes about nodes: a change of a policy may be about all work. */
const MOST_ROOM_NOTES = 5;

/** Notes on work that a change gives more pods than nodes can take: those wait in the member. */
const roomNotes = (
  state: PlanState,
  work: readonly PlannedWork[],
  lostClusters: ReadonlySet<string>,
): readonly string[] => {
  // Work that stays in a lost cluster waits for that, and not for room.
  const isLost = ({ action, to }: PlannedWork) =>
    action === 'short' && to.some(({ name }) => lostClusters.has(name));
  const changedWork = work.filter((one) => isChange(one) && !isLost(one));
  const changed = new Set(changedWork.map((one) => templateKey(one)));
  const notes = [...state.touchedBindings.keys()].flatMap((key) => {
    const binding = state.bindings.get(key);
    if (binding === undefined || !changed.has(templateKey(binding.spec.resource))) return [];
    const { kind, name } = binding.spec.resource;
    return nodeShortages(state, binding).map(
      ({ cluster, replicas, fit }) =>
        `the nodes of ${cluster} have room for ${Math.max(0, fit)} of the ${replicas} replicas that ${kind.toLowerCase()}/${name} would have there: the other pods would wait`,
    );
  });
  const more = notes.length - MOST_ROOM_NOTES;
  return more > 0
    ? [...notes.slice(0, MOST_ROOM_NOTES), `${more} more lacks of room on nodes like these`]
    : notes;
};

/** Remarks about a played plan, beside its work. */
export const planNotes = (
  state: PlanState,
  changes: readonly Change[],
  work: readonly PlannedWork[],
  lostClusters: ReadonlySet<string>,
): readonly string[] => [
  ...changes.flatMap((change) => noteUnknown(state, change)),
  ...changes.flatMap((change) => noteLost(state, change)),
  ...changes.flatMap((change) => noteDrained(change, work)),
  ...roomNotes(state, work, lostClusters),
];
