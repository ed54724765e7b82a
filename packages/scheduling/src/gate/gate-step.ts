import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { type Preflight, preflight } from '../data/carry-data.ts';
import type { ClaimData } from '../data/claim-data.ts';
import { carriedDataOf, HELD_FOR } from '../data/data-marks.ts';
import { isInLine } from '../placement/binding/queue-marks.ts';

/** Condition of the gate: released to the scheduler or held, and why. */
export interface Admittance {
  readonly isAdmitted: boolean;
  readonly message: string;
}

/** The writes of the gate for one binding; each is absent if nothing changes. */
export interface GateStep {
  readonly patch?: object;
  readonly admittance?: Admittance;
}

const MOST_NAMED = 3;

const waitingMessage = (waits: Preflight['waits']): string => {
  const examples = waits.slice(0, MOST_NAMED).map(({ claim, data }) => `${data} (claim ${claim})`);
  const more = waits.length - examples.length;
  return `waits for ${examples.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
};

/** Other suspensions stay. */
const releasePatch = ({ metadata: { resourceVersion }, spec }: ResourceBinding): object => {
  const { scheduling: _, ...others } = spec.suspension ?? {};
  return {
    metadata: { resourceVersion, annotations: { [HELD_FOR]: null } },
    spec: { suspension: Object.keys(others).length === 0 ? null : { scheduling: null } },
  };
};

/**
 * Releases held work once its placement includes the data of all claims and no queue holds it;
 * until then it reports the missing data. A suspension without our annotation belongs to a user.
 */
export const gateStep = (binding: ResourceBinding, claims: readonly ClaimData[]): GateStep => {
  const { metadata, spec, status } = binding;
  const isHeld =
    spec.suspension?.scheduling === true && metadata.annotations?.[HELD_FOR] !== undefined;
  const isClaimed = carriedDataOf(metadata).length > 0;
  const admission = findCondition(status?.conditions, 'Admitted');
  if (!isHeld && !isClaimed && admission === undefined) return {};
  const { isReady, waits } = preflight(binding, claims);
  // Data goes first, then queues: the dispatcher releases queued work.
  if (isReady && isInLine(metadata)) return {};
  if (isReady) {
    return {
      ...present({ patch: isHeld ? releasePatch(binding) : undefined }),
      admittance: { isAdmitted: true, message: 'nothing holds the work back' },
    };
  }
  if (waits.length === 0) return {};
  return { admittance: { isAdmitted: false, message: waitingMessage(waits) } };
};
