import { ApiError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { mismatchOf } from '../registry/mistyped.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';

/**
 * Does the work. When it refuses an object that Kubernetes could not even read, the answer says that,
 * which goes before all else; a good object is not looked at twice.
 */
export const refusingMistyped = async <T>(
  resource: ServedResource,
  body: JsonObject,
  warnings: string[],
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { kind, version } = resource;
    const why = error instanceof ApiError ? mismatchOf(resource, body) : undefined;
    if (why === undefined) throw error;
    // Nothing is odd about what cannot be read.
    warnings.length = 0;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
  }
};
