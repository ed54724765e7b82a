/** Labels and annotations that link objects, Works and bindings. */

export const MANAGED = 'karmada.io/managed';
export const WORK_ID = 'work.karmada.io/permanent-id';
export const WORK_NAMESPACE = 'work.karmada.io/namespace';
export const WORK_NAME = 'work.karmada.io/name';
export const CONFLICT_RESOLUTION = 'work.karmada.io/conflict-resolution';

export const BINDING_ID = 'resourcebinding.karmada.io/permanent-id';
export const BINDING_NAMESPACE = 'resourcebinding.karmada.io/namespace';
export const BINDING_NAME = 'resourcebinding.karmada.io/name';
export const CLUSTER_BINDING_ID = 'clusterresourcebinding.karmada.io/permanent-id';
export const CLUSTER_BINDING_NAME = 'clusterresourcebinding.karmada.io/name';

export const TEMPLATE_UID = 'resourcetemplate.karmada.io/uid';
export const TEMPLATE_GENERATION = 'resourcetemplate.karmada.io/generation';
export const MANAGED_LABELS = 'resourcetemplate.karmada.io/managed-labels';
export const MANAGED_ANNOTATIONS = 'resourcetemplate.karmada.io/managed-annotations';

export const APPLIED_OVERRIDES = 'policy.karmada.io/applied-overrides';
export const APPLIED_CLUSTER_OVERRIDES = 'policy.karmada.io/applied-cluster-overrides';

/** On a manifest: create it if absent and never update it; an object of another owner is fine. */
export const MADE_ONCE = 'policy.perigee.io/made-once';

/** On a Work: the dataset whose claim it carries, as namespace/name. */
export const DATASET_OF_WORK = 'policy.perigee.io/dataset';

/** On a Work: the operation whose data it copies to another cluster, as Kind/namespace/name. */
export const TRANSFER_OF_WORK = 'policy.perigee.io/transfer';

export const WORK_FINALIZER = 'karmada.io/execution-controller';

/** Labels that name the Work and binding of an object. */
export const BROUGHT_LABELS: readonly string[] = [MANAGED, WORK_ID, BINDING_ID, CLUSTER_BINDING_ID];

/** Annotations that name them, and list what the control plane owns in the object. */
export const BROUGHT_ANNOTATIONS: readonly string[] = [
  MANAGED_LABELS,
  MANAGED_ANNOTATIONS,
  BINDING_NAMESPACE,
  BINDING_NAME,
  CLUSTER_BINDING_NAME,
  TEMPLATE_UID,
  TEMPLATE_GENERATION,
  WORK_NAMESPACE,
  WORK_NAME,
];
