import type { Pod } from '@perigee/kubernetes/core/pod';
import { parseTime } from '@perigee/schema/values/time';

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

const endOf = ({ metadata, status }: Pod): number => {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) =>
    state?.terminated?.finishedAt === undefined ? [] : [parseTime(state.terminated.finishedAt)],
  );
  const fallbackTime = metadata.deletionTimestamp ?? metadata.creationTimestamp;
  return ends.length === 0 ? parseTime(fallbackTime) : Math.max(...ends);
};

/** End of the back-off: no replacement for failed pods starts before it. */
export const nextPodAt = (pods: readonly Pod[]): number => {
  const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded').map(endOf);
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...succeeded);
  const failures = pods
    .filter(({ status }) => status?.phase === 'Failed')
    .map(endOf)
    .filter((end) => end > lastSuccess);
  if (failures.length === 0) return Number.NEGATIVE_INFINITY;
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures.length - 1));
  return Math.max(...failures) + wait;
};
