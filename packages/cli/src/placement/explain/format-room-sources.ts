import type { Explanation } from '@perigee/scheduling/explain/verdicts/explain-decision';
import type { RoomSource } from '@perigee/scheduling/placement/scheduler/candidate';
import { terminalOf } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';

const WORDS: { readonly [source in RoomSource]: string } = {
  kept: 'what its queue keeps for it',
  nodes: 'counted on nodes',
  grades: 'by the grades of nodes that the cluster reports',
  sums: 'by the sums that the cluster reports',
  none: 'unknown, and taken for none',
};

const MOST_NAMES = 3;

const namesOf = (clusters: readonly string[]): string => {
  const firstNames = clusters.slice(0, MOST_NAMES).join(', ');
  const others = clusters.length - MOST_NAMES;
  return others > 0 ? `${firstNames} and ${others} more` : firstNames;
};

const BY = {
  grades: 'the grades of its resource model',
  sums: 'the sums that it reports',
} as const;

/** Names the clusters whose nodes have other room than their status reports: the scheduler counts the nodes. */
const differencesOf = (attempts: Explanation['attempts']): string => {
  const verdicts = attempts
    .flatMap(({ clusters }) => clusters)
    .flatMap((one) => (one.verdict === 'refused' || one.room === undefined ? [] : [one]));
  const [first] = verdicts;
  if (first?.room === undefined) return '';
  const { counted, reported, by } = first.room;
  const others = new Set(verdicts.map(({ name }) => name)).size - 1;
  const more = others > 0 ? ` (and of ${others} more)` : '';
  return ` The nodes of ${first.name}${more} have room for ${counted}; by ${BY[by]} it would be ${reported}. The nodes count.`;
};

/** Names the sources from which the room of clusters was computed; empty for work that takes no room. */
export const formatRoomSources = ({ attempts }: Explanation, isRoomHidden: boolean): string => {
  const sources = new Map<RoomSource, Set<string>>();
  for (const verdict of attempts.flatMap(({ clusters }) => clusters)) {
    if (verdict.verdict === 'refused' || verdict.roomFrom === undefined) continue;
    const clusters = sources.get(verdict.roomFrom) ?? new Set<string>();
    sources.set(verdict.roomFrom, clusters.add(verdict.name));
  }
  if (sources.size === 0) return '';
  const differences = differencesOf(attempts);
  const parts = [...sources].map(([from, names]) => `${WORDS[from]} in ${namesOf([...names])}`);
  const hiddenNote = isRoomHidden
    ? ' What was counted on nodes is not for you to see, and may make the scheduler decide otherwise.'
    : '';
  return `\n${fitProse(`Room: ${parts.join('; ')}.${differences}${hiddenNote}`, terminalOf(process.stdout))}\n`;
};
