import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';

/**
 * What volcano-global holds its objects by. Nothing here needs to be held: what a deletion leads to is seen from what
 * is left. An object that it made would else never go where it does not run.
 */
const FINALIZERS: ReadonlySet<string> = new Set([
  'datadependency.volcano.sh/datasource-finalizer',
  'datadependency.volcano.sh/finalizer',
]);

/** Lets an object go whose end was asked for. */
export const releaseFinalizers = async <K extends ResourceKind>(
  kind: K,
  object: StoredObjectOf<K> & KubeObject,
  fieldManager: string,
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const { finalizers = [] } = object.metadata;
  const kept = finalizers.filter((one) => !FINALIZERS.has(one));
  await setFinalizers(client, kind, object, kept, { fieldManager, signal });
};
