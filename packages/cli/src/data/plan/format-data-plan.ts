import type { DataChoice, DataPlan } from '@perigee/scheduling/flows/data-plan';
import { formatCost } from '@perigee/scheduling/flows/transfer-routes';
import { formatDuration } from '@perigee/schema/values/duration';
import { formatBytes } from '../../output/amount.ts';
import { formatTable, type TableLayout } from '../../output/table.ts';

const DOES: { readonly [does in DataChoice['does']]: string } = {
  Run: 'run where the data is',
  Copy: 'copy the data',
  Wait: 'wait for room where the data is',
};

const timeOf = ({ seconds, isAtLeast = false }: DataChoice): string => {
  if (seconds === undefined) return 'unknown';
  if (seconds === 0) return 'now';
  return `${isAtLeast ? 'at least ' : ''}${formatDuration(seconds * 1000)}`;
};

const speedOf = ({ bytesPerSecond, speed }: DataChoice): string =>
  bytesPerSecond === undefined
    ? '-'
    : `${formatBytes(String(Math.round(bytesPerSecond)))}B/s (${speed})`;

const sizeOf = ({ does, bytes }: DataChoice): string => {
  if (does !== 'Copy') return '-';
  return bytes === undefined ? 'unknown' : `${formatBytes(String(bytes))}B`;
};

const rowOf = (choice: DataChoice): readonly string[] => [
  DOES[choice.does],
  choice.clusters.join(','),
  choice.from ?? '-',
  sizeOf(choice),
  speedOf(choice),
  timeOf(choice),
  choice.cost === undefined ? 'unknown' : formatCost(choice.cost),
  choice.why,
];

const HEADER = ['CHOICE', 'CLUSTERS', 'FROM', 'BYTES', 'SPEED', 'TIME', 'COST', 'WHY'];

const bestText = (best: DataChoice): string => {
  const where = best.clusters.join(', ');
  const cost = best.cost === undefined ? 'at an unknown price' : `for ${formatCost(best.cost)}`;
  switch (best.does) {
    case 'Run':
      return `run it in ${where}: ${best.why}. Nothing has to be moved.`;
    case 'Copy':
      return `copy the data from ${best.from === 'origin' ? 'its origin' : best.from} to ${where}: ${timeOf(best)}, ${cost}.`;
    case 'Wait':
      return `wait for ${where}: ${timeOf(best)}, and nothing has to be moved.`;
  }
};

/** A plan for the data of a claim, for people; the flow that does it comes last, as YAML. */
export const formatDataPlan = (plan: DataPlan, flow: string, layout: TableLayout): string => {
  const { claim, work, best, choices, message } = plan;
  const head = `${work} needs the data of the claim ${claim}.\n`;
  const table =
    choices.length === 0 ? '' : `\n${formatTable([HEADER, ...choices.map(rowOf)], layout)}\n`;
  if (best === undefined)
    return `${head}${table}There is nothing that could be done: ${message}.\n`;
  const flowText = flow === '' ? '' : `\nThis does it, and so does --apply:\n\n${flow}`;
  return `${head}${table}Best: ${bestText(best)}\n${flowText}`;
};
