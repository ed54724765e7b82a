import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { statusesOf } from '../native/generations.ts';

/** Reads the state from a status, and ranks states: later in the list outweighs earlier. */
export interface StateRank {
  readonly read: (status: JsonObject) => string;
  readonly order: readonly string[];
}

const sum = (values: readonly (JsonValue | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0);

/** Sums numbers recursively; all other fields come from the leading status. */
const addUp = (leader: JsonObject, all: readonly JsonObject[]): JsonObject =>
  Object.fromEntries(
    Object.entries(leader).map(([field, value]) => {
      const values = all.map((status) => status[field]);
      if (typeof value === 'number') return [field, sum(values)];
      if (!isJsonObject(value)) return [field, value];
      return [field, addUp(value, values.filter(isJsonObject))];
    }),
  );

/**
 * Aggregates the statuses of all clusters. A single one is taken as it is; of several, the one with
 * the highest-ranked state leads, and numbers are summed.
 */
export const jointStatus =
  ({ read, order }: StateRank) =>
  (template: JsonObject, items: readonly AggregatedStatusItem[]): JsonObject => {
    const reports = statusesOf(items);
    if (reports.length === 0) return template;
    const rank = (status: JsonObject): number => order.indexOf(read(status));
    const leader = reports.reduce((most, status) => (rank(status) > rank(most) ? status : most));
    return { ...template, status: reports.length === 1 ? leader : addUp(leader, reports) };
  };

/** The state given by the last condition that is true. */
export const lastCondition = (status: JsonObject): string => {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return '';
  const trueConditions = conditions.filter((one) => isJsonObject(one) && one.status === 'True');
  const last = trueConditions.at(-1);
  return isJsonObject(last) && typeof last.type === 'string' ? last.type : '';
};

export const hasCondition = (status: JsonObject, type: string): boolean =>
  Array.isArray(status.conditions) &&
  status.conditions.some((one) => isJsonObject(one) && one.type === type && one.status === 'True');
