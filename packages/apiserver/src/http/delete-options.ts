import { invalid } from '@perigee/api/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import { parseJson } from '../codec/json/parse-json.ts';
import { unrecognisedBody } from '../codec/negotiate/decode-object.ts';
import { bodyFormat } from '../codec/negotiate/request-format.ts';
import { decodeProtobuf } from '../codec/protobuf/decode-protobuf.ts';
import { parseYaml } from '../codec/yaml/parse-yaml.ts';
import type { DeleteRequest } from '../registry/delete.ts';
import type { PropagationPolicy } from '../registry/deletion-finalizers.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';
import { orRefuse } from './decode-body.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { readDryRun } from './query-options.ts';
import { readBody } from './read-body.ts';

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

const isTextOrNothing = (value: JsonValue | undefined): value is string | undefined =>
  value === undefined || typeof value === 'string';

/** What `null` is given for is not given. */
const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

const preconditionsOf = (value: JsonValue | undefined): DeleteOptions['preconditions'] => {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw badRequest('preconditions must be an object');
  const { uid, resourceVersion } = withoutNulls(value);
  if (!isTextOrNothing(uid) || !isTextOrNothing(resourceVersion)) {
    throw badRequest('uid and resourceVersion of preconditions must be strings');
  }
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
};

const toOptions = (written: JsonObject): DeleteOptions => {
  const options = withoutNulls(written);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    const problem = invalid('propagationPolicy', propagationPolicy, why);
    throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [problem]);
  }
  const preconditions = preconditionsOf(options.preconditions);
  const policy = orphanDependents === true ? 'Orphan' : propagationPolicy;
  const dryRun = Array.isArray(options.dryRun) ? options.dryRun.map(String) : [];
  if (gracePeriodSeconds !== undefined && !Number.isInteger(gracePeriodSeconds)) {
    throw badRequest('gracePeriodSeconds must be a whole number');
  }
  return {
    dryRun: readDryRun(dryRun, 'DeleteOptions'),
    ...(policy ? { propagationPolicy: policy as PropagationPolicy } : {}),
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    ...(preconditions === undefined ? {} : { preconditions }),
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
