import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { apiGroups } from '../discovery/api-groups.ts';
import { type JsonDocument, jsonDocument } from '../discovery/json-document.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { openApiV3Document } from './open-api-v3.ts';

/** Keywords that OpenAPI v2 lacks, or that its clients would read as a stricter schema. */
const NOT_IN_V2 = new Set(['anyOf', 'oneOf', 'not', 'nullable', 'default']);

/** An embedded object has these fields, though its schema in v2 does not show them. */
const TYPE_FIELDS = new Set(['kind', 'apiVersion']);

/** Extension with the kinds of a whole object. */
const KINDS = 'x-kubernetes-group-version-kind';

const texts = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const toV2Ref = (ref: string): string => ref.replace('#/components/schemas/', '#/definitions/');

const toV2Node = (schema: JsonObject): JsonObject => {
  const { $ref, allOf } = schema;
  if (typeof $ref === 'string') return { $ref: toV2Ref($ref) };
  const reference =
    Array.isArray(allOf) && allOf.length === 1 && isJsonObject(allOf[0]) && allOf[0];
  if (reference && typeof reference.$ref === 'string') {
    const { description } = schema;
    return { ...present({ description: description || undefined }), $ref: toV2Ref(reference.$ref) };
  }
  const result: { [key: string]: JsonValue | undefined } = {};
  for (const [key, value] of Object.entries(schema)) {
    if (NOT_IN_V2.has(key) || key === 'allOf') continue;
    result[key] = key === 'properties' && isJsonObject(value) ? toV2Nodes(value) : toV2Child(value);
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true) return result;
  // A whole object that preserves unknown fields has no further keywords in v2: clients would refuse all other
  // fields.
  if (schema[KINDS] !== undefined) return { type: 'object', [KINDS]: schema[KINDS] };
  // A reader of v2 that sees a type and some fields refuses all others.
  const { type: _, properties: __, additionalProperties: ___, required, ...open } = result;
  const requiredNames = texts(required).filter((name) => !TYPE_FIELDS.has(name));
  return requiredNames.length === 0 ? open : { ...open, required: requiredNames };
};

const isSchema = (value: JsonValue | undefined): value is JsonObject => isJsonObject(value);

const toV2Child = (value: JsonValue | undefined): JsonValue | undefined =>
  isSchema(value) ? toV2Node(value) : value;

const toV2Nodes = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toV2Child(schema)]));

const toV2Parameter = ({ schema, ...parameter }: JsonObject): JsonObject => ({
  ...parameter,
  ...(isJsonObject(schema) ? schema : {}),
});

const objects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const schemaOf = (content: JsonValue | undefined): JsonObject | undefined => {
  if (!isJsonObject(content)) return undefined;
  const [media] = Object.values(content);
  return isJsonObject(media) && isJsonObject(media.schema) ? toV2Node(media.schema) : undefined;
};

const toV2Response = ({ description, content }: JsonObject): JsonObject => {
  const schema = schemaOf(content);
  return { description, ...present({ schema }) };
};

const mediaTypes = (body: JsonObject): readonly string[] => Object.keys(body.content ?? {});

const toV2Operation = ({ requestBody, responses, parameters, ...operation }: JsonObject) => {
  const body = isJsonObject(requestBody) ? requestBody : undefined;
  return {
    ...operation,
    consumes: body ? mediaTypes(body) : ['application/json', 'application/yaml'],
    produces: ['application/json', 'application/yaml'],
    schemes: ['https'],
    parameters: [
      ...(body
        ? [
            {
              name: 'body',
              in: 'body',
              ...present({ required: body.required === true || undefined }),
              schema: schemaOf(body.content),
            },
          ]
        : []),
      ...objects(parameters).map(toV2Parameter),
    ],
    responses: Object.fromEntries(
      Object.entries(isJsonObject(responses) ? responses : {}).map(([code, response]) => [
        code,
        isJsonObject(response) ? toV2Response(response) : response,
      ]),
    ),
  };
};

const toV2PathItem = ({ parameters, ...operations }: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method,
      isJsonObject(operation) ? toV2Operation(operation) : operation,
    ]),
  ),
  parameters: objects(parameters).map(toV2Parameter),
});

/** `/openapi/v2`: one document for all that is served; costly, so make it only when it is asked for. */
export const openApiV2 = (resources: Iterable<ServedResource>): JsonDocument => {
  const paths: { [path: string]: JsonObject } = {};
  const definitions: { [name: string]: JsonValue | undefined } = {};
  for (const api of apiGroups(resources).flatMap(({ versions }) => versions)) {
    const v3 = openApiV3Document(api);
    const { schemas } = v3.components as { readonly schemas: JsonObject };
    for (const [path, item] of Object.entries(
      v3.paths as { readonly [path: string]: JsonObject },
    )) {
      paths[path] = toV2PathItem(item);
    }
    Object.assign(definitions, toV2Nodes(schemas));
  }
  return jsonDocument({
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths,
    definitions,
    securityDefinitions: {
      BearerToken: {
        description: 'Bearer Token authentication',
        type: 'apiKey',
        name: 'authorization',
        in: 'header',
      },
    },
    security: [{ BearerToken: [] }],
  });
};
