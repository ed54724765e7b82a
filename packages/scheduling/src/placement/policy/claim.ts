import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { Policy } from './choose-policy.ts';
import { FOUND_BY_LAZY } from './lazy-policy.ts';

const POLICY_ID = 'propagationpolicy.karmada.io/permanent-id';
const POLICY_NAMESPACE = 'propagationpolicy.karmada.io/namespace';
const POLICY_NAME = 'propagationpolicy.karmada.io/name';
const CLUSTER_POLICY_ID = 'clusterpropagationpolicy.karmada.io/permanent-id';
const CLUSTER_POLICY_NAME = 'clusterpropagationpolicy.karmada.io/name';

const LABELS: readonly string[] = [POLICY_ID, CLUSTER_POLICY_ID];
const ANNOTATIONS: readonly string[] = [
  POLICY_NAMESPACE,
  POLICY_NAME,
  CLUSTER_POLICY_NAME,
  FOUND_BY_LAZY,
];

type Words = { readonly [key: string]: string };
type Claimable = Pick<KubeObject['metadata'], 'labels' | 'annotations'>;

/** Whose an object is. A claim holds only with all its parts. */
export interface Claim {
  /** Absent for a cluster-wide policy. */
  readonly namespace?: string;
  readonly name: string;
  readonly id: string;
}

export const claimOf = ({ labels = {}, annotations = {} }: Claimable): Claim | undefined => {
  const [id, namespace, name] = [
    labels[POLICY_ID],
    annotations[POLICY_NAMESPACE],
    annotations[POLICY_NAME],
  ];
  if (id && namespace && name) return { namespace, name, id };
  const [clusterId, clusterName] = [labels[CLUSTER_POLICY_ID], annotations[CLUSTER_POLICY_NAME]];
  return clusterId && clusterName ? { name: clusterName, id: clusterId } : undefined;
};

/** The label that selects what a policy has claimed, in templates and in bindings. */
export const claimLabel = (policy: Policy): { readonly key: string; readonly id: string } => {
  const key = policy.metadata.namespace ? POLICY_ID : CLUSTER_POLICY_ID;
  return { key, id: policy.metadata.labels?.[key] ?? '' };
};

const drop = (words: Words | undefined, keys: readonly string[]): Words =>
  Object.fromEntries(Object.entries(words ?? {}).filter(([key]) => !keys.includes(key)));

/** Metadata that belongs to nobody. */
export const withoutClaim = ({ labels, annotations }: Claimable): Required<Claimable> => ({
  labels: drop(labels, LABELS),
  annotations: drop(annotations, ANNOTATIONS),
});

/** Metadata that a policy has claimed; an earlier claim goes. */
export const withClaim = (metadata: Claimable, policy: Policy): Required<Claimable> => {
  const { labels, annotations } = withoutClaim(metadata);
  const { key, id } = claimLabel(policy);
  const { namespace, name } = policy.metadata;
  // What a lazy policy found stays known for as long as somebody has claimed the object.
  const { [FOUND_BY_LAZY]: found } = metadata.annotations ?? {};
  const claim: Words = {
    ...(namespace
      ? { [POLICY_NAMESPACE]: namespace, [POLICY_NAME]: name }
      : { [CLUSTER_POLICY_NAME]: name }),
    ...(found === undefined ? {} : { [FOUND_BY_LAZY]: found }),
  };
  return { labels: { ...labels, [key]: id }, annotations: { ...annotations, ...claim } };
};
