import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { Secret } from '@perigee/kubernetes/core/secret';
import { type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import type { StagingKeys } from '@perigee/scheduling/flows/staging-objects';
import { ACCESS_KEY, SECRET_KEY, type StagingStore } from '@perigee/scheduling/flows/staging-store';
import { RefusedRunError } from '../errors.ts';
import { bindingOfRun } from './operation-runs.ts';

/**
 * The keys of the store in a namespace. The operator decides by the Secret which namespaces may use it, and what they
 * may reach there.
 */
export const stagingKeys = async (
  { secret }: StagingStore,
  namespace: string,
  { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
): Promise<StagingKeys | undefined> => {
  const secretObject = await getOrUndefined(
    client,
    Secret,
    { namespace, name: secret },
    { signal },
  );
  const textOf = (key: string): string =>
    Buffer.from(secretObject?.data?.[key] ?? '', 'base64').toString();
  const keys = { accessKey: textOf(ACCESS_KEY), secretKey: textOf(SECRET_KEY) };
  return keys.accessKey === '' || keys.secretKey === '' ? undefined : keys;
};

/** Refuses an operation that needs the staging store and has no keys for it in its namespace. */
export const refuseWithoutKeys = async (
  operation: Operation,
  staging: StagingStore | undefined,
  context: ReconcileContext,
): Promise<void> => {
  if (statusOf(operation).transfer?.path !== 'Staging' || staging === undefined) return;
  if (bindingOfRun(context, operation) !== undefined) return;
  const { namespace = '' } = operation.metadata;
  if ((await stagingKeys(staging, namespace, context)) !== undefined) return;
  const message = `the data would go through ${staging.uri}, and there is no Secret ${staging.secret} with access-key and secret-key in the namespace ${namespace}`;
  throw new RefusedRunError({ reason: 'NoPathBetweenClusters', message });
};
