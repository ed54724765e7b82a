import { goMismatch } from '@perigee/kubernetes/types/go-mismatch';
import { type FieldError, invalid } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { compileVisit, type Visit } from '@perigee/schema/structural/visit';
import { newWalk, renderPath } from '@perigee/schema/structural/walk';

const visitEmbedded: Visit = (value, { path, errors }) => {
  if (!isJsonObject(value)) return;
  const at = (name: string): string => `${renderPath(path)}.${name}`;
  for (const name of ['apiVersion', 'kind']) {
    const text = value[name];
    if (text === undefined || typeof text === 'string') continue;
    errors.push(invalid(at(name), text, 'must be a string'));
  }
  const { metadata } = value;
  const why = metadata === undefined ? undefined : goMismatch('meta.v1.ObjectMeta', metadata);
  if (why !== undefined) errors.push(invalid(at('metadata'), metadata, why));
};

const visits = new WeakMap<StructuralSchema, { readonly visit: Visit | undefined }>();

const visitOf = (schema: StructuralSchema): Visit | undefined => {
  const cachedVisit = visits.get(schema);
  if (cachedVisit !== undefined) return cachedVisit.visit;
  const visit = compileVisit(schema, (node) =>
    node['x-kubernetes-embedded-resource'] ? visitEmbedded : undefined,
  );
  visits.set(schema, { visit });
  return visit;
};

/** The first type mismatch in an embedded object, which keeps Kubernetes from decoding it. */
export const mistypedEmbedded = (
  schema: StructuralSchema,
  object: JsonObject,
): FieldError | undefined => {
  const visit = visitOf(schema);
  if (visit === undefined) return undefined;
  const walk = newWalk();
  visit(object, walk);
  return walk.errors[0];
};
