import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { parseJson } from '../codec/json/parse-json.ts';
import {
  type DecodedObject,
  decodeObject,
  type ExpectedKind,
  unrecognisedBody,
} from '../codec/negotiate/decode-object.ts';
import { bodyFormat } from '../codec/negotiate/request-format.ts';
import { decodeProtobuf } from '../codec/protobuf/decode-protobuf.ts';
import { parseYaml } from '../codec/yaml/parse-yaml.ts';
import { MalformedBodyError } from '../errors.ts';
import type { DeleteRequest } from '../registry/delete.ts';
import type { PropagationPolicy } from '../registry/deletion-finalizers.ts';
import { badRequest } from '../status/request-refusals.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { readDryRun } from './query-options.ts';
import { readBody } from './read-body.ts';

const SCALE: ExpectedKind = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  origin: 'built-in',
};

const orRefuse = <T>(work: () => T, refuse: (error: MalformedBodyError) => Error): T => {
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
  resource: ExpectedKind,
  subresource: string | undefined,
): Promise<DecodedObject> => {
  const format = bodyFormat(headerOf(exchange, 'content-type'));
  const expected = subresource === 'scale' ? SCALE : resource;
  return decode(await readBody(exchange), format, expected);
};

/** The patch that a request carries. */
export const readPatch = async (exchange: Exchange): Promise<JsonValue> => {
  const body = await readBody(exchange);
  return orRefuse(
    () => parseJson(body).value,
    ({ message }) => badRequest(`error decoding patch: ${message}`),
  );
};

/** The configuration that a server-side apply carries. */
export const readConfig = async (exchange: Exchange): Promise<DecodedObject> => {
  const body = await readBody(exchange);
  const { value, duplicateKeys } = orRefuse(
    () => parseYaml(body),
    ({ message }) => badRequest(`error decoding YAML: ${message}`),
  );
  if (!isJsonObject(value)) throw badRequest('error decoding YAML: an apply takes an object');
  return { object: value, warnings: duplicateKeys, strictErrors: duplicateKeys };
};

const optionsFromQuery = (query: URLSearchParams): JsonObject => {
  const policy = query.get('propagationPolicy');
  const grace = query.get('gracePeriodSeconds');
  const dryRun = query.getAll('dryRun');
  return {
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(query.get('orphanDependents') === 'true' ? { orphanDependents: true } : {}),
  };
};

type DeleteOptions = Omit<DeleteRequest, 'namespace' | 'name'>;

const toOptions = (options: JsonObject): DeleteOptions => {
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions } = options;
  const policy = orphanDependents === true ? 'Orphan' : propagationPolicy;
  const dryRun = Array.isArray(options.dryRun) ? options.dryRun.map(String) : [];
  if (gracePeriodSeconds !== undefined && !Number.isInteger(gracePeriodSeconds)) {
    throw badRequest('gracePeriodSeconds must be a whole number');
  }
  return {
    dryRun: readDryRun(dryRun, 'DeleteOptions'),
    ...(policy ? { propagationPolicy: policy as PropagationPolicy } : {}),
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    ...(isJsonObject(preconditions) ? { preconditions } : {}),
  };
};

/** How to delete: the body says it, or the query when there is no body. */
export const readDeleteOptions = async (exchange: Exchange): Promise<DeleteOptions> => {
  const body = await readBody(exchange);
  if (body.length === 0) return toOptions(optionsFromQuery(exchange.query));
  const format = bodyFormat(headerOf(exchange, 'content-type'));
  const value = orRefuse(
    (): JsonValue => {
      if (format === 'protobuf') {
        return decodeProtobuf(body, { apiVersion: 'v1', kind: 'DeleteOptions' });
      }
      return format === 'yaml' ? parseYaml(body).value : parseJson(body).value;
    },
    ({ message }) => unrecognisedBody('DeleteOptions', message, body),
  );
  if (isJsonObject(value) && (value.kind ?? 'DeleteOptions') === 'DeleteOptions') {
    return toOptions(value);
  }
  throw badRequest('the body of a deletion must be DeleteOptions');
};
