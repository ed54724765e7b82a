import type { Overriders } from '@perigee/api/kinds/placement/overriders';
import type { Work } from '@perigee/api/kinds/placement/work';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import { APPLIED_CLUSTER_OVERRIDES, APPLIED_OVERRIDES } from '../../placement/work/work-names.ts';
import type { Finding } from '../finding.ts';
import { memberReplicas } from '../member-replicas.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

interface AppliedOverride {
  readonly policyName: string;
  readonly overriders: Overriders;
}

/** The overrides in the annotation of a Work; empty for an annotation that is not theirs. */
const appliedOverrides = ({ metadata }: Work): readonly AppliedOverride[] =>
  [APPLIED_CLUSTER_OVERRIDES, APPLIED_OVERRIDES].flatMap((name) => {
    try {
      const list: unknown = JSON.parse(metadata.annotations?.[name] ?? '[]');
      return Array.isArray(list) ? (list as readonly AppliedOverride[]) : [];
    } catch {
      return [];
    }
  });

const WORDS: { readonly [kind in keyof Required<Overriders>]: string } = {
  imageOverrider: 'images',
  commandOverrider: 'commands',
  argsOverrider: 'arguments',
  labelsOverrider: 'labels',
  annotationsOverrider: 'annotations',
  fieldOverrider: 'fields',
  plaintext: 'fields',
};

const partsOf = (overriders: Overriders): readonly string[] =>
  Object.entries(overriders).flatMap(([kind, list = []]) =>
    (list as readonly { readonly path?: string; readonly fieldPath?: string }[]).map(
      ({ path, fieldPath }) => path ?? fieldPath ?? WORDS[kind as keyof Overriders],
    ),
  );

const overrideText = ({ policyName, overriders }: AppliedOverride): string =>
  `the override policy ${policyName} changes ${[...new Set(partsOf(overriders))].join(', ')}`;

const MOST_CLUSTERS = 3;

const placesText = (clusters: readonly string[]): string => {
  const more = clusters.length - MOST_CLUSTERS;
  const places = clusters.slice(0, MOST_CLUSTERS).join(', ');
  return more > 0 ? `${places} and ${more} more` : places;
};

/** Notes on what override policies change, and whether they take all replicas away. */
export const overrideStage = (snapshot: WorkSnapshot): readonly Finding[] => {
  const binding = read(snapshot.binding, undefined);
  if (binding === undefined) return [];
  const works = read(snapshot.works, []).map((work) => ({
    cluster: clusterOfExecutionNamespace(work.metadata.namespace ?? '') ?? '',
    work,
    text: appliedOverrides(work).map(overrideText).join('; '),
  }));
  const base = { stage: 'work', severity: 'info', by: 'user' } as const;
  const groups = Map.groupBy(
    works.filter(({ text }) => text !== ''),
    ({ text }) => text,
  );
  const notes = [...groups].map(([text, same]): Finding => {
    const clusters = same.map(({ cluster }) => cluster).sort();
    const message = `in ${placesText(clusters)}, ${text}`;
    return { ...base, reason: 'Overridden', message, details: { clusters } };
  });
  const isAskedFor = (binding.spec.replicas ?? 0) > 0;
  const isEmptied =
    works.length > 0 &&
    works.every(({ cluster, work }) => memberReplicas(binding.spec, cluster, work) === 0);
  if (!isAskedFor || !isEmptied) return notes;
  const message = 'override policies let it have no replicas in any of its clusters';
  return [{ ...base, reason: 'ScaledToZero', message }, ...notes];
};
