import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { nearNames } from '@perigee/api/values/near-names';
import { present } from '@perigee/schema/present';
import { basePlacementOf, carriedDataOf } from '../../data/data-marks.ts';
import { matchSource } from '../../data/match-source.ts';
import { usableBy } from '../../placement/scheduler/cluster-change.ts';
import { applyPatch } from '../../plan/merge.ts';
import { keyOf } from '../../plan/world.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';

/** Limit of clusters to offer the data to. */
const MOST_CLUSTERS = 5;

const inCluster = (source: DataSource, cluster: string): Candidate => {
  const { clusterNames = [] } = source.spec.locality;
  const patch = { spec: { locality: { clusterNames: [...clusterNames, cluster] } } };
  return {
    reason: 'AddData',
    text: `bring the data ${source.spec.name} to the cluster ${cluster}, and say so in the DataSource ${source.metadata.name}`,
    cost: 5,
    target: {
      apiVersion: 'datadependency.volcano.sh/v1alpha1',
      kind: 'DataSource',
      name: source.metadata.name,
    },
    patch,
    change: { kind: 'put', of: 'source', object: applyPatch(source, patch) },
  };
};

const newSource = ({ spec }: DataSourceClaim, cluster: string): Candidate => {
  const name = spec.dataSourceName ?? 'data';
  const manifest = {
    apiVersion: 'datadependency.volcano.sh/v1alpha1',
    kind: 'DataSource',
    metadata: { name: name.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '-') },
    spec: {
      system: spec.system,
      type: spec.dataSourceType,
      name,
      ...present({ attributes: spec.attributes }),
      locality: { clusterNames: [cluster] },
    },
  };
  const metadata = { ...manifest.metadata, uid: 'suggested', resourceVersion: '0' };
  return {
    reason: 'AddData',
    text: `say with a DataSource that the data ${name} is in the cluster ${cluster}, once it is there`,
    cost: 6,
    change: { kind: 'put', of: 'source', object: { ...manifest, metadata } as never },
    manifest,
  };
};

/** The sources that match a claim, or would if they had a location. */
const sourcesFor = (claim: DataSourceClaim, sources: Iterable<DataSource>) =>
  [...sources].filter((source) => {
    const fit = matchSource(claim, source);
    return fit.fits || (fit.misses === 0 && source.metadata.deletionTimestamp === undefined);
  });

/** Candidates that correct a misspelt data name in a claim. */
const renameCandidates = (
  claim: DataSourceClaim,
  sources: Iterable<DataSource>,
): readonly Candidate[] => {
  const { system, dataSourceType, dataSourceName: name } = claim.spec;
  if (name === undefined) return [];
  const names = [...sources]
    .filter(({ spec }) => spec.system === system && spec.type === dataSourceType)
    .map(({ spec }) => spec.name);
  const [near] = nearNames(name, names);
  if (near === undefined || near === name) return [];
  const patch = { spec: { dataSourceName: near } };
  const { namespace = '' } = claim.metadata;
  return [
    {
      reason: 'FixDataName',
      text: `ask for the data ${near} instead of ${name}, which nobody has registered, in the claim ${claim.metadata.name}`,
      cost: 1,
      target: {
        apiVersion: 'datadependency.volcano.sh/v1alpha1',
        kind: 'DataSourceClaim',
        namespace,
        name: claim.metadata.name,
      },
      patch,
      change: { kind: 'put', of: 'claim', object: applyPatch(claim, patch) },
    },
  ];
};

/** Changes that bring the data to a cluster where the work may run. */
export const byData = ({ state, binding }: StuckWork): readonly Candidate[] => {
  if (binding === undefined) return [];
  const { metadata, spec } = binding;
  const placement = basePlacementOf(metadata) ?? spec.placement;
  const isWanted = usableBy({ spec: placement === undefined ? spec : { ...spec, placement } });
  const clusters = state.room.all.filter((one) => !one.isDeleting && isWanted(one));
  return carriedDataOf(metadata).flatMap(({ claim: name, preference }) => {
    const claim = state.claims.get(keyOf({ namespace: metadata.namespace, name }));
    if (claim === undefined || preference !== undefined) return [];
    const sources = sourcesFor(claim, state.sources.values());
    const places = clusters.slice(0, MOST_CLUSTERS).map((one) => one.name);
    return sources.length === 0
      ? [
          ...renameCandidates(claim, state.sources.values()),
          ...places.map((cluster) => newSource(claim, cluster)),
        ]
      : sources.flatMap((source) =>
          places
            .filter((cluster) => !(source.spec.locality.clusterNames ?? []).includes(cluster))
            .map((cluster) => inCluster(source, cluster)),
        );
  });
};
