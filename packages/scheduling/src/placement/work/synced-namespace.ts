import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';

/** The label that excludes a namespace from propagation. */
export const SKIPS_MEMBERS = 'namespace.karmada.io/skip-auto-propagation';

const RESERVED: ReadonlySet<string> = new Set(['karmada-system', 'karmada-cluster', 'default']);

/** True for namespaces that go to all clusters without a policy. The others are everywhere, or the control plane's own. */
export const isSyncedNamespace = (name: string): boolean =>
  !RESERVED.has(name) &&
  !name.startsWith('kube-') &&
  clusterOfExecutionNamespace(name) === undefined;

/** True for namespaces that a label keeps out of the clusters. */
export const skipsMembers = ({
  metadata,
}: {
  readonly metadata: Pick<ObjectMeta, 'labels'>;
}): boolean => metadata.labels?.[SKIPS_MEMBERS]?.toLowerCase() === 'true';
