import type { JsonObject } from '@perigee/api/json';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { ApiError } from '@perigee/kube/errors';
import { goMismatch } from '../builtin/go-mismatch.ts';
import { typeOfKind } from '../builtin/kind-types.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';

/** What keeps Go from reading an object of a resource; custom resources have a type for their metadata only. */
const mismatchOf = (resource: ServedResource, body: JsonObject): string | undefined => {
  if (resource.origin === 'crd') return goMismatch('meta.v1.ObjectMeta', body.metadata ?? null);
  const type = typeOfKind(apiVersionOf(resource), resource.kind);
  return type === undefined ? undefined : goMismatch(type, body);
};

/**
 * Does the work. When it refuses an object that Kubernetes could not even read, the answer says that,
 * which goes before all else; a good object is not looked at twice.
 */
export const refusingMistyped = async <T>(
  resource: ServedResource,
  body: JsonObject,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { kind, version } = resource;
    const why = error instanceof ApiError ? mismatchOf(resource, body) : undefined;
    if (why === undefined) throw error;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
  }
};
