import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { jsonKind } from '@perigee/kubernetes/types/go-mismatch';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { parseJson } from '../codec/json/parse-json.ts';
import {
  type DecodedObject,
  decodeObject,
  type ExpectedKind,
  unrecognisedBody,
} from '../codec/negotiate/decode-object.ts';
import { bodyFormat, type PatchFormat } from '../codec/negotiate/request-format.ts';
import { decodeProtobuf } from '../codec/protobuf/decode-protobuf.ts';
import { parseYaml } from '../codec/yaml/parse-yaml.ts';
import { MalformedBodyError } from '../errors.ts';
import { bodyResource } from '../registry/body-resource.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { readBody } from './read-body.ts';

const noMap = (value: JsonValue): string =>
  `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;

/** Does the work, and answers for a body that cannot be read. */
export const orRefuse = <T>(work: () => T, refuse: (error: MalformedBodyError) => Error): T => {
  try {
    return work();
  } catch (error) {
    throw error instanceof MalformedBodyError ? refuse(error) : error;
  }
};

const decode = (body: Buffer, format: string, expected: ExpectedKind): DecodedObject => {
  if (format !== 'protobuf')
    return decodeObject(body, format === 'yaml' ? 'yaml' : 'json', expected);
  const type = { apiVersion: apiVersionOf(expected), kind: expected.kind };
  const object = orRefuse(
    () => decodeProtobuf(body, type),
    ({ message }) => unrecognisedBody(expected.kind, message, body),
  );
  return { object, warnings: [], strictErrors: [] };
};

/** The object that a request carries, as JSON, YAML or protobuf. */
export const readObject = async (
  exchange: Exchange,
  resource: ServedResource,
  subresource: string | undefined,
): Promise<DecodedObject> => {
  const format = bodyFormat(headerOf(exchange, 'content-type'));
  const expectedKind = bodyResource(resource, subresource);
  return decode(await readBody(exchange), format, expectedKind);
};

/** The patch that a request carries. */
export const readPatch = async (exchange: Exchange, format: PatchFormat): Promise<JsonValue> => {
  const body = await readBody(exchange);
  const isStrategic = format === 'strategic-merge-patch';
  const patch = orRefuse(
    () => parseJson(body).value,
    ({ message }) => badRequest(isStrategic ? message : `error decoding patch: ${message}`),
  );
  if (!isStrategic || isJsonObject(patch)) return patch;
  if (patch === null) return {};
  throw badRequest(noMap(patch));
};

/** The configuration that a server-side apply carries. */
export const readConfig = async (
  exchange: Exchange,
  expectedKind: ExpectedKind,
): Promise<DecodedObject> => {
  const body = await readBody(exchange);
  const { value, duplicateKeys } = orRefuse(
    () => parseYaml(body),
    ({ message }) => badRequest(`error decoding YAML: ${message}`),
  );
  const object = value ?? {};
  if (!isJsonObject(object)) {
    const why = `error unmarshaling JSON: while decoding JSON: ${noMap(object)}`;
    throw badRequest(`error decoding YAML: ${why}`);
  }
  const { apiVersion = '', kind = '' } = object;
  if (apiVersion !== apiVersionOf(expectedKind) || kind !== expectedKind.kind) {
    const groupVersion = /^[^/]+$/.test(`${apiVersion}`) ? `/${apiVersion}` : apiVersion || '/';
    throw badRequest(`invalid object type: ${groupVersion}, Kind=${kind}`);
  }
  return { object, warnings: duplicateKeys, strictErrors: duplicateKeys };
};
