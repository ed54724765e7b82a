import { createHash } from 'node:crypto';
import type { ClusterPage } from '../operations/list-clusters.ts';
import { toProfile } from '../profile/to-profile.ts';
import { tagOfDigest } from './entity-tags.ts';

/** Clusters serialised per event-loop turn: about a millisecond of work. */
const SLICE = 100;

/** The JSON of a page and its entity tag, serialised in slices that yield to the event loop in between. */
export const textOfPage = async (
  { clusters, ...further }: ClusterPage,
  giveWay: () => Promise<void>,
): Promise<{ readonly text: string; readonly tag: string }> => {
  const hash = createHash('sha256');
  const parts: string[] = [];
  const write = (part: string): void => {
    hash.update(part);
    parts.push(part);
  };
  write('{"clusters":[');
  for (let from = 0; from < clusters.length; from += SLICE) {
    if (from > 0) await giveWay();
    const profiles = clusters
      .slice(from, from + SLICE)
      .map((one) => JSON.stringify(toProfile(one)));
    write(`${from > 0 ? ',' : ''}${profiles.join(',')}`);
  }
  const rest = JSON.stringify(further);
  write(rest === '{}' ? ']}\n' : `],${rest.slice(1)}\n`);
  return { text: parts.join(''), tag: tagOfDigest(hash) };
};
