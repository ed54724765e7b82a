import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { OBJECT_META } from '@perigee/schema/structural/object-meta-schema';
import { compileValidator } from '@perigee/schema/validate/validate';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';
import { mistypedEmbedded } from './embedded-types.ts';
import { metaOf, withMeta } from './metadata.ts';
import { formOf } from './object-form.ts';
import { weigh } from './weigh.ts';
import { withReadMetadata } from './written-metadata.ts';

/** The object with duplicate owner references removed, and a warning for each. */
const withOwnersOnce = (
  object: JsonObject,
  { warn, isPatched = false }: Pick<InputOptions, 'warn' | 'isPatched'>,
): JsonObject => {
  const { ownerReferences: owners = [] } = metaOf(object);
  if (owners.length < 2) return object;
  const visited = new Map<string, string>();
  const repeated = new Set<string>();
  const once = owners.filter((owner) => {
    const text = JSON.stringify(Object.entries(owner).sort(([a], [b]) => (a < b ? -1 : 1)));
    const isNew = !visited.has(text);
    if (!isNew) repeated.add(owner.uid);
    visited.set(text, owner.uid);
    return isNew;
  });
  if (once.length === owners.length) return object;
  warn?.(
    `.metadata.ownerReferences contains duplicate entries${isPatched ? ' after mutating admission happens' : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(', ')}`,
  );
  return withMeta(object, { ...metaOf(object), ownerReferences: once });
};

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export interface InputOptions {
  /** Handling of unknown fields; `Warn` by default. */
  readonly fieldValidation?: FieldValidation;
  /** Callback for warnings, which do not refuse the input. */
  readonly warn?: (text: string) => void;
  /** Warnings from decoding the body, such as duplicate fields: strict validation refuses them. */
  readonly warnings?: readonly string[];
  readonly strictErrors?: readonly string[];
  /** True if it is what a patch made of an object. */
  readonly isPatched?: boolean;
  /** Leaves nulls that the schema of a custom kind does not take, to be refused. */
  readonly keepsNulls?: boolean;
}

const checkTypes = compileValidator({ type: 'object', properties: { metadata: OBJECT_META } });

const unreadable = ({ kind, version }: ServedResource, why: string): Error =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);

const inText = (errors: readonly FieldError[]): string =>
  errors.map(({ field, message }) => `${field}: ${message}`).join(', ');

/** The body with its type, which may be left out; throws when it is that of another kind. */
const withType = (resource: ServedResource, body: JsonObject): JsonObject => {
  const apiVersion = apiVersionOf(resource);
  const { kind } = resource;
  if (body.apiVersion !== undefined && body.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${body.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (body.kind !== undefined && body.kind !== kind) {
    throw badRequest(
      `the kind in the data (${body.kind}) does not match the expected kind (${kind})`,
    );
  }
  return body.apiVersion === undefined || body.kind === undefined
    ? { ...body, apiVersion, kind }
    : body;
};

const judge = (
  resource: ServedResource,
  unknown: readonly string[],
  { fieldValidation = 'Warn', warn, warnings = [], strictErrors = [] }: InputOptions,
): void => {
  if (fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    // Kubernetes finds duplicates of a custom resource first, and of others while it searches for fields.
    const isCustom = resource.origin === 'crd';
    const errors = isCustom ? [...strictErrors, ...unknown] : [...unknown, ...strictErrors];
    if (errors.length === 0) return;
    throw unreadable(resource, `strict decoding error: ${errors.join(', ')}`);
  }
  for (const problem of [...warnings, ...unknown]) warn?.(problem);
};

/** Warns of problems of the body itself, or refuses it, by the level of field validation. */
export const judgeBody = (resource: ServedResource, options: InputOptions): void =>
  judge(resource, [], options);

/** In custom resources an empty list of field owners counts as absent; only built-in kinds are reset by it. */
const withoutNoOwners = ({ origin }: ServedResource, object: JsonObject): JsonObject => {
  if (origin !== 'crd' || metaOf(object).managedFields?.length !== 0) return object;
  const { managedFields: _, ...meta } = metaOf(object);
  return withMeta(object, meta);
};

/**
 * Decodes an object from a user: prunes unknown fields and adds defaults. Parts that it shares with a stored object
 * are not checked again.
 */
export const decodeInput = (
  resource: ServedResource,
  body: JsonObject,
  options: InputOptions,
  old?: JsonObject,
): JsonObject => {
  weigh(body, old);
  const typed = withReadMetadata(resource, withType(resource, body));
  const mistyped = checkTypes(typed, old);
  if (mistyped.length > 0) throw unreadable(resource, inText(mistyped));
  const embedded = resource.origin === 'crd' ? mistypedEmbedded(resource.schema, typed) : undefined;
  if (embedded !== undefined) throw unreadable(resource, inText([embedded]));
  const { value, unknownFields } = formOf(resource).decode(typed, {
    keepsNulls: options.keepsNulls === true && resource.origin === 'crd',
  });
  const unknown = unknownFields.map((path) => `unknown field "${path}"`);
  judge(resource, unknown, options);
  const single = withoutNoOwners(resource, withOwnersOnce(value, options));
  return resource.strategy.defaults?.(single) ?? single;
};
