import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { present, unlessEmpty } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { hashOf } from '../sharding/mixed-hash.ts';
import { inventoryLabels, type Labels, labelValue } from './inventory-labels.ts';
import { RUNS_PODS } from './runs-pods.ts';
import { SAME_AS } from './same-cluster.ts';

/** On an execution target: the record, and a digest of the fields it was last synchronised with. */
export const FOLLOWS = 'globalscheduler.com/follows';

/** On an adopted cluster record: the uid of its execution target. */
export const ADOPTED_FROM = 'globalscheduler.com/adopted-from';

/**
 * On a record, and copied to its target: the cluster is lost, so that its removal does not wait for
 * a drain.
 */
export const ABANDON = 'globalscheduler.com/abandon';

/** The fields that a record wants on its execution target. All others belong to other writers. */
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
  /** The endpoint if the control plane hosts the cluster; it overrides the record's. */
  readonly apiEndpoint?: string;
  readonly secretRef?: NonNullable<MemberCluster['spec']['secretRef']>;
  /** The value of the annotation that `runsPods` reads, for a hosted cluster. */
  readonly pods?: string;
  /** The current target. The inventory does not choose between push and pull. */
  readonly present?: MemberCluster;
  /** The name under which the same cluster was registered first. */
  readonly sameAs?: string;
}

/** Only virtual members and Kubernetes clusters accept Kubernetes objects. */
export const isPlaceable = ({ spec }: Pick<ClusterRecord, 'spec'>): boolean =>
  spec.type !== 'openstack';

/** Changes with every desired field, including removals. */
const digestOf = (...parts: readonly object[]): string => {
  const { high, low } = hashOf(
    JSON.stringify(parts.map((desired) => Object.entries(desired).sort())),
  );
  return high.toString(16) + low.toString(16);
};

/** The execution target that a record wants. */
export const desiredTarget = (record: ClusterRecord, facts: TargetFacts = {}): DesiredTarget => {
  const { metadata, spec: recordSpec } = record;
  const { region = {}, operator = {} } = recordSpec;
  const { apiEndpoint = recordSpec.apiEndpoint, secretRef = recordSpec.secretRef } = facts;
  const zone = labelValue(region.availabilityZone ?? '');
  const labels = { ...metadata.labels, ...inventoryLabels(record) };
  const spec: DesiredTarget['spec'] = {
    syncMode: facts.present?.spec.syncMode ?? 'Push',
    ...present({
      apiEndpoint: apiEndpoint || undefined,
      secretRef,
      provider: unlessEmpty(labelValue(operator.operator ?? '')),
      region: unlessEmpty(labelValue(region.region ?? '')),
      zones: zone === '' ? undefined : [zone],
    }),
  };
  const marks: Labels = present({ [SAME_AS]: facts.sameAs, [RUNS_PODS]: facts.pods });
  const annotations = { ...marks, [FOLLOWS]: `${metadata.uid}/${digestOf(labels, spec, marks)}` };
  return { metadata: { name: metadata.name, labels, annotations }, spec };
};

/** A separately owned field of the target: `spec.region`, or one label. */
export interface TargetField {
  readonly path: readonly ['metadata' | 'spec', ...string[]];
  readonly value: unknown;
}

/** Splits a desired target into its fields. */
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

/** The desired fields that the target lacks; empty if it is in sync. */
export const differingFields = (
  desired: DesiredTarget,
  target: MemberCluster | undefined,
): readonly TargetField[] =>
  targetFields(desired).filter(({ path, value }) => !sameJson(valueAt(target, path), value));
