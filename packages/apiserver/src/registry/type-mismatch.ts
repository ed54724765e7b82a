import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { goMismatch } from '@perigee/kubernetes/types/go-mismatch';
import { typeOfKind } from '@perigee/kubernetes/types/kind-types';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';

/** The type mismatch that keeps Go from decoding an object; custom resources have typed metadata only. */
export const mismatchOf = (resource: ServedResource, body: JsonObject): string | undefined => {
  if (resource.origin === 'crd') return goMismatch('meta.v1.ObjectMeta', body.metadata ?? null);
  const type = typeOfKind(apiVersionOf(resource), resource.kind);
  return type === undefined ? undefined : goMismatch(type, body);
};
