import type {
  OperationClusterState,
  OperationProgress,
} from '@perigee/api/kinds/flows/operation-status';
import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { checkLabelValue, checkQualifiedName } from '@perigee/schema/values/names';
import { numberIn, objectIn, objectsIn, textIn } from '../interpreter/fields.ts';

import type { NodeLabels } from './follow-nodes.ts';

/** The clusters of an operation's Job, and their reports. */
export interface RunReport {
  readonly clusters: readonly string[];
  readonly items: readonly AggregatedStatusItem[];
  readonly isSimulated: boolean;
  /** The labels of the node that it ran on, by cluster. */
  readonly nodeLabels: (cluster: string) => NodeLabels;
}

const PROGRESS = [
  'bytesDone',
  'bytesTotal',
  'filesDone',
  'filesTotal',
  'percentage',
  'bytesPerSecond',
  'secondsLeft',
  'retries',
] as const;

/** Reports of members are untrusted; only whole numbers from 0 on are accepted. */
const wholeNumbers = (report: JsonObject, fields: readonly string[]): { [field: string]: number } =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = numberIn(report, field);
      const isWhole = value !== undefined && Number.isSafeInteger(value) && value >= 0;
      return isWhole ? [[field, field === 'percentage' ? Math.min(value, 100) : value]] : [];
    }),
  );

const resultIn = (report: JsonObject): OperationClusterState['result'] => {
  const digest = textIn(report, 'digest');
  const result = {
    ...wholeNumbers(report, ['bytes', 'files', 'bytesCopied', 'retries']),
    ...present({ digest: unlessEmpty(digest) }),
  };
  return Object.keys(result).length === 0 ? undefined : result;
};

const LONGEST_MESSAGE = 4096;
const MOST_NODE_LABELS = 32;

type Outcome = Pick<OperationClusterState, 'phase' | 'reason' | 'message'>;

/** Reasons of the Job that the API lists; others are replaced. */
const FAILURES: ReadonlySet<string> = new Set(['BackoffLimitExceeded', 'DeadlineExceeded']);

const outcomeOf = (status: JsonObject, message: string, isSimulated: boolean): Outcome => {
  const conditionOf = (type: string) =>
    objectsIn(status, 'conditions').find((one) => one.type === type && one.status === 'True');
  if (conditionOf('Complete') !== undefined) {
    const reason = isSimulated ? 'Simulated' : 'Succeeded';
    return { phase: 'Complete', reason, ...present({ message: unlessEmpty(message) }) };
  }
  const failure = conditionOf('Failed');
  if (failure !== undefined) {
    const reason = textIn(failure, 'reason');
    // The message of the Job about a rule for exit codes repeats who failed, not why.
    const ofJob = reason === 'PodFailurePolicy' && message !== '' ? '' : textIn(failure, 'message');
    return {
      phase: 'Failed',
      reason: FAILURES.has(reason) ? reason : 'JobFailed',
      message: [message, ofJob].filter((text) => text !== '').join('; '),
    };
  }
  const isAtWork = (numberIn(status, 'active') ?? 0) > 0 || textIn(status, 'startTime') !== '';
  const phase = isAtWork ? ('Executing' as const) : ('Pending' as const);
  return { phase, ...present({ message: unlessEmpty(message) }) };
};

const endOf = (status: JsonObject): string => {
  const ends = objectsIn(status, 'conditions')
    .filter((one) => ['Complete', 'Failed'].includes(textIn(one, 'type')))
    .map((one) => textIn(one, 'lastTransitionTime'));
  return textIn(status, 'completionTime') || ends[0] || '';
};

const stateIn = (
  name: string,
  item: AggregatedStatusItem | undefined,
  isSimulated: boolean,
): OperationClusterState => {
  const status = (item?.status ?? {}) as JsonObject;
  const operation = objectIn(status, 'operation');
  const words = textIn(operation, 'message').slice(0, LONGEST_MESSAGE);
  const refusal = item?.applied === false ? (item.appliedMessage ?? '') : '';
  const outcome = outcomeOf(status, words || refusal, isSimulated);
  const startTime = textIn(status, 'startTime');
  const isOver = outcome.phase === 'Complete' || outcome.phase === 'Failed';
  const completionTime = isOver ? endOf(status) : '';
  const node = textIn(operation, 'node');
  const progress = wholeNumbers(objectIn(operation, 'progress'), PROGRESS);
  const result = isSimulated ? undefined : resultIn(objectIn(operation, 'result'));
  return {
    name,
    ...outcome,
    ...present({
      startTime: unlessEmpty(startTime),
      completionTime: unlessEmpty(completionTime),
      node: unlessEmpty(node),
      progress: Object.keys(progress).length === 0 ? undefined : progress,
      result,
    }),
  };
};

/** The operation's state in each cluster, by cluster name. Complete is final, even if the cluster goes away. */
export const clusterStates = (
  before: readonly OperationClusterState[],
  { clusters, items, isSimulated }: RunReport,
): readonly OperationClusterState[] => {
  const complete = before.filter(({ phase }) => phase === 'Complete');
  const completeStates = new Map(complete.map((state) => [state.name, state]));
  const reports = new Map(items.map((item) => [item.clusterName, item]));
  return [...new Set([...clusters, ...completeStates.keys()])]
    .sort()
    .map((name) => completeStates.get(name) ?? stateIn(name, reports.get(name), isSimulated));
};

/** The report; if it has no clusters yet, with the ones that the Job was first sent to. */
export const forecast = (
  before: readonly OperationClusterState[],
  report: RunReport,
): RunReport => {
  if (report.clusters.length > 0 || report.items.length > 0) return report;
  const targets = before.filter(
    ({ phase, startTime }) => phase === 'Pending' && startTime === undefined,
  );
  return { ...report, clusters: targets.map(({ name }) => name) };
};

const sum = (numbers: readonly (number | bigint | undefined)[]): number | undefined =>
  numbers.some((one) => one === undefined)
    ? undefined
    : numbers.reduce<number>((total, one) => total + Number(one), 0);

/** The total progress over all clusters; undefined until each reports some. */
export const jointProgress = (
  states: readonly OperationClusterState[],
): OperationProgress | undefined => {
  const all = states.flatMap(({ progress }) => (progress === undefined ? [] : [progress]));
  if (all.length === 0 || all.length < states.length) return undefined;
  const total = (field: (typeof PROGRESS)[number]) => sum(all.map((one) => one[field]));
  const percentages = sum(all.map(({ percentage }) => percentage));
  const bytes = total('bytesTotal');
  // Each counts by its size, if all tell it.
  const weighed = sum(all.map((one) => Number(one.percentage) * Number(one.bytesTotal)));
  const percentage =
    percentages === undefined
      ? undefined
      : Math.floor(bytes ? Number(weighed) / bytes : percentages / all.length);
  const slowest = all.map(({ secondsLeft }) => secondsLeft);
  const secondsLeft = slowest.some((one) => one === undefined)
    ? undefined
    : Math.max(...slowest.map(Number));
  const joint = {
    ...Object.fromEntries(
      (
        ['bytesDone', 'bytesTotal', 'filesDone', 'filesTotal', 'bytesPerSecond', 'retries'] as const
      ).map((field) => [field, total(field)]),
    ),
    percentage,
    secondsLeft,
  };
  return Object.fromEntries(Object.entries(joint).filter(([, value]) => value !== undefined));
};

/** True if the operation is over in a cluster. */
export const isOverIn = ({ phase }: OperationClusterState): boolean =>
  phase === 'Complete' || phase === 'Failed';

/** The report in a binding. */
export const reportOf = (
  binding: {
    readonly spec: { readonly clusters?: readonly { readonly name: string }[] };
    readonly status?: { readonly aggregatedStatus?: readonly AggregatedStatusItem[] };
  },
  isSimulated: boolean,
): RunReport => {
  const items = binding.status?.aggregatedStatus ?? [];
  return {
    clusters: (binding.spec.clusters ?? []).map(({ name }) => name),
    items,
    isSimulated,
    nodeLabels: (cluster) => {
      const item = items.find(({ clusterName }) => clusterName === cluster);
      const labels = objectIn((item?.status ?? {}) as JsonObject, 'operation', 'nodeLabels');
      const texts = Object.entries(labels).filter((one): one is [string, string] => {
        const [key, value] = one;
        return (
          typeof value === 'string' &&
          [checkQualifiedName(key), checkLabelValue(value)].flat().length === 0
        );
      });
      return Object.fromEntries(texts.slice(0, MOST_NODE_LABELS));
    },
  };
};
