import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { Flow } from '../../flows/flow-graph.ts';
import { flowReport, type StepReport } from '../../flows/flow-report.ts';
import { humanSize } from '../../flows/human-size.ts';
import { isSimulated, OPERATION_KINDS, type Operation, statusOf } from '../../flows/operation.ts';
import type { WorkExplanation } from '../explain-work.ts';
import {
  conditionParts,
  fact,
  nameList,
  type ObjectExplanation,
  type ObjectState,
  type ReportedCondition,
} from './object-explanation.ts';

const stateOf = ({ phase }: StepReport, condition: ReportedCondition | undefined): ObjectState => {
  if (phase === 'Failed') return 'failed';
  const isArriving = phase === 'Executing' && condition?.status !== 'False';
  return phase === 'Complete' || isArriving ? 'well' : 'waiting';
};

/** The message of a single cluster needs not name it a second time. */
const withoutPlace = (message: string, [cluster, other]: readonly string[]): string =>
  cluster !== undefined && other === undefined && message.startsWith(`${cluster}: `)
    ? message.slice(cluster.length + 2)
    : message;

const summaryOf = (
  { phase, clusters, duration, message }: StepReport,
  operation: Operation,
): string => {
  const place = clusters.length === 0 ? '' : `, in ${nameList(clusters)}`;
  switch (phase) {
    case 'Complete':
      return isSimulated(operation)
        ? 'complete: its pods were played, and nothing was done to the data'
        : `complete${duration === undefined ? '' : ` after ${duration}`}${place}`;
    case 'Executing':
      return `executing${place}${message === undefined ? '' : `: ${withoutPlace(message, clusters)}`}`;
    case 'Failed':
      return `failed: ${message ?? 'nobody has said why'}`;
    case 'New':
      return 'no controller has looked at it yet';
    default:
      return `waits: ${message ?? 'nobody has said for what'}`;
  }
};

const resultText = ({ result }: StepReport): string | undefined =>
  result === undefined
    ? undefined
    : `${humanSize(result.bytes)}, ${result.files} files${result.digest === undefined ? '' : `, ${result.digest}`}`;

const commandsFor = (name: string, { kind, namespace, phase, ...step }: StepReport) => {
  const target = `${kind.toLowerCase()}/${step.name}`;
  const within = `-n ${namespace}`;
  return [
    `perigee flow show ${name} ${within}`,
    ...(phase === 'Complete' || phase === 'Executing' || phase === 'Failed'
      ? [`perigee flow logs ${target} ${within}`]
      : []),
    ...(phase === 'Failed' ? [`perigee flow retry ${target} ${within}`] : []),
  ];
};

/** Explains the progress of a data operation, and the reason why it waits or failed. */
export const explainOperation = (operation: Operation, flow: Flow): ObjectExplanation => {
  const { kind, metadata } = operation;
  const { namespace = '', name } = metadata;
  const report = flowReport(flow);
  const step = report.steps.find(
    (one) => one.kind === kind && one.namespace === namespace && one.name === name,
  ) as StepReport;
  const { conditions } = statusOf(operation);
  const condition = conditions.find(
    ({ reason, message }) => reason === step.reason && message === step.message,
  );
  const placement = conditions.find(({ type }) => type === 'Placed');
  const definition = OPERATION_KINDS.find(
    (one) => one.kind === kind,
  ) as (typeof OPERATION_KINDS)[0];
  return {
    resource: { apiVersion: apiVersionOf(definition), kind, namespace, name },
    state: stateOf(step, condition),
    summary: summaryOf(step, operation),
    ...conditionParts('DataOperation', condition),
    facts: [
      ...fact(
        'flow',
        `${report.name}: ${report.complete} of ${report.steps.length} steps complete`,
      ),
      ...fact('after', nameList(step.after)),
      ...fact('place', placement === condition ? undefined : placement?.message),
      ...fact('from', step.from),
      ...fact('moved', resultText(step)),
      ...fact('attempts', step.attempts?.toString()),
    ],
    conditions,
    commands: commandsFor(report.name, step),
  };
};

/** If the operation's Job is held back, its reason is the more precise one. */
export const withRuns = (
  explanation: ObjectExplanation,
  runs: readonly WorkExplanation[],
): ObjectExplanation => {
  const heldRun = runs.find(({ state }) => state === 'held');
  if (explanation.state !== 'waiting' || heldRun === undefined) return explanation;
  const { todo: _, ...rest } = explanation;
  return { ...rest, summary: `waits: ${heldRun.summary}` };
};
