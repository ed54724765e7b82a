import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { isInLine } from '../queues/queue-marks.ts';
import { type Preflight, preflight } from './carry-data.ts';
import type { ClaimData } from './claim-data.ts';
import { carriedDataOf, HELD_FOR } from './data-marks.ts';

/** Whether work is let through to the scheduler, for people. */
export interface Admittance {
  readonly isAdmitted: boolean;
  readonly message: string;
}

/** What the gate does about a binding; nothing of either when there is nothing to do. */
export interface GateStep {
  readonly patch?: object;
  readonly admittance?: Admittance;
}

const MOST_NAMED = 3;

const waitingMessage = (waits: Preflight['waits']): string => {
  const named = waits.slice(0, MOST_NAMED).map(({ claim, data }) => `${data} (claim ${claim})`);
  const more = waits.length - named.length;
  return `waits for ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
};

/** What else is suspended stays so. */
const releasing = ({ metadata: { resourceVersion }, spec }: ResourceBinding): object => {
  const { scheduling: _, ...others } = spec.suspension ?? {};
  return {
    metadata: { resourceVersion, annotations: { [HELD_FOR]: null } },
    spec: { suspension: Object.keys(others).length === 0 ? null : { scheduling: null } },
  };
};

/**
 * Lets work through that was held, once its placement carries the data of all claims and no queue has it in line, and
 * says which data it waits for until then. Scheduling that is suspended without our word for it is a user's matter.
 */
export const gateStep = (binding: ResourceBinding, claims: readonly ClaimData[]): GateStep => {
  const { metadata, spec, status } = binding;
  const isHeld =
    spec.suspension?.scheduling === true && metadata.annotations?.[HELD_FOR] !== undefined;
  const isClaimed = carriedDataOf(metadata).length > 0;
  const known = findCondition(status?.conditions, 'Admitted');
  if (!isHeld && !isClaimed && known === undefined) return {};
  const { isReady, waits } = preflight(binding, claims);
  // First data, then queues: the dispatcher decides about work that is in line.
  if (isReady && isInLine(metadata)) return {};
  if (isReady) {
    return {
      ...(isHeld ? { patch: releasing(binding) } : {}),
      admittance: { isAdmitted: true, message: 'nothing holds the work back' },
    };
  }
  if (waits.length === 0) return {};
  return { admittance: { isAdmitted: false, message: waitingMessage(waits) } };
};
