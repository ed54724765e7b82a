import type { OperationProgress } from '@perigee/api/kinds/flows/operation-status';
import { present } from '@perigee/schema/present';
import type { Flow, FlowStep } from './flow-graph.ts';
import { isTerminal, type OperationKey, policyOf, predecessorKeys, statusOf } from './operation.ts';
import { formatCost } from './transfer-routes.ts';

/** The report of a step, for programs as for people. */
export interface StepReport {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly clusters: readonly string[];
  readonly after: readonly string[];
  readonly duration?: string;
  readonly progress?: OperationProgress;
  /** The totals over all clusters. */
  readonly result?: {
    readonly bytes: number;
    readonly files: number;
    /** The same in all clusters. */
    readonly digest?: string;
    /** The cost of data from another cluster, if prices are set. */
    readonly cost?: string;
  };
  /** The source cluster, if it differs from the target. */
  readonly from?: string;
  readonly reason?: string;
  /** The reason of a wait or failure, or the progress. */
  readonly message?: string;
  readonly attempts?: number;
}

/** The state of a flow, with its steps in order. */
export interface FlowReport {
  readonly name: string;
  readonly namespace: string;
  readonly phase: string;
  readonly complete: number;
  readonly steps: readonly StepReport[];
}

const textOf = ({ kind, namespace, name }: OperationKey, own: string): string =>
  `${kind}/${namespace === own ? '' : `${namespace}/`}${name}`;

/** The most informative condition of a step. */
const wordOf = ({ operation }: FlowStep) => {
  const { phase, conditions } = statusOf(operation);
  const find = (type: string) => conditions.find((one) => one.type === type);
  if (phase === 'Failed') return find('Failed');
  if (phase === 'Complete') return find('Complete');
  const placement = find('Placed');
  // The destination implies that the step has begun.
  const isStuck = placement?.status === 'False';
  return isStuck || phase === 'Executing' ? (placement ?? find('Started')) : find('Started');
};

const resultOf = ({ operation }: FlowStep): StepReport['result'] => {
  const results = (statusOf(operation).clusters ?? []).flatMap(({ result }) => result ?? []);
  if (results.every(({ bytes, files }) => (bytes ?? files) === undefined)) return undefined;
  const sum = (field: 'bytes' | 'files'): number =>
    results.reduce((total, one) => total + Number(one[field] ?? 0), 0);
  const digests = [...new Set(results.flatMap(({ digest }) => digest ?? []))];
  const costs = results.flatMap(({ cost }) => (cost === undefined ? [] : [Number(cost)]));
  const [digest] = digests;
  return {
    bytes: sum('bytes'),
    files: sum('files'),
    ...present({
      digest: digests.length === 1 ? digest : undefined,
      cost: costs.length === 0 ? undefined : formatCost(costs.reduce((a, b) => a + b, 0)),
    }),
  };
};

const stepReport = (step: FlowStep): StepReport => {
  const { operation, key } = step;
  const { phase, duration, clusters = [], progress, attempts, transfer } = statusOf(operation);
  const word = wordOf(step);
  const messages = clusters.flatMap(({ name, message, phase: there }) =>
    message && there !== 'Complete' ? [`${name}: ${message}`] : [],
  );
  const isRunning = phase === 'Executing' && messages.length > 0 && word?.status !== 'False';
  const message = isRunning ? messages.join('; ') : word?.message;
  const result = resultOf(step);
  return {
    ...key,
    phase: phase === '' ? 'New' : phase,
    clusters: clusters.map(({ name }) => name),
    after: predecessorKeys(operation).map((one) => textOf(one, key.namespace)),
    ...present({
      duration: ['', 'Unfinished', '-'].includes(duration) ? undefined : duration,
      progress: phase === 'Executing' ? progress : undefined,
      result,
      from: transfer?.from,
      reason: word?.reason,
      message,
      attempts: attempts === undefined || attempts < 2 ? undefined : attempts,
    }),
  };
};

export const flowReport = ({ name, namespace, phase, steps }: Flow): FlowReport => ({
  name,
  namespace,
  phase: phase === '' ? 'New' : phase,
  complete: steps.filter(({ operation }) => statusOf(operation).phase === 'Complete').length,
  steps: steps.map(stepReport),
});

/** True if no step of a flow will change by itself. Successors of a failed step wait forever. */
export const isOver = ({ steps, phase }: Flow): boolean =>
  steps.every(
    ({ operation }) =>
      policyOf(operation) !== 'Cron' &&
      (isTerminal(statusOf(operation)) ||
        (phase === 'Failed' && statusOf(operation).waitingFor?.operationComplete === true)),
  );
