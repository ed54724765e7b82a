import {
  type BadRequest,
  CONFIG_MAPS,
  configMap,
  DEPLOYMENTS,
  GROUP,
  JSON_TYPE,
  NAMESPACE,
  PROTOBUF_TYPE,
  WIDGETS,
  widget,
  YAML_TYPE,
} from './bad-request.ts';

const post = (
  name: string,
  path: string,
  body: BadRequest['body'] | string,
  headers: BadRequest['headers'] = JSON_TYPE,
): BadRequest => ({
  name,
  method: 'POST',
  path,
  headers,
  body: typeof body === 'string' ? Buffer.from(body) : (body ?? null),
});

const MIB = 2 ** 20;
const DEPTH = 10_500;
const nested = (name: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"${name}":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`;
const STRICT = '?fieldValidation=Strict';
const envelope = (bytes: readonly number[]) => Buffer.from([0x6b, 0x38, 0x73, 0, ...bytes]);

/** Bodies that cannot be read, or are not what the path expects. */
export const BODY_REQUESTS: readonly BadRequest[] = [
  ...[
    ['a built-in', CONFIG_MAPS],
    ['a custom resource', WIDGETS],
  ].flatMap(([of = '', path = '']) => [
    { name: `${of} without a body`, method: 'POST', path },
    post(`${of} with an empty body`, path, ''),
    post(`${of} cut off`, path, '{"apiVersion":"v1","kind":'),
    post(`${of} cut off in a string`, path, '{"apiVersion":"v'),
    post(`${of} that is no JSON`, path, 'hello'),
    post(`${of} with more behind it`, path, '{"kind":"ConfigMap","apiVersion":"v1"} x'),
    post(`${of} that is an array`, path, '[]'),
    post(`${of} that is a string`, path, '"x"'),
    post(`${of} that is a number`, path, '1'),
    post(`${of} that is null`, path, 'null'),
    post(`${of} that is empty`, path, '{}'),
    post(`${of} with a comma too many`, path, '{"apiVersion":"v1",}'),
    post(`${of} with single quotes`, path, "{'apiVersion':'v1'}"),
    post(`${of} with a kind that is a number`, path, '{"apiVersion":"v1","kind":1}'),
    post(`${of} with an apiVersion that is an object`, path, '{"apiVersion":{},"kind":"x"}'),
    post(`${of} of another kind`, path, { apiVersion: 'v1', kind: 'Secret', metadata: {} }),
    post(`${of} of another group`, path, { apiVersion: 'x.y/v1', kind: 'ConfigMap' }),
    post(`${of} as plain text`, path, '{}', { 'content-type': 'text/plain' }),
    post(`${of} as a form`, path, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
    post(`${of} as a patch`, path, '{}', { 'content-type': 'application/merge-patch+json' }),
    post(`${of} with a broken content type`, path, '{}', { 'content-type': ';;;' }),
    post(`${of} with a body of 4 MiB`, path, `"${'x'.repeat(4 * MIB)}"`),
    post(`${of} in YAML that is none`, path, 'a: [', YAML_TYPE),
    post(`${of} in YAML that is a list`, path, '- a', YAML_TYPE),
    post(`${of} in YAML with tabs`, path, 'a:\n\t- b', YAML_TYPE),
  ]),
  post('protobuf without its mark', CONFIG_MAPS, 'hello', PROTOBUF_TYPE),
  post('empty protobuf', CONFIG_MAPS, '', PROTOBUF_TYPE),
  post('cut protobuf', CONFIG_MAPS, envelope([0x0a, 0x50]), PROTOBUF_TYPE),
  post('deep nesting in an unknown field', CONFIG_MAPS, nested('deep')),
  post('deep nesting in a known field', CONFIG_MAPS, nested('data')),
  post('a version that the kind does not have', DEPLOYMENTS, {
    apiVersion: 'apps/v1beta9',
    kind: 'Deployment',
    metadata: { name: 'x' },
  }),
  post('a custom resource of another version', WIDGETS, {
    apiVersion: `${GROUP}/v9`,
    kind: 'Widget',
    metadata: { name: 'x' },
  }),
  post('a field twice, strictly', CONFIG_MAPS + STRICT, '{"metadata":{"name":"x","name":"y"}}'),
  post(
    'a field of a custom resource twice, strictly',
    WIDGETS + STRICT,
    `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"x"},"spec":{"size":1,"size":2}}`,
  ),
  post(
    'unknown fields, strictly',
    CONFIG_MAPS + STRICT,
    configMap({ name: 'x', nope: 1 }, { spec: {}, data: {} }),
  ),
  post('unknown fields of a custom resource, strictly', WIDGETS + STRICT, {
    ...widget({ name: 'x', nope: 1 }, { size: 1, nope: 1 }),
    extra: {},
  }),
  post(
    'an unknown field that JavaScript knows, strictly',
    CONFIG_MAPS + STRICT,
    '{"metadata":{"name":"x"},"__proto__":{"a":1},"constructor":{}}',
  ),
  post(
    'data that JavaScript knows',
    CONFIG_MAPS,
    '{"metadata":{"name":"x"},"data":{"__proto__":1}}',
  ),
  post(
    'text that is not UTF-8 in a name',
    CONFIG_MAPS,
    Buffer.from('{"metadata":{"name":"\xff\xfe"}}', 'latin1'),
  ),
  post(
    'a huge number in a string field',
    CONFIG_MAPS,
    '{"metadata":{"name":"x"},"data":{"a":1e999}}',
  ),
  post(
    'a huge number in a custom resource',
    WIDGETS,
    `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"x"},"spec":{"size":1e999}}`,
  ),
  post(
    'a number above 64 bits in a built-in',
    DEPLOYMENTS,
    '{"metadata":{"name":"x"},"spec":{"replicas":99999999999999999999}}',
  ),
  post(
    'a number above 32 bits in a built-in',
    DEPLOYMENTS,
    '{"metadata":{"name":"x"},"spec":{"replicas":4294967296}}',
  ),
  post(
    'a fraction in a whole number of a built-in',
    DEPLOYMENTS,
    '{"metadata":{"name":"x"},"spec":{"replicas":1.5}}',
  ),
  {
    name: 'an update with a body of nothing',
    method: 'PUT',
    path: `${CONFIG_MAPS}/present`,
    headers: JSON_TYPE,
  },
  {
    name: 'a body in a foreign encoding',
    method: 'POST',
    path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
    body: Buffer.from('{}'),
  },
];
