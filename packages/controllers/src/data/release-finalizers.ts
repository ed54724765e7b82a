import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';

/**
 * Finalizers of volcano-global, removed from objects that it created: without it nobody else would, and they could
 * never be deleted. This implementation needs no finalizers, as it derives everything from the remaining objects.
 */
const FINALIZERS: ReadonlySet<string> = new Set([
  'datadependency.volcano.sh/datasource-finalizer',
  'datadependency.volcano.sh/finalizer',
]);

/** Removes these finalizers from an object that is being deleted. */
export const releaseFinalizers = async <K extends ResourceKind>(
  kind: K,
  object: StoredObjectOf<K> & KubeObject,
  fieldManager: string,
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const { finalizers = [] } = object.metadata;
  const nextFinalizers = finalizers.filter((one) => !FINALIZERS.has(one));
  await setFinalizers(client, kind, object, nextFinalizers, { fieldManager, signal });
};
