import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { sameJson } from '@perigee/schema/same-json';

/** A count of zero is the same as none, as Kubernetes leaves it out. */
const fieldsThatAreSet = (status: object | undefined): object =>
  Object.fromEntries(
    Object.entries(status ?? {}).filter(([, value]) => value !== undefined && value !== 0),
  );

/** Whether two statuses say the same. */
export const saysTheSame = (a: object | undefined, b: object | undefined): boolean =>
  sameJson(fieldsThatAreSet(a), fieldsThatAreSet(b));

/** Writes a status that differs from the one that is there, and only over that one. */
export const writeStatus = async <S extends object, T extends KubeObject & { readonly status?: S }>(
  client: Client,
  kind: ResourceKind<T, WrittenObject>,
  object: T,
  status: S,
): Promise<T> => {
  if (saysTheSame(object.status, status)) return object;
  return client.update(kind, { ...object, status }, { subresource: 'status' });
};
