import { formatAge } from '../output/age.ts';
import { formatTable, type TableLayout } from '../output/table.ts';
import type { QueueLine } from './queue-overview.ts';

export interface QueuesLayout extends TableLayout {
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** Omits pods, which every list has and which are rarely scarce. */
export const amountsCell = (
  amounts: { readonly [resource: string]: string },
  isWide = false,
): string =>
  Object.entries(amounts)
    .filter(([resource]) => isWide || resource !== 'pods')
    .map(([resource, amount]) => `${resource} ${amount}`)
    .join(', ') || '-';

const row = (line: QueueLine, { isWide = false, now }: QueuesLayout): readonly string[] => [
  `${'  '.repeat(line.depth)}${line.queue}`,
  line.state,
  `${Math.round(line.share * 100)}%`,
  amountsCell(line.guarantee, isWide),
  amountsCell(line.used, isWide),
  amountsCell(line.borrowed, isWide),
  String(line.running),
  String(line.pending),
  line.oldestSince === undefined ? '-' : formatAge(now - Date.parse(line.oldestSince)),
  ...(isWide
    ? [
        amountsCell(line.deserved, true),
        amountsCell(line.capability, true),
        String(line.weight),
        String(line.priority),
      ]
    : []),
];

const HEADER = [
  'QUEUE',
  'STATE',
  'SHARE',
  'GUARANTEE',
  'USED',
  'BORROWED',
  'RUNNING',
  'PENDING',
  'OLDEST',
];
const WIDE = ['DESERVED', 'CAPABILITY', 'WEIGHT', 'PRIORITY'];

export const formatQueues = (lines: readonly QueueLine[], layout: QueuesLayout): string =>
  lines.length === 0
    ? 'There are no queues: nobody runs a dispatcher, and no work is held for one.\n'
    : formatTable(
        [[...HEADER, ...(layout.isWide ? WIDE : [])], ...lines.map((line) => row(line, layout))],
        layout,
      );
