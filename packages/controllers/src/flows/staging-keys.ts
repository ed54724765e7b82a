import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { StagingKeys } from '@perigee/scheduling/flows/staging-objects';
import { ACCESS_KEY, SECRET_KEY, type StagingStore } from '@perigee/scheduling/flows/staging-store';

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
