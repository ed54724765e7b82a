import type { Work } from '@perigee/api/kinds/placement/work';
import { isSameResource, type NamedResource, workNameFor } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import { textIn } from '../../interpreter/fields.ts';
import { BINDING_NAME, BINDING_NAMESPACE, CLUSTER_BINDING_NAME } from './work-names.ts';

export const resourceOf = (object: JsonObject): NamedResource => ({
  apiVersion: textIn(object, 'apiVersion'),
  kind: textIn(object, 'kind'),
  namespace: textIn(object, 'metadata', 'namespace') || undefined,
  name: textIn(object, 'metadata', 'name'),
});

interface BindingRef {
  /** Absent for a binding without a namespace. */
  readonly namespace?: string;
  readonly name: string;
}

/** The binding of a Work; undefined for a Work that a user wrote. */
const boundBy = ({ metadata: { annotations = {} } }: Work): BindingRef | undefined => {
  const { [BINDING_NAMESPACE]: namespace, [BINDING_NAME]: name } = annotations;
  if (namespace && name) return { namespace, name };
  const wide = annotations[CLUSTER_BINDING_NAME];
  return wide ? { name: wide } : undefined;
};

/**
 * The reason why a manifest cannot belong to its Work's binding; undefined if it can. The author of
 * a Work without a binding answers for its manifests.
 */
export const foreignManifest = (
  work: Work,
  manifest: JsonObject,
  scope: 'Namespaced' | 'Cluster',
): string | undefined => {
  const binding = boundBy(work);
  if (binding === undefined) return undefined;
  const resource = resourceOf(manifest);
  if (resource.namespace !== binding.namespace) {
    return `it is of ${inWords(resource.namespace)}, and its binding of ${inWords(binding.namespace)}`;
  }
  if ((scope === 'Namespaced') !== (binding.namespace !== undefined)) {
    return `${resource.kind} ${scope === 'Cluster' ? 'has no' : 'needs a'} namespace in this cluster, and its binding is of ${inWords(binding.namespace)}`;
  }
  const expectedName = workNameFor(resource, binding.name);
  return work.metadata.name === expectedName
    ? undefined
    : `the Work of such an object would be named ${expectedName}`;
};

const inWords = (namespace: string | undefined): string =>
  namespace === undefined ? 'no namespace' : `namespace ${namespace}`;

/**
 * True if a binding may write an existing Work: it owns the Work, or the Work has no owner and the
 * same object.
 */
export const mayWrite = (work: Work, binding: BindingRef, manifest: JsonObject): boolean => {
  const holder = boundBy(work);
  if (holder !== undefined) {
    return holder.namespace === binding.namespace && holder.name === binding.name;
  }
  const manifests = work.spec.workload?.manifests ?? [];
  return manifests.every((one) => isSameResource(resourceOf(one), resourceOf(manifest)));
};
