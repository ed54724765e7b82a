import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { neighbourKey, wantedKey } from './data-keys.ts';
import { claimedData, shorten, sourceData } from './describe-data.ts';
import { clustersOf, type LocatedClusters } from './locality.ts';
import { matchSource } from './match-source.ts';

/** The source that a claim binds to, or the reason why it waits. */
export type SourceChoice =
  | { readonly source: DataSource }
  | { readonly source?: undefined; readonly message: string };

const MOST_NEAR = 3;

const byName = (a: DataSource, b: DataSource): number =>
  a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0;

const readyClusters = ({ spec }: DataSource, clusters: LocatedClusters): number =>
  clustersOf(spec.locality, clusters).filter((name) => clusters.get(name)?.isReady).length;

/** Message for an unbound claim, with the sources that miss the fewest demands. */
const waitingMessage = (claim: DataSourceClaim, sources: readonly DataSource[]): string => {
  const near = sources
    .flatMap((source) => {
      const fit = matchSource(claim, source);
      return fit.fits ? [] : [{ source, ...fit }];
    })
    .sort((a, b) => a.misses - b.misses || byName(a.source, b.source))
    .slice(0, MOST_NEAR)
    .map(({ source, why }) => `${source.metadata.name} (${sourceData(source)}): ${shorten(why)}`);
  const start = `no DataSource offers ${claimedData(claim)}`;
  return near.length === 0 ? start : `${start}; the closest are ${near.join('; ')}`;
};

/**
 * Chooses the source of a claim: the bound one while it fits; else, of those that fit, the one
 * whose data has the claimed name before one whose object has it, then the one in the most ready
 * clusters, then by name.
 */
export const chooseSource = (
  claim: DataSourceClaim,
  sources: readonly DataSource[],
  clusters: LocatedClusters,
): SourceChoice => {
  const fits = sources.flatMap((source) => {
    const fit = matchSource(claim, source);
    return fit.fits ? [{ source, isNamedData: fit.by === 'data' }] : [];
  });
  const boundFit = fits.find(
    ({ source }) => source.metadata.name === claim.status?.boundDataSource,
  );
  if (boundFit !== undefined) return { source: boundFit.source };
  const [best] = fits
    .map((one) => ({ ...one, ready: readyClusters(one.source, clusters) }))
    .sort(
      (a, b) =>
        Number(b.isNamedData) - Number(a.isNamedData) ||
        b.ready - a.ready ||
        byName(a.source, b.source),
    );
  return best === undefined ? { message: waitingMessage(claim, sources) } : { source: best.source };
};

/** Considers at most this many sources of the same type for the message about near misses. */
const MOST_NEIGHBOURS = 50;

/**
 * Finds the source of a claim among all sources.
 * @param offering Index of the sources by `offeredKeys`.
 */
export const findSource = (
  claim: DataSourceClaim,
  sourcesWith: (key: string) => readonly DataSource[],
  clusters: LocatedClusters,
): SourceChoice => {
  const offers = sourcesWith(wantedKey(claim));
  const choice = chooseSource(claim, offers, clusters);
  if (choice.source !== undefined) return choice;
  const neighbours = sourcesWith(neighbourKey(claim)).slice(0, MOST_NEIGHBOURS);
  return chooseSource(claim, [...new Set([...offers, ...neighbours])], clusters);
};
