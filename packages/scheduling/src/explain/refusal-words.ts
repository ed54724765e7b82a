import { present } from '@perigee/schema/present';
import { carriedPlacement } from '../data/carried-placement.ts';
import type { Binding } from '../placement/binding/binding.ts';
import type { PlacementWorld } from '../placement/scheduler/place.ts';
import type { ClusterOf } from '../placement/scheduler/record-decision.ts';
import type { Decision } from '../placement/scheduler/schedule.ts';
import { explain } from './verdicts/explain-decision.ts';

const MOST_TERMS = 5;

/**
 * The placement terms and the number of clusters that each refused, for an Event; empty when no filter refused any.
 * Readers of Events may not be allowed to read clusters, so the text reveals nothing about these: terms are the
 * policy's own words.
 */
export const refusalWords = (
  { metadata, spec, status = {} }: Binding,
  decision: Decision,
  { world, clusterOf }: { readonly world: PlacementWorld; readonly clusterOf: ClusterOf },
): string => {
  const dataPlacement = carriedPlacement(metadata);
  const facts = {
    isFresh: false,
    clusterOf,
    status,
    world,
    ...present({ dataPlacement }),
  };
  const [attempt] = explain(spec, decision, facts).attempts;
  const terms = (attempt?.clusters ?? []).flatMap((one) =>
    one.verdict === 'refused' && one.specific !== undefined ? [one.specific.term] : [],
  );
  if (terms.length === 0) return '';
  const counts = [...Map.groupBy(terms, (term) => term)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, MOST_TERMS)
    .map(([term, same]) => `${same.length} by ${term}`);
  return ` Refused: ${counts.join(', ')}.`;
};
