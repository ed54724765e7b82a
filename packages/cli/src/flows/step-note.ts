import type { OperationProgress } from '@perigee/api/kinds/flows/operation-status';
import type { StepReport } from '@perigee/scheduling/flows/flow-report';
import { formatBytes } from '../output/amount.ts';

const size = (bytes: number | bigint): string => `${formatBytes(String(bytes))}B`;

/** Such as `1.4GiB of 2GiB, 120MiB/s, 5 s left`. */
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
    ...(bytesPerSecond ? [`${size(bytesPerSecond)}/s`] : []),
    ...(secondsLeft === undefined ? [] : [`${secondsLeft} s left`]),
    ...(retries === undefined ? [] : [`${retries} retries`]),
  ].join(', ');
};

const resultText = (
  { bytes, files, digest, cost }: NonNullable<StepReport['result']>,
  isWide: boolean,
): readonly string[] => [
  `${size(bytes)}, ${files} files`,
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
  const now = text === '' ? [message] : [...origin, text];
  return [...attemptParts, ...now].filter((one) => one !== '').join(', ');
};
