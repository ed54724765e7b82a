import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { MarkedWork, Reservation } from '../placement/binding/queue-marks.ts';
import { textOfAmounts } from './amounts.ts';
import type { ChosenClusters } from './work-item.ts';
import type { QueueStanding, WorkPart } from './work-of-binding.ts';
import { podsOfWork } from './work-pods.ts';

type WaitingStanding = QueueStanding & { kind: 'waiting' };

interface Grant {
  readonly work: MarkedWork;
  readonly demand: string;
  readonly reservation: Reservation;
}

/** Released work whose binding does not show the reservation yet. */
export class Grants {
  readonly #grants = new Map<string, Grant>();

  set(key: string, { work, copy }: WaitingStanding, reservation: Reservation): void {
    this.#grants.set(key, { work, demand: textOfAmounts(copy), reservation });
  }

  reservationOf(key: string): Reservation | undefined {
    return this.#grants.get(key)?.reservation;
  }

  has(key: string): boolean {
    return this.#grants.has(key);
  }

  delete(key: string): void {
    this.#grants.delete(key);
  }

  /** True if the work still has the queue and the demand it was granted. */
  holdsFor(key: string, { work: now, copy, claimsSettled, isSuspended }: WaitingStanding): boolean {
    const grant = this.#grants.get(key);
    if (grant === undefined || !claimsSettled || isSuspended) return false;
    return grant.work.queue === now.queue && grant.demand === textOfAmounts(copy);
  }
}

/** The parts of released work that its clusters do not run yet. */
export const grantedParts = (
  { spec }: ResourceBinding,
  clusters: ChosenClusters,
): readonly WorkPart[] =>
  Object.entries(clusters).map(([cluster, replicas]) => ({
    cluster,
    pods: podsOfWork(spec, replicas),
    isThere: false,
  }));
