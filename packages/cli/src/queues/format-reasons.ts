import { formatAge } from '../output/age.ts';
import { terminalOf } from '../output/terminal.ts';
import { fitProse } from '../output/wrap.ts';
import { amountsCell } from './format-queues.ts';
import type { QueueReasons } from './queue-reasons.ts';

const headOf = (
  { work, queue, state, since, message, clusters = [] }: QueueReasons,
  now: number,
): string => {
  const age = since === undefined ? '' : ` for ${formatAge(now - Date.parse(since))}`;
  const where = clusters.length === 0 ? '' : ` in ${clusters.join(', ')}`;
  switch (state) {
    case 'in no queue':
      return `${work} is in no queue: ${message}.`;
    case 'over':
      return `${work} has come to its end, and takes nothing of the queue ${queue}.`;
    case 'running':
      return `${work} is let through by the queue ${queue}${age}, and runs${where}.`;
    case 'released':
      return `${work} is let through by the queue ${queue}${age}; room is kept for it${where}.`;
    case 'waiting':
      return `${work} waits in the queue ${queue}${age}.`;
  }
};

const whyOf = ({ reason, message }: QueueReasons): readonly string[] =>
  reason === undefined ? [] : [`${reason}: ${message}.`];

const lineOf = ({ position, inLine }: QueueReasons): readonly string[] =>
  position === undefined ? [] : [`It is number ${position} of ${inLine ?? position} in line.`];

const classOf = ({ missingPriorityClass: name }: QueueReasons): readonly string[] =>
  name === undefined
    ? []
    : [`There is no priority class ${name}: it waits like work that names none.`];

const amountsOf = ({
  asks,
  asksEach,
  used,
  capability,
  queue,
}: QueueReasons): readonly string[] => [
  ...(asks === undefined
    ? []
    : asksEach === undefined
      ? [`It asks for ${amountsCell(asks, true)}.`]
      : [
          `It asks for ${amountsCell(asks, true)}: a copy goes to each cluster, and asks for ${amountsCell(asksEach, true)}.`,
        ]),
  ...(used === undefined
    ? []
    : [
        `The queue ${queue} uses ${amountsCell(used, true)}${capability === undefined ? '' : ` of at most ${amountsCell(capability, true)}`}.`,
      ]),
];

/** Explains in sentences why work waits in its queue. */
export const formatQueueReasons = (reasons: QueueReasons, now: number): string =>
  [
    headOf(reasons, now),
    ...whyOf(reasons),
    ...lineOf(reasons),
    ...classOf(reasons),
    ...amountsOf(reasons),
  ]
    .map((sentence) => `${fitProse(sentence, terminalOf(process.stdout))}\n`)
    .join('');
