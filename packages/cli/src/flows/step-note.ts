import type { OperationProgress } from '@perigee/api/kinds/flows/operation-status';
import type { StepReport } from '@perigee/scheduling/flows/flow-report';
import { formatAge } from '../output/age.ts';
import { formatBytes } from '../output/amount.ts';

const size = (bytes: number | bigint): string => `${formatBytes(String(bytes))}B`;

const SECOND = 1000;

/** Such as `1.4GiB of 2GiB, 120MiB/s, 5s left`. */
const progressText = (progress: OperationProgress): string => {
  const { bytesDone, bytesTotal, filesDone, filesTotal, bytesPerSecond, secondsLeft, retries } =
    progress;
  // A storage may take long to list what it has, or to answer at all.
  const isLooking = Number(bytesTotal) === 0 && Number(filesTotal) === 0;
  const amount = isLooking
    ? ['looking at the source']
    : bytesDone !== undefined && bytesTotal !== undefined
      ? [`${size(bytesDone)} of ${size(bytesTotal)}`]
      : filesDone !== undefined && filesTotal !== undefined
        ? [`${filesDone} of ${filesTotal} files`]
        : [];
  return [
    ...amount,
    ...(bytesPerSecond ? [`${size(bytesPerSecond)}/s`] : []),
    ...(secondsLeft === undefined ? [] : [`${formatAge(Number(secondsLeft) * SECOND)} left`]),
    ...(retries === undefined ? [] : [`${retries} ${Number(retries) === 1 ? 'retry' : 'retries'}`]),
  ].join(', ');
};

const resultText = (
  { bytes, files, digest, cost }: NonNullable<StepReport['result']>,
  isWide: boolean,
): readonly string[] => [
  `${size(bytes)}, ${files} ${files === 1 ? 'file' : 'files'}`,
  ...(cost === undefined ? [] : [`cost ${cost}`]),
  ...(digest === undefined || !isWide ? [] : [digest]),
];

/** The remark about a step, beside its phase and its clusters. */
export const noteOf = (
  { phase, progress, result, from, message = '', duration, attempts }: StepReport,
  isWide = false,
): string => {
  const attemptParts = attempts === undefined ? [] : [`attempt ${attempts}`];
  const origin = from === undefined ? [] : [`from ${from}`];
  if (phase === 'Complete') {
    const resultParts = result === undefined ? [] : resultText(result, isWide);
    const took = duration === undefined ? [] : [duration];
    return [...took, ...origin, ...resultParts, ...attemptParts].join(', ');
  }
  const text = progress === undefined ? '' : progressText(progress);
  // The last part of the text is how often something was tried again, and the message is why.
  const why = progress?.retries === undefined || message === '' ? '' : `: ${message}`;
  const now = text === '' ? [message] : [...origin, `${text}${why}`];
  return [...attemptParts, ...now].filter((one) => one !== '').join(', ');
};
