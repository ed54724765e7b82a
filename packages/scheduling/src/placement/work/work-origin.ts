import type { Work } from '@perigee/api/kinds/placement/work';
import { controllerOf } from '@perigee/api/values/owner-references';
import {
  BINDING_NAME,
  BINDING_NAMESPACE,
  CLUSTER_BINDING_NAME,
  DATASET_OF_WORK,
} from './work-names.ts';

/** The reason for which a Work exists. */
export type WorkOrigin =
  /** A binding delivers its resource. */
  | {
      readonly kind: 'binding';
      readonly binding: { readonly namespace?: string; readonly name: string };
    }
  /** Every cluster gets the namespaces of the control plane. */
  | { readonly kind: 'namespace' }
  /** The cluster has, or will have, a copy of a dataset. */
  | { readonly kind: 'dataset' }
  /** A user wrote it; nothing would recreate it for another cluster. */
  | { readonly kind: 'hand' };

export const workOrigin = (work: Work): WorkOrigin => {
  const { annotations = {} } = work.metadata;
  const wide = annotations[CLUSTER_BINDING_NAME];
  if (wide) return { kind: 'binding', binding: { name: wide } };
  const { [BINDING_NAMESPACE]: namespace, [BINDING_NAME]: name } = annotations;
  if (namespace && name) return { kind: 'binding', binding: { namespace, name } };
  if (annotations[DATASET_OF_WORK]) return { kind: 'dataset' };
  const owner = controllerOf(work);
  return owner?.kind === 'Namespace' && owner.apiVersion === 'v1'
    ? { kind: 'namespace' }
    : { kind: 'hand' };
};
