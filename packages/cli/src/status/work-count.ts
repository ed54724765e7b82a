import { findCondition, isConditionTrue } from '@perigee/api/values/conditions';
import { bindingTroubles } from '@perigee/scheduling/explain/binding-troubles';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { present } from '@perigee/schema/present';
import type { DoubtfulWork, HeldWork, WorkStatus } from './fleet-status.ts';
import { byName, bySince, Shortlist } from './shortlist.ts';

/** Placeholders in brackets, to distinguish them from reasons of conditions. */
const UNDECIDED = { reason: '(undecided)', message: 'no scheduler has decided about it yet' };
const SUSPENDED = { reason: '(suspended)', message: 'spec.suspension.scheduling holds it back' };

/** The reason for a binding without placement: from the condition of the queue or gate that holds it, or Scheduled. */
const heldWork = ({ metadata, spec, status }: Binding): HeldWork => {
  const { kind, namespace, name } = spec.resource;
  const admittedCondition = findCondition(status?.conditions, 'Admitted');
  const isHeld = admittedCondition?.status === 'False';
  const condition = isHeld ? admittedCondition : findCondition(status?.conditions, 'Scheduled');
  const isSuspended = spec.suspension?.scheduling === true && !isHeld;
  const { reason, message } = isSuspended ? SUSPENDED : (condition ?? UNDECIDED);
  return {
    kind,
    ...present({ namespace }),
    name,
    since: condition?.lastTransitionTime ?? metadata.creationTimestamp,
    reason,
    message,
  };
};

/** The clusters where a placed binding is unhealthy, of unknown health, or outdated; undefined if there are none. */
const doubtfulWork = (binding: Binding): DoubtfulWork | undefined => {
  const troubles = bindingTroubles(binding);
  const [first] = troubles;
  if (first === undefined) return undefined;
  const { spec, status } = binding;
  const items = status?.aggregatedStatus ?? [];
  const { kind, namespace, name } = spec.resource;
  const clustersWith = (isSo: (item: (typeof items)[number]) => boolean) =>
    items.filter(isSo).map(({ clusterName }) => clusterName);
  return {
    kind,
    ...present({ namespace }),
    name,
    unknown: clustersWith(({ health }) => health === 'Unknown'),
    undelivered: clustersWith(({ applied }) => applied !== true),
    unhealthy: clustersWith(({ health }) => health === 'Unhealthy'),
    reason: first.reason,
    message: first.message,
    more: troubles.length - 1,
  };
};

/** True if a binding has clusters of its own, or follows work that has. */
const isSomewhere = ({ spec: { clusters = [], requiredBy = [] } }: Binding): boolean =>
  clusters.length > 0 || requiredBy.some((one) => (one.clusters ?? []).length > 0);

/** Counts placed and waiting work, and lists what needs attention. */
export class WorkCount {
  readonly #waiting: Shortlist<HeldWork>;
  readonly #doubtful: Shortlist<DoubtfulWork>;
  readonly #staying: Shortlist<HeldWork>;
  readonly #reasons: { [reason: string]: number } = {};
  #scheduled = 0;
  #applied = 0;
  #unknownHealth = 0;

  constructor(limit: number) {
    this.#waiting = new Shortlist<HeldWork>(limit, bySince);
    this.#doubtful = new Shortlist<DoubtfulWork>(limit, byName);
    this.#staying = new Shortlist<HeldWork>(limit, bySince);
  }

  add(binding: Binding): void {
    const { conditions } = binding.status ?? {};
    // A queue that takes work back empties its clusters; Scheduled still has the decision before.
    const isHeld = findCondition(conditions, 'Admitted')?.status === 'False';
    if ((isConditionTrue(conditions, 'Scheduled') && !isHeld) || isSomewhere(binding)) {
      this.#addScheduled(binding);
      return;
    }
    const work = heldWork(binding);
    this.#reasons[work.reason] = (this.#reasons[work.reason] ?? 0) + 1;
    this.#waiting.add(work);
  }

  get status(): WorkStatus {
    return {
      total: this.#scheduled + this.#waiting.total,
      scheduled: this.#scheduled,
      applied: this.#applied,
      unknownHealth: this.#unknownHealth,
      amiss: this.#doubtful.total,
      doubtful: this.#doubtful.items,
      unmet: this.#staying.total,
      staying: this.#staying.items,
      waiting: this.#waiting.total,
      reasons: this.#reasons,
      held: this.#waiting.items,
    };
  }

  #addScheduled(binding: Binding): void {
    const { conditions } = binding.status ?? {};
    this.#scheduled += 1;
    const isRefused = (type: string) => findCondition(conditions, type)?.status === 'False';
    if (isRefused('Scheduled') || isRefused('Admitted')) this.#staying.add(heldWork(binding));
    if (isConditionTrue(conditions, 'FullyApplied')) this.#applied += 1;
    const doubt = doubtfulWork(binding);
    if (doubt === undefined) return;
    if (doubt.unknown.length > 0) this.#unknownHealth += 1;
    this.#doubtful.add(doubt);
  }
}
