import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { UnhealthySince } from '@perigee/scheduling/placement/failover/application-failure';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { formatTime, parseTime } from '@perigee/schema/values/time';

/** The times since which the work of a binding is unhealthy, by cluster. An annotation keeps them over a restart. */
export const UNHEALTHY_SINCE = 'policy.perigee.io/unhealthy-since';

/** Unreadable text counts as empty. */
const read = (text: string): JsonValue => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return {};
  }
};

const timeOf = (value: JsonValue | undefined): number | undefined => {
  try {
    return typeof value === 'string' ? parseTime(value) : undefined;
  } catch {
    return undefined;
  }
};

export const unhealthySince = ({ metadata }: Binding): UnhealthySince => {
  const annotation = read(metadata.annotations?.[UNHEALTHY_SINCE] ?? '{}');
  const entries = isJsonObject(annotation) ? Object.entries(annotation) : [];
  return new Map(
    entries.flatMap(([cluster, value]) => {
      const time = timeOf(value);
      return time === undefined ? [] : [[cluster, time] as const];
    }),
  );
};

/** The text of the annotation; null when the work is unhealthy nowhere. */
export const writtenSince = (since: UnhealthySince): string | null =>
  since.size === 0
    ? null
    : JSON.stringify(
        Object.fromEntries(
          [...since].sort().map(([cluster, time]) => [cluster, formatTime(time)] as const),
        ),
      );
