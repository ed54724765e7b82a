import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { ServedResource } from '../resource/served-resource.ts';
import { META, operationId, operationTag } from './model-name.ts';
import { type OpenApiSchema, refTo } from './open-api-schema.ts';
import { type Action, QUERY_PARAMETERS } from './query-parameters.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Verb {
  /** Name of the verb in the `verbs` of a resource. */
  readonly verb: string;
  readonly method: Method;
  readonly action: Action;
  /** Start of the operation's name. */
  readonly prefix: string;
  /** Part before the kind in that name. */
  readonly infix?: string;
  readonly text: (kind: string, part: string) => string;
}

const article = (kind: string): string => (/^[AEIOU]/i.test(kind) ? 'an' : 'a');
const ofPart = (part: string): string => (part === '' ? '' : ` ${part} of`);
const specified =
  (doing: string) =>
  (kind: string, part: string): string =>
    `${doing}${ofPart(part)} the specified ${kind}`;

const CREATE: Verb = {
  verb: 'create',
  method: 'post',
  action: 'post',
  prefix: 'create',
  text: (kind, part) => `create${ofPart(part)} ${article(kind)} ${kind}`,
};

export const COLLECTION_VERBS: readonly Verb[] = [
  {
    verb: 'list',
    method: 'get',
    action: 'list',
    prefix: 'list',
    text: (kind) => `list objects of kind ${kind}`,
  },
  CREATE,
  {
    verb: 'deletecollection',
    method: 'delete',
    action: 'deletecollection',
    prefix: 'delete',
    infix: 'Collection',
    text: (kind) => `delete collection of ${kind}`,
  },
];

const READ: Verb = {
  verb: 'get',
  method: 'get',
  action: 'get',
  prefix: 'read',
  text: specified('read'),
};
const REPLACE: Verb = {
  verb: 'update',
  method: 'put',
  action: 'put',
  prefix: 'replace',
  text: specified('replace'),
};
const PATCH: Verb = {
  verb: 'patch',
  method: 'patch',
  action: 'patch',
  prefix: 'patch',
  text: specified('partially update'),
};
const DELETE: Verb = {
  verb: 'delete',
  method: 'delete',
  action: 'delete',
  prefix: 'delete',
  text: (kind) => `delete ${article(kind)} ${kind}`,
};

export const ITEM_VERBS: readonly Verb[] = [READ, REPLACE, DELETE, PATCH];
export const SUBRESOURCE_VERBS: readonly Verb[] = [READ, REPLACE, CREATE, PATCH];

const BODIES = ['application/json', 'application/yaml'];
const PATCHES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
];

const content = (types: readonly string[], schema: OpenApiSchema): JsonObject =>
  Object.fromEntries(types.map((type) => [type, { schema: schema as JsonObject }]));

const requestBody = (action: Action, model: OpenApiSchema, origin: ServedResource['origin']) => {
  switch (action) {
    case 'post':
    case 'put':
      return { content: content(BODIES, model), required: true };
    case 'patch': {
      const types =
        origin === 'crd' ? PATCHES : [...PATCHES, 'application/strategic-merge-patch+json'];
      return { content: content(types, refTo(`${META}.Patch`)), required: true };
    }
    case 'delete':
      return { content: content(BODIES, refTo(`${META}.DeleteOptions`)) };
    default:
      return undefined;
  }
};

const SUCCESSES: { readonly [action in Action]: { readonly [code: string]: string } } = {
  get: { 200: 'OK' },
  list: { 200: 'OK' },
  deletecollection: { 200: 'OK' },
  post: { 200: 'OK', 201: 'Created', 202: 'Accepted' },
  put: { 200: 'OK', 201: 'Created' },
  patch: { 200: 'OK' },
  delete: { 200: 'OK', 202: 'Accepted' },
};

const responses = (action: Action, model: OpenApiSchema): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(SUCCESSES[action]).map(([code, description]) => [
      code,
      { description, content: content(BODIES, model) },
    ]),
  ),
  401: { description: 'Unauthorized' },
});

export interface Target {
  readonly resource: ServedResource;
  /** The subresource; empty for the object itself. */
  readonly part: string;
  /** The kind that is sent. */
  readonly gvk: { readonly group: string; readonly version: string; readonly kind: string };
  /** The schemas: of what is sent, of what a list answers. */
  readonly model: OpenApiSchema;
  readonly listModel: OpenApiSchema;
  /** The end of the operation's name, such as `NamespacedPodGroup`. */
  readonly title: string;
}

const modelOf = (action: Action, { model, listModel }: Target): OpenApiSchema => {
  if (action === 'list') return listModel;
  return action === 'delete' || action === 'deletecollection' ? refTo(`${META}.Status`) : model;
};

/** One operation of OpenAPI v3. Clients find it by its action and kind, which stand in extensions. */
export const operation = (verb: Verb, target: Target): JsonObject => {
  const { resource, part, gvk, model, title } = target;
  const { group, version, kind, origin } = resource;
  const { action, prefix, infix = '', text } = verb;
  const body = requestBody(action, model, origin);
  return {
    tags: [operationTag(group, version)],
    description: text(kind, part),
    operationId: operationId(prefix, resource, `${infix}${title}`),
    parameters: QUERY_PARAMETERS[action].map((parameter) => ({ ...parameter })),
    ...present({ requestBody: body }),
    responses: responses(action, modelOf(action, target)),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...gvk },
  };
};
