import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { sameJson } from '@perigee/schema/same-json';

/** Kubernetes omits counts of zero. */
const fieldsThatAreSet = (status: object | undefined): object =>
  Object.fromEntries(
    Object.entries(status ?? {}).filter(([, value]) => value !== undefined && value !== 0),
  );

/** Compares two statuses, ignoring counts of zero. */
export const sameReport = (a: object | undefined, b: object | undefined): boolean =>
  sameJson(fieldsThatAreSet(a), fieldsThatAreSet(b));

/** Writes a changed status, unless the object has changed meanwhile. */
export const writeStatus = async <S extends object, T extends KubeObject & { readonly status?: S }>(
  client: Client,
  kind: ResourceKind<T, WrittenObject>,
  object: T,
  status: S,
): Promise<T> => {
  if (sameReport(object.status, status)) return object;
  return client.update(kind, { ...object, status }, { subresource: 'status' });
};
