import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import { nearNames } from '@perigee/api/values/near-names';
import { present, unlessEmpty } from '@perigee/schema/present';

type Expression = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
};

/** One requirement of an affinity that a cluster does not meet. */
interface Change<T> {
  /** The corrected requirement; absent to drop it. */
  readonly next?: T;
  readonly text: string;
  readonly cost: number;
}

/** An affinity that accepts a cluster. */
export interface FittedAffinity {
  readonly affinity: ClusterAffinity;
  readonly text: string;
  readonly cost: number;
}

/** The cost of correcting a misspelt word. */
export const NEAR = 1;
const OTHER = 2.2;
const DROPPED = 2.6;
const EACH_MORE = 0.5;

/** The requirement with another value, or without the one in the way; undefined if it is met. */
const fitRequirement = <T extends Expression>(
  one: T,
  what: string,
  clusterValues: readonly string[],
): Change<T> | undefined => {
  const { operator, values = [] } = one;
  const [value] = clusterValues;
  const has = clusterValues.some((each) => values.includes(each));
  const dropChange = (text: string) => ({ text, cost: DROPPED });
  switch (operator) {
    case 'In': {
      if (has) return undefined;
      if (value === undefined) return dropChange(`do not ask for the ${what}`);
      const near = nearNames(value, values)[0];
      const wrong = near ?? values[0];
      const isOnly = near !== undefined || values.length <= 1;
      const next = isOnly
        ? { ...one, values: [...values.filter((each) => each !== wrong), value] }
        : { ...one, values: [...values, value] };
      const text = isOnly
        ? `want the ${what} ${value} instead of ${wrong}`
        : `want the ${what} ${value} as well`;
      return { next, text, cost: near === undefined ? OTHER : NEAR };
    }
    case 'NotIn': {
      if (!has) return undefined;
      const otherValues = values.filter((each) => !clusterValues.includes(each));
      const text = `do not refuse the ${what} ${clusterValues.filter((each) => values.includes(each)).join(', ')}`;
      return otherValues.length === 0
        ? dropChange(text)
        : { next: { ...one, values: otherValues }, text, cost: DROPPED };
    }
    case 'Exists':
      return value === undefined ? dropChange(`do not ask for the ${what}`) : undefined;
    case 'DoesNotExist':
      return value === undefined ? undefined : dropChange(`do not refuse the ${what}`);
    default:
      return undefined;
  }
};

const all = <T extends Expression>(
  expressions: readonly T[],
  what: (key: string) => string,
  valuesOf: (key: string) => readonly string[],
) => {
  const changes = expressions.map((one) => ({
    one,
    change: fitRequirement(one, what(one.key), valuesOf(one.key)),
  }));
  return {
    next: changes.flatMap(({ one, change }) =>
      change === undefined ? [one] : change.next === undefined ? [] : [change.next],
    ),
    changes: changes.flatMap(({ change }) => change ?? []),
  };
};

const fieldsOf =
  ({ spec: { provider, region, zones } }: MemberCluster) =>
  (key: string): readonly string[] =>
    (key === 'zone' ? (zones ?? []) : [key === 'provider' ? provider : region]).flatMap(
      (one) => one || [],
    );

const labelsOf =
  ({ metadata: { labels = {} } }: MemberCluster) =>
  (key: string): readonly string[] =>
    Object.hasOwn(labels, key) ? [labels[key] ?? ''] : [];

const equal = ([key, value]: readonly [string, string]) => ({
  key,
  operator: 'In',
  values: [value],
});

/** An affinity with all unmet requirements corrected; undefined if all are met. */
export const affinityFitting = (
  affinity: ClusterAffinity,
  cluster: MemberCluster,
): FittedAffinity | undefined => {
  const { labelSelector = {}, fieldSelector = {} } = affinity;
  const label = (key: string) => `label ${key}`;
  const pairs = all(
    Object.entries(labelSelector.matchLabels ?? {}).map(equal),
    label,
    labelsOf(cluster),
  );
  const labels = all(labelSelector.matchExpressions ?? [], label, labelsOf(cluster));
  const fields = all(fieldSelector.matchExpressions ?? [], (key) => key, fieldsOf(cluster));
  const changes = [...pairs.changes, ...labels.changes, ...fields.changes];
  if (changes.length === 0) return undefined;
  const { labelSelector: _, fieldSelector: __, ...others } = affinity;
  const matchLabels = Object.fromEntries(
    pairs.next.map(({ key, values: [value = ''] }) => [key, value]),
  );
  const selector = present({
    matchLabels: pairs.next.length === 0 ? undefined : matchLabels,
    matchExpressions: unlessEmpty(labels.next),
  });
  const next = {
    ...others,
    ...present({
      labelSelector: Object.keys(selector).length === 0 ? undefined : selector,
      fieldSelector: fields.next.length === 0 ? undefined : { matchExpressions: fields.next },
    }),
  };
  const cost = Math.max(...changes.map((one) => one.cost)) + EACH_MORE * (changes.length - 1);
  return {
    affinity: next as ClusterAffinity,
    text: changes.map(({ text }) => text).join(' and '),
    cost,
  };
};
