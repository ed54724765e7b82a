import { STATUS_CODES } from '@perigee/kube/listen/node-http';
import type { JsonObject } from '@perigee/schema/json';
import { refTo } from './schemas.ts';

const json = (name: string): JsonObject => ({
  content: { 'application/json': { schema: refTo(name) } },
});

const ETAG: JsonObject = {
  ETag: { description: 'The version of the answer.', schema: { type: 'string' } },
};

const answer = (description: string, name: string): JsonObject => ({
  description,
  headers: ETAG,
  ...json(name),
});

const problem = (code: number): JsonObject => ({
  description: STATUS_CODES[code] ?? 'Error',
  content: { 'application/problem+json': { schema: refTo('Problem') } },
});

/** Error codes that every call can return. */
const ALWAYS = [400, 401, 403, 429, 500, 503];

const problems = (...codes: readonly number[]): JsonObject =>
  Object.fromEntries([...ALWAYS, ...codes].map((code) => [code, problem(code)]));

const KNOWN: JsonObject = { '304': { description: 'The client has it already.' } };

const inQuery = (name: string, description: string, schema: JsonObject): JsonObject => ({
  name,
  in: 'query',
  description,
  schema,
});

const TAGS = '^(\\*|(W/)?"[^"]*"(, *(W/)?"[^"]*")*)$';

const inHeader = (name: string, description: string): JsonObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', pattern: TAGS },
});

const IF_NONE_MATCH = inHeader('If-None-Match', 'Entity tags that the client knows.');
const IF_MATCH = inHeader('If-Match', 'Entity tags of which one has to fit.');

const TEXT: JsonObject = { type: 'string' };

const DRY_RUN = inQuery('dryRun', 'Checks everything, and changes nothing.', {
  type: 'string',
  enum: ['All'],
});

export const register: JsonObject = {
  operationId: 'registerCluster',
  summary: 'Register a cluster',
  parameters: [DRY_RUN, inHeader('If-None-Match', 'With *, only something new is registered.')],
  requestBody: { required: true, ...json('NewCluster') },
  responses: {
    '200': answer('The very same cluster is registered already.', 'Cluster'),
    '201': answer('It is registered now.', 'Cluster'),
    ...problems(409, 412, 413, 415),
  },
};

export const list: JsonObject = {
  operationId: 'listCluster',
  summary: 'List clusters',
  parameters: [
    inQuery('limit', 'The most clusters of one page.', {
      type: 'integer',
      minimum: 1,
      maximum: 2 ** 31 - 1,
    }),
    inQuery('continue', 'What the page before gave.', TEXT),
    inQuery('labelSelector', 'Such as tier=edge,!retired.', TEXT),
    inQuery('fieldSelector', 'Such as cluster_spec.Region.region=us-west.', TEXT),
    IF_NONE_MATCH,
    IF_MATCH,
  ],
  responses: { '200': answer('One page.', 'ClusterList'), ...KNOWN, ...problems(410, 412) },
};

export const get = (by: string): JsonObject => ({
  operationId: `getClusterBy${by}`,
  summary: 'Get a cluster',
  parameters: [IF_NONE_MATCH, IF_MATCH],
  responses: { '200': answer('The cluster.', 'Cluster'), ...KNOWN, ...problems(404, 412) },
});

export const update = (by: string): JsonObject => ({
  operationId: `updateClusterBy${by}`,
  summary: 'Change what is said of a cluster',
  parameters: [DRY_RUN, IF_MATCH],
  requestBody: { required: true, ...json('KnownCluster') },
  responses: {
    '200': answer('It is described so now.', 'Cluster'),
    ...problems(404, 409, 412, 413, 415),
  },
});

export const unregister = (by: string): JsonObject => ({
  operationId: `unregisterClusterBy${by}`,
  summary: 'Unregister a cluster',
  parameters: [
    inQuery('force', 'Waits for no work: what runs there is left to itself.', {
      type: 'boolean',
      default: false,
    }),
    DRY_RUN,
    IF_MATCH,
  ],
  responses: {
    '200': { description: 'It is registered no longer.', ...json('Unregistered') },
    ...problems(404, 412),
  },
});
