import { present } from '@perigee/schema/present';
import type { CopiedData, DataChoice, PlannedRoute } from './data-plan.ts';
import { humanSize } from './human-size.ts';
import { formatCost } from './transfer-routes.ts';

const GIB = 2 ** 30;
/** Typical bandwidth between clusters, for routes without an observed copy or a limit. */
const ASSUMED_BYTES_PER_SECOND = 100 * 2 ** 20;

const speedOf = ({
  measuredSpeed,
  limit,
}: PlannedRoute): Pick<DataChoice, 'bytesPerSecond' | 'speed'> => {
  if (measuredSpeed !== undefined) {
    return {
      bytesPerSecond: Math.min(measuredSpeed, limit ?? Number.POSITIVE_INFINITY),
      speed: 'seen',
    };
  }
  return limit === undefined
    ? { bytesPerSecond: ASSUMED_BYTES_PER_SECOND, speed: 'assumed' }
    : { bytesPerSecond: limit, speed: 'limit' };
};

/** The limit of a claim that a copy would exceed. A route without a price counts as free. */
const overLimitOf = (
  bytes: number | undefined,
  cost: number,
  { allowance }: CopiedData,
): string | undefined => {
  if (allowance === undefined) return undefined;
  if (bytes === undefined) return 'nobody knows the size of the data, which the claim limits';
  if (bytes > allowance.bytes) {
    return `it is ${humanSize(bytes)}, and the claim has ${humanSize(allowance.bytes)} left to copy`;
  }
  return cost > allowance.cost
    ? `it costs ${formatCost(cost)}, and the claim has ${formatCost(allowance.cost)} left to spend`
    : undefined;
};

/** A copy of a claim's data along one route. */
export const copyBy = (route: PlannedRoute, facts: CopiedData): DataChoice => {
  const { bytes } = facts;
  const { bytesPerSecond = ASSUMED_BYTES_PER_SECOND, speed = 'assumed' } = speedOf(route);
  const { from = 'origin', to, pricePerGiB } = route;
  const cost =
    bytes === undefined || pricePerGiB === undefined ? undefined : (bytes / GIB) * pricePerGiB;
  const overLimit = overLimitOf(bytes, cost ?? 0, facts);
  const source = from === 'origin' ? 'its origin' : from;
  return {
    does: 'Copy',
    clusters: [to],
    from,
    ...(bytes === undefined ? {} : { bytes, seconds: Math.ceil(bytes / bytesPerSecond) }),
    ...present({ cost }),
    bytesPerSecond,
    speed,
    ...present({ overLimit }),
    why:
      overLimit ?? `the work may run in ${to}, and has room there; the data comes from ${source}`,
  };
};
