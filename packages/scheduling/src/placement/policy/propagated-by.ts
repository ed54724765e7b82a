import type { KubeObject } from '@perigee/api/meta/object-meta';
import { present } from '@perigee/schema/present';
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
type MarkFields = Pick<KubeObject['metadata'], 'labels' | 'annotations'>;

/** Reference to the policy in an object's marks. */
export interface PolicyRef {
  /** Absent for a cluster-wide policy. */
  readonly namespace?: string;
  readonly name: string;
  readonly id: string;
}

/** Reads the policy reference; undefined unless all marks are present. */
export const propagatedBy = ({
  labels = {},
  annotations = {},
}: MarkFields): PolicyRef | undefined => {
  const [id, namespace, name] = [
    labels[POLICY_ID],
    annotations[POLICY_NAMESPACE],
    annotations[POLICY_NAME],
  ];
  if (id && namespace && name) return { namespace, name, id };
  const [clusterId, clusterName] = [labels[CLUSTER_POLICY_ID], annotations[CLUSTER_POLICY_NAME]];
  return clusterId && clusterName ? { name: clusterName, id: clusterId } : undefined;
};

/** The label selector for everything that a policy propagates, templates and bindings. */
export const policyLabel = (policy: Policy): { readonly key: string; readonly id: string } => {
  const key = policy.metadata.namespace ? POLICY_ID : CLUSTER_POLICY_ID;
  return { key, id: policy.metadata.labels?.[key] ?? '' };
};

const drop = (words: Words | undefined, keys: readonly string[]): Words =>
  Object.fromEntries(Object.entries(words ?? {}).filter(([key]) => !keys.includes(key)));

/** Metadata without any policy marks. */
export const withoutPolicy = ({ labels, annotations }: MarkFields): Required<MarkFields> => ({
  labels: drop(labels, LABELS),
  annotations: drop(annotations, ANNOTATIONS),
});

/** Metadata with the marks of a policy in place of any earlier ones. */
export const withPolicy = (metadata: MarkFields, policy: Policy): Required<MarkFields> => {
  const { labels, annotations } = withoutPolicy(metadata);
  const { key, id } = policyLabel(policy);
  const { namespace, name } = policy.metadata;
  // Keep the lazy policy's digest as long as any policy propagates the object.
  const { [FOUND_BY_LAZY]: digest } = metadata.annotations ?? {};
  const marks: Words = {
    ...(namespace
      ? { [POLICY_NAMESPACE]: namespace, [POLICY_NAME]: name }
      : { [CLUSTER_POLICY_NAME]: name }),
    ...present({ [FOUND_BY_LAZY]: digest }),
  };
  return { labels: { ...labels, [key]: id }, annotations: { ...annotations, ...marks } };
};
