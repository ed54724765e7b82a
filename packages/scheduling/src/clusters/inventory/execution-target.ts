import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { hashOf } from '../sharding/mixed-hash.ts';
import { inventoryLabels, type Labels, labelValue } from './inventory-labels.ts';
import { RUNS_PODS } from './runs-pods.ts';
import { SAME_AS } from './same-cluster.ts';

/** On an execution target: which wishes of which record it was last made to agree with. */
export const FOLLOWS = 'globalscheduler.com/follows';

/** On a record that was made from an execution target: the uid of that. */
export const ADOPTED_FROM = 'globalscheduler.com/adopted-from';

/**
 * On a record, and by it on its target: the cluster will not come back, so that nobody waits until work is
 * taken out of it.
 */
export const ABANDON = 'globalscheduler.com/abandon';

/** What a record asks of its execution target. Everything else of it belongs to others. */
export interface DesiredTarget {
  readonly metadata: {
    readonly name: string;
    readonly labels: Labels;
    readonly annotations: Labels;
  };
  readonly spec: Pick<MemberCluster['spec'], 'syncMode' | 'apiEndpoint' | 'secretRef'> &
    Partial<Pick<MemberCluster['spec'], 'provider' | 'region' | 'zones'>>;
}

export interface TargetFacts {
  /** Where the control plane itself serves the cluster; goes before what the record says. */
  readonly apiEndpoint?: string;
  readonly secretRef?: NonNullable<MemberCluster['spec']['secretRef']>;
  /** How a cluster that the control plane hosts runs pods, for `runsPods`. */
  readonly pods?: string;
  /** The target as it is. Whether work is pushed or fetched is not for the inventory to say. */
  readonly present?: MemberCluster;
  /** The name under which the same cluster was known before. */
  readonly sameAs?: string;
}

/** Only virtual members and Kubernetes clusters take Kubernetes objects. */
export const isPlaceable = ({ spec }: Pick<ClusterRecord, 'spec'>): boolean =>
  spec.type !== 'openstack';

const told = <K extends string>(name: K, text: string | undefined) =>
  (text === undefined || text === '' ? {} : { [name]: text }) as { readonly [key in K]?: string };

/** Changes whenever the wishes do, also when one of them is dropped. */
const digestOf = (...wishes: readonly object[]): string => {
  const { high, low } = hashOf(JSON.stringify(wishes.map((wish) => Object.entries(wish).sort())));
  return high.toString(16) + low.toString(16);
};

/** The execution target that a record asks for. */
export const desiredTarget = (record: ClusterRecord, facts: TargetFacts = {}): DesiredTarget => {
  const { metadata, spec: stated } = record;
  const { region = {}, operator = {} } = stated;
  const { apiEndpoint = stated.apiEndpoint, secretRef = stated.secretRef } = facts;
  const zone = labelValue(region.availabilityZone ?? '');
  const labels = { ...metadata.labels, ...inventoryLabels(record) };
  const spec: DesiredTarget['spec'] = {
    syncMode: facts.present?.spec.syncMode ?? 'Push',
    ...told('apiEndpoint', apiEndpoint),
    ...(secretRef === undefined ? {} : { secretRef }),
    ...told('provider', labelValue(operator.operator ?? '')),
    ...told('region', labelValue(region.region ?? '')),
    ...(zone === '' ? {} : { zones: [zone] }),
  };
  const marks: Labels = {
    ...(facts.sameAs === undefined ? {} : { [SAME_AS]: facts.sameAs }),
    ...(facts.pods === undefined ? {} : { [RUNS_PODS]: facts.pods }),
  };
  const annotations = { ...marks, [FOLLOWS]: `${metadata.uid}/${digestOf(labels, spec, marks)}` };
  return { metadata: { name: metadata.name, labels, annotations }, spec };
};

/** A part of the target that has one owner: `spec.region`, or one label. */
export interface TargetField {
  readonly path: readonly ['metadata' | 'spec', ...string[]];
  readonly value: unknown;
}

/** All that a record asks for, field by field. */
export const targetFields = ({ metadata, spec }: DesiredTarget): readonly TargetField[] => [
  ...(['labels', 'annotations'] as const).flatMap((map) =>
    Object.entries(metadata[map]).map(
      ([key, value]): TargetField => ({ path: ['metadata', map, key], value }),
    ),
  ),
  ...Object.entries(spec).map(([key, value]): TargetField => ({ path: ['spec', key], value })),
];

export const valueAt = (object: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as { readonly [name: string]: unknown })[key]
        : undefined,
    object,
  );

/** What of a record's wishes its target does not have; nothing when they agree. */
export const differingFields = (
  desired: DesiredTarget,
  present: MemberCluster | undefined,
): readonly TargetField[] =>
  targetFields(desired).filter(({ path, value }) => !sameJson(valueAt(present, path), value));
