import { goMismatch } from '@perigee/kubernetes/types/go-mismatch';
import { invalid } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { parseJson } from '../codec/json/parse-json.ts';
import { NO_TYPE_META, noTypeMeta } from '../codec/negotiate/decode-object.ts';
import { bodyFormat } from '../codec/negotiate/request-format.ts';
import { decodeProtobuf } from '../codec/protobuf/decode-protobuf.ts';
import { parseYaml } from '../codec/yaml/parse-yaml.ts';
import type { DeleteRequest } from '../registry/delete.ts';
import type { PropagationPolicy } from '../registry/deletion-finalizers.ts';
import { count } from '../request/query.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';
import { orRefuse } from './decode-body.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { readDryRun } from './query-options.ts';
import { readBody } from './read-body.ts';

const optionsFromQuery = (query: URLSearchParams): JsonObject => {
  return present({
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    gracePeriodSeconds: count(query, 'gracePeriodSeconds'),
    dryRun: unlessEmpty(query.getAll('dryRun')),
    orphanDependents: query.get('orphanDependents') === 'true' || undefined,
  });
};

type DeleteOptions = Omit<DeleteRequest, 'namespace' | 'name'>;

/** The options as a client may write them; `null` counts as absent. */
interface WrittenOptions {
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: NonNullable<DeleteOptions['preconditions']>;
  readonly dryRun?: readonly string[];
}

const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, isJsonObject(value) ? withoutNulls(value) : value]),
  );

/** The options, once nothing in them has a type of which Go could not read it. */
const checkTypes = (written: JsonObject): WrittenOptions => {
  const problem = goMismatch('meta.v1.DeleteOptions', written);
  if (problem !== undefined) throw badRequest(problem);
  return withoutNulls(written) as WrittenOptions;
};

const toOptions = (written: JsonObject): DeleteOptions => {
  const options = checkTypes(written);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    const problem = invalid('propagationPolicy', propagationPolicy, why);
    throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [problem]);
  }
  const policy = orphanDependents === true ? 'Orphan' : propagationPolicy;
  return {
    dryRun: readDryRun(options.dryRun ?? [], 'DeleteOptions'),
    ...(policy ? { propagationPolicy: policy as PropagationPolicy } : {}),
    ...present({ gracePeriodSeconds, preconditions }),
  };
};

/** Reads the options of a deletion from the body, or from the query if there is no body. */
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
    ({ message }) => badRequest(format === 'json' ? NO_TYPE_META + message : message),
  );
  if (!isJsonObject(value)) throw badRequest(NO_TYPE_META + noTypeMeta(value));
  const { apiVersion = 'v1', kind = 'DeleteOptions' } = value;
  if (kind === 'DeleteOptions') return toOptions(value);
  throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`);
};
