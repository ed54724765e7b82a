import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { numberIn, objectIn, objectsIn, textIn } from '../interpreter/fields.ts';
import { NEVER_AGAIN, isMover as runsMover } from './render-mover-job.ts';

/** The last lines of the containers of a pod, by container. */
export type LastLines = ReadonlyMap<string, string>;

const LONGEST_MESSAGE = 1024;
/** Longer lines are not from the mover, and are skipped. */
const LONGEST_LINE = 16_384;

const SUMS = ['bytesDone', 'bytesTotal', 'filesDone', 'filesTotal', 'bytesPerSecond'];

/** The report of one container. */
interface ContainerReport {
  readonly container: string;
  readonly isMover: boolean;
  /** Absent while it runs. */
  readonly exitCode: number | undefined;
  /** Such as OOMKilled. */
  readonly cause: string;
  readonly text: string;
  /** The text as the mover's JSON; empty if it is none. */
  readonly line: JsonObject;
}

const parseLine = (text: string): JsonObject => {
  if (text.length > LONGEST_LINE) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
};

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

/** The running containers of a pod that copy data: their output has the progress. */
export const movingContainers = (pod: JsonObject): readonly string[] => {
  const runningStatuses = objectsIn(objectIn(pod, 'status'), 'containerStatuses').filter(
    (status) => objectIn(status, 'state').running !== undefined,
  );
  const names = new Set(runningStatuses.map((status) => textIn(status, 'name')));
  return objectsIn(objectIn(pod, 'spec'), 'containers')
    .filter(runsMover)
    .map((container) => textIn(container, 'name'))
    .filter((name) => names.has(name));
};

const containerReports = (pod: JsonObject, lines: LastLines): readonly ContainerReport[] => {
  const statuses = objectsIn(objectIn(pod, 'status'), 'containerStatuses');
  return objectsIn(objectIn(pod, 'spec'), 'containers').map((container) => {
    const name = textIn(container, 'name');
    const status = statuses.find((one) => textIn(one, 'name') === name) ?? {};
    const termination = objectIn(status, 'state', 'terminated');
    const exitCode = numberIn(termination, 'exitCode');
    const text = exitCode === undefined ? (lines.get(name) ?? '') : textIn(termination, 'message');
    const line = parseLine(lastLine(text));
    const cause = textIn(termination, 'reason');
    return { container: name, isMover: runsMover(container), exitCode, cause, text, line };
  });
};

const whole = (value: number): number => Math.max(0, Math.floor(value));

/** A completed container counts as 100 percent. */
const progressOf = ({ line }: ContainerReport): JsonObject | undefined => {
  switch (line.type) {
    case 'progress':
      return line;
    case 'result': {
      const [bytes, files] = [numberIn(line, 'bytes') ?? 0, numberIn(line, 'files') ?? 0];
      const totals = { bytesDone: bytes, bytesTotal: bytes, filesDone: files, filesTotal: files };
      const retries = numberIn(line, 'retries') ?? 0;
      return { ...totals, percentage: 100, bytesPerSecond: 0, secondsLeft: 0, retries };
    }
    default:
      return undefined;
  }
};

const jointProgress = (movers: readonly ContainerReport[]): JsonObject | undefined => {
  const all = movers.map(progressOf).filter((one) => one !== undefined);
  if (all.length === 0 || all.length < movers.length) return undefined;
  const sum = (field: string): number =>
    whole(all.reduce((total, one) => total + (numberIn(one, field) ?? 0), 0));
  const bytes = sum('bytesTotal');
  const percentages = all.map((one) => numberIn(one, 'percentage') ?? 0);
  const weighed = all.map((one, at) => (numberIn(one, 'bytesTotal') ?? 0) * (percentages[at] ?? 0));
  const secondsLeft = all.map((one) => numberIn(one, 'secondsLeft'));
  const retries = sum('retries');
  return {
    ...Object.fromEntries(SUMS.map((field) => [field, sum(field)])),
    ...present({ retries: retries > 0 ? retries : undefined }),
    // A bucket is written after the source was read, which counts, too: bytes alone do not tell it.
    percentage: whole(
      bytes > 0 ? weighed.reduce((a, b) => a + b) / bytes : Math.min(...percentages),
    ),
    ...present({
      secondsLeft: secondsLeft.every((one) => one !== undefined)
        ? Math.max(...secondsLeft.map(whole))
        : undefined,
    }),
  };
};

/** For several trees, the checksum of their checksums, in order. */
const jointDigest = (digests: readonly string[]): string =>
  digests.length === 1
    ? (digests[0] ?? '')
    : `trees1:${createHash('sha256').update(digests.join('\n')).digest('hex')}`;

const jointResult = (movers: readonly ContainerReport[]): JsonObject | undefined => {
  if (movers.length === 0 || !movers.every(({ line }) => line.type === 'result')) return undefined;
  const sum = (field: string): number =>
    whole(movers.reduce((total, { line }) => total + (numberIn(line, field) ?? 0), 0));
  const digests = movers.map(({ line }) => textIn(line, 'digest'));
  const retries = sum('retries');
  return {
    bytes: sum('bytes'),
    files: sum('files'),
    ...present({
      bytesCopied: movers.every(({ line }) => numberIn(line, 'bytesCopied') !== undefined)
        ? sum('bytesCopied')
        : undefined,
      retries: retries > 0 ? retries : undefined,
    }),
    digest: jointDigest(digests),
  };
};

/** The address at which a container serves data to other clusters. */
const servingOf = (movers: readonly ContainerReport[]): JsonObject | undefined => {
  const port = movers
    .filter(({ exitCode, line }) => exitCode === undefined && line.type === 'serving')
    .map(({ line }) => numberIn(line, 'port'))
    .find((one) => one !== undefined);
  return port === undefined ? undefined : { port };
};

/** The words of whoever could not start the mover, or of Node.js about its end: its own reports are JSON. */
const besidesReports = (text: string): string =>
  text
    .split('\n')
    .filter((one) => !one.startsWith('{'))
    .join('\n')
    .trim();

const failureOf = ({
  container,
  exitCode,
  cause,
  isMover,
  text,
  line,
}: ContainerReport): readonly string[] => {
  if (exitCode === undefined || exitCode === 0) return [];
  if (isMover && line.type === 'failure') {
    return [`${textIn(line, 'reason')}: ${textIn(line, 'message')}`];
  }
  const words = isMover ? besidesReports(text) : text.trim();
  const why = cause === '' || cause === 'Error' ? '' : ` (${cause})`;
  return [`${container} ended with exit code ${exitCode}${why}${words === '' ? '' : `: ${words}`}`];
};

/** True if a pod is about to start, and its status has no reason for the wait: its events do. */
export const isBeingMade = (pod: JsonObject): boolean => {
  const status = objectIn(pod, 'status');
  const [first] = objectsIn(status, 'containerStatuses');
  const state = objectIn(first ?? {}, 'state', 'waiting');
  return status.phase === 'Pending' && textIn(state, 'reason') === 'ContainerCreating';
};

/** The reason why a pod has not started, from its conditions or containers. */
const waitingFor = (pod: JsonObject): readonly string[] => {
  const status = objectIn(pod, 'status');
  const scheduledCondition = objectsIn(status, 'conditions').find(
    (one) => one.type === 'PodScheduled',
  );
  if (scheduledCondition?.status === 'False') return [textIn(scheduledCondition, 'message')];
  return objectsIn(status, 'containerStatuses').flatMap((one) => {
    const waitingState = objectIn(one, 'state', 'waiting');
    const message = textIn(waitingState, 'message');
    return message === '' ? [] : [`${textIn(waitingState, 'reason')}: ${message}`];
  });
};

/** Why movers that run have asked a storage again: otherwise they only look slow. */
const retriedFor = ({ line }: ContainerReport): string =>
  line.type === 'progress' ? textIn(line, 'retryReason') : '';

/** The report of a data operation's pod: progress, result, problems. */
export const operationReport = (
  pod: JsonObject,
  lines: LastLines,
  /** The reason why its volumes are not there, from its events. */
  mountProblem = '',
): JsonObject => {
  const all = containerReports(pod, lines);
  const movers = all.filter(({ isMover }) => isMover);
  const progress = jointProgress(movers);
  const result = jointResult(movers);
  const serving = servingOf(movers);
  const failures = all.flatMap(failureOf);
  const failsAgain = movers.some(({ exitCode }) => NEVER_AGAIN.includes(exitCode ?? 0));
  const status = objectIn(pod, 'status');
  const reasons =
    failures.length > 0
      ? failures
      : [textIn(status, 'message'), ...waitingFor(pod), mountProblem, ...movers.map(retriedFor)];
  const message = [...new Set(reasons)].filter((text) => text !== '').join('; ');
  const node = textIn(objectIn(pod, 'spec'), 'nodeName');
  return {
    ...present({
      node: unlessEmpty(node),
      progress,
      result,
      serving,
      failsAgain: failsAgain || undefined,
      message: message === '' ? undefined : message.slice(0, LONGEST_MESSAGE),
    }),
  };
};
