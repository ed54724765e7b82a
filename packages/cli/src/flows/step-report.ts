import type { OperationProgress } from '@perigee/api/kinds/flows/operation-status';
import type { Flow, FlowStep } from '@perigee/scheduling/flows/flow-graph';
import { type OperationKey, predecessorKeys, statusOf } from '@perigee/scheduling/flows/operation';
import { formatBytes } from '../output/amount.ts';

/** What is told of a step, for programs as for people. */
export interface StepReport {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly clusters: readonly string[];
  readonly after: readonly string[];
  readonly duration?: string;
  readonly progress?: OperationProgress;
  /** What it moved, in all clusters. */
  readonly result?: { readonly bytes: number; readonly files: number };
  readonly reason?: string;
  /** Why it waits, why it failed, or how it is doing. */
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

/** The condition that says most about a step now. */
const wordOf = ({ operation }: FlowStep) => {
  const { phase, conditions } = statusOf(operation);
  const find = (type: string) => conditions.find((one) => one.type === type);
  if (phase === 'Failed') return find('Failed');
  if (phase === 'Complete') return find('Complete');
  const placed = find('Placed');
  // Where it goes to says more than that it was begun.
  const isStuck = placed?.status === 'False';
  return isStuck || phase === 'Executing' ? (placed ?? find('Started')) : find('Started');
};

const resultOf = ({ operation }: FlowStep): StepReport['result'] => {
  const results = (statusOf(operation).clusters ?? []).flatMap(({ result }) => result ?? []);
  if (results.every(({ bytes, files }) => (bytes ?? files) === undefined)) return undefined;
  const sum = (field: 'bytes' | 'files'): number =>
    results.reduce((total, one) => total + Number(one[field] ?? 0), 0);
  return { bytes: sum('bytes'), files: sum('files') };
};

const stepReport = (step: FlowStep): StepReport => {
  const { operation, key } = step;
  const { phase, duration, clusters = [], progress, attempts } = statusOf(operation);
  const word = wordOf(step);
  const said = clusters.flatMap(({ name, message, phase: there }) =>
    message && there !== 'Complete' ? [`${name}: ${message}`] : [],
  );
  const isRunning = phase === 'Executing' && said.length > 0 && word?.status !== 'False';
  const message = isRunning ? said.join('; ') : word?.message;
  const result = resultOf(step);
  return {
    ...key,
    phase: phase === '' ? 'New' : phase,
    clusters: clusters.map(({ name }) => name),
    after: predecessorKeys(operation).map((one) => textOf(one, key.namespace)),
    ...(duration === '' || duration === 'Unfinished' || duration === '-' ? {} : { duration }),
    ...(phase === 'Executing' && progress !== undefined ? { progress } : {}),
    ...(result === undefined ? {} : { result }),
    ...(word?.reason === undefined ? {} : { reason: word.reason }),
    ...(message === undefined ? {} : { message }),
    ...(attempts === undefined || attempts < 2 ? {} : { attempts }),
  };
};

export const flowReport = ({ name, namespace, phase, steps }: Flow): FlowReport => ({
  name,
  namespace,
  phase: phase === '' ? 'New' : phase,
  complete: steps.filter(({ operation }) => statusOf(operation).phase === 'Complete').length,
  steps: steps.map(stepReport),
});

const size = (bytes: number | bigint): string => `${formatBytes(String(bytes))}B`;

/** `1.4GiB of 2GiB, 120MiB/s, 5 s left`. */
const progressText = (progress: OperationProgress): string => {
  const { bytesDone, bytesTotal, filesDone, filesTotal, bytesPerSecond, secondsLeft, retries } =
    progress;
  const amount =
    bytesDone !== undefined && bytesTotal !== undefined
      ? [`${size(bytesDone)} of ${size(bytesTotal)}`]
      : filesDone !== undefined && filesTotal !== undefined
        ? [`${filesDone} of ${filesTotal} files`]
        : [];
  return [
    ...amount,
    ...(bytesPerSecond === undefined ? [] : [`${size(bytesPerSecond)}/s`]),
    ...(secondsLeft === undefined ? [] : [`${secondsLeft} s left`]),
    ...(retries === undefined ? [] : [`${retries} retries`]),
  ].join(', ');
};

/** What a step has to tell beside its phase and its clusters. */
export const noteOf = ({
  phase,
  progress,
  result,
  message = '',
  duration,
  attempts,
}: StepReport): string => {
  const tried = attempts === undefined ? [] : [`attempt ${attempts}`];
  if (phase === 'Complete') {
    const moved = result === undefined ? [] : [`${size(result.bytes)}, ${result.files} files`];
    return [...(duration === undefined ? [] : [duration]), ...moved, ...tried].join(', ');
  }
  const text = progress === undefined ? '' : progressText(progress);
  return [...tried, ...(text === '' ? [message] : [text])].filter((one) => one !== '').join(', ');
};
