import type { JsonValue } from '@perigee/schema/json';
import { type BadRequest, CONFIG_MAPS, DEPLOYMENTS, GROUP, WIDGETS } from './bad-request.ts';

const TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

type Type = keyof typeof TYPES;

const MAP = `${CONFIG_MAPS}/present`;
const WIDGET = `${WIDGETS}/present`;

const patch = (name: string, type: Type, path: string, body: JsonValue | string): BadRequest => ({
  name: `${type} patch ${path.split('/').at(-2)}: ${name}`,
  method: 'PATCH',
  path,
  headers: { 'content-type': TYPES[type] },
  body: typeof body === 'string' ? Buffer.from(body) : body,
});

const json = (name: string, body: JsonValue | string, path = MAP) =>
  patch(name, 'json', path, body);

const READABLE: readonly [string, string][] = [
  ['no body', ''],
  ['cut off', '{"data":'],
  ['no JSON', 'hello'],
  ['a string', '"x"'],
  ['a number', '1'],
  ['null', 'null'],
];

/** Patches that cannot be read, or do not fit what they are for. */
export const PATCH_REQUESTS: readonly BadRequest[] = [
  ...[MAP, WIDGET].flatMap((path) =>
    (['json', 'merge', 'strategic', 'apply'] as const)
      .filter((type) => type !== 'strategic' || path === MAP)
      .flatMap((type) =>
        READABLE.filter(([name]) => name !== 'null' || type === 'merge' || type === 'apply').map(
          ([name, body]) =>
            patch(name, type, type === 'apply' ? `${path}?fieldManager=m` : path, body),
        ),
      ),
  ),
  patch('an array', 'merge', MAP, []),
  patch('an array', 'strategic', MAP, []),
  patch('an array', 'apply', `${MAP}?fieldManager=m`, []),
  patch('of a custom resource', 'strategic', WIDGET, {}),
  json('an object', {}),
  json('a test that fails', [{ op: 'test', path: '/data/k', value: 'other' }]),
  json('a test of nothing', [{ op: 'test', path: '/data/nope', value: 'x' }]),
  json('the removal of nothing', [{ op: 'remove', path: '/data/nope' }]),
  json('the replacement of nothing', [{ op: 'replace', path: '/nope/x', value: 1 }]),
  json('an addition under nothing', [{ op: 'add', path: '/nope/x', value: 1 }]),
  json('a move of nothing', [{ op: 'move', from: '/nope', path: '/data/x' }]),
  json('an unknown operation', [{ op: 'nope', path: '/data/k' }]),
  json('no operation', [{ path: '/data/k' }]),
  json('no path', [{ op: 'remove' }]),
  json('a path that is none', [{ op: 'remove', path: 'data' }]),
  json('an index out of bounds', [{ op: 'remove', path: '/metadata/managedFields/99' }]),
  json('too many operations', Array(10_001).fill({ op: 'test', path: '/data/k', value: 'v' })),
  json('a test that fails, of a Widget', [{ op: 'test', path: '/spec/size', value: 7 }], WIDGET),
  json('the removal of nothing, of a Widget', [{ op: 'remove', path: '/spec/nope' }], WIDGET),
  json('a type that is wrong', [{ op: 'replace', path: '/data', value: 'x' }]),
  json('another name', [{ op: 'replace', path: '/metadata/name', value: 'other' }]),
  json('another kind', [{ op: 'replace', path: '/kind', value: 'Secret' }]),
  patch('another name', 'merge', MAP, { metadata: { name: 'other' } }),
  patch('another namespace', 'merge', MAP, { metadata: { namespace: 'default' } }),
  patch('an old version', 'merge', MAP, { metadata: { resourceVersion: '1' } }),
  patch('another UID', 'merge', MAP, { metadata: { uid: 'x' } }),
  patch('a type that is wrong', 'merge', MAP, { data: 'x' }),
  patch('a type that is wrong', 'merge', WIDGET, { spec: { size: 'x' } }),
  patch('a bad value', 'merge', WIDGET, { spec: { size: 101 } }),
  patch('a bad label', 'merge', MAP, { metadata: { labels: { 'a b': 'c' } } }),
  patch('an unknown field, strictly', 'merge', `${MAP}?fieldValidation=Strict`, { nope: 1 }),
  patch('an unknown field, strictly', 'merge', `${WIDGET}?fieldValidation=Strict`, {
    spec: { nope: 1 },
  }),
  patch('force', 'merge', `${MAP}?force=true`, {}),
  patch('an unknown directive', 'strategic', MAP, { $patch: 'nope' }),
  patch('a list that is none', 'strategic', `${DEPLOYMENTS}/present`, {
    spec: { template: { spec: { containers: 'x' } } },
  }),
  patch('an item without its key', 'strategic', `${DEPLOYMENTS}/present`, {
    spec: { template: { spec: { containers: [{ image: 'x' }] } } },
  }),
  patch('of nothing', 'merge', `${CONFIG_MAPS}/absent`, {}),
  patch('of nothing', 'json', `${WIDGETS}/absent`, []),
  patch('of nothing', 'strategic', `${CONFIG_MAPS}/absent`, {}),
  patch('no manager', 'apply', MAP, { apiVersion: 'v1', kind: 'ConfigMap' }),
  patch('no type', 'apply', `${MAP}?fieldManager=m`, {}),
  patch('another kind', 'apply', `${MAP}?fieldManager=m`, { apiVersion: 'v1', kind: 'Secret' }),
  patch('another version', 'apply', `${MAP}?fieldManager=m`, {
    apiVersion: 'v2',
    kind: 'ConfigMap',
  }),
  patch('another name', 'apply', `${MAP}?fieldManager=m`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'other' },
  }),
  patch('managed fields', 'apply', `${MAP}?fieldManager=m`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { managedFields: [{ manager: 'x' }] },
  }),
  patch('a type that is wrong', 'apply', `${MAP}?fieldManager=m`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: 'x',
  }),
  patch('a conflict', 'apply', `${MAP}?fieldManager=m`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: { k: 'other' },
  }),
  patch('a conflict', 'apply', `${WIDGET}?fieldManager=m`, {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    spec: { size: 2 },
  }),
  patch('an unknown field', 'apply', `${WIDGET}?fieldManager=m`, {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    spec: { nope: 2 },
  }),
  patch('the same item twice', 'apply', `${WIDGET}?fieldManager=m`, {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    spec: { parts: [{ name: 'a' }, { name: 'a' }] },
  }),
  patch('a manager too long', 'apply', `${MAP}?fieldManager=${'m'.repeat(129)}`, {}),
  ...[MAP, WIDGET].map((path) => ({
    name: `a patch as application/json of ${path.split('/').at(-2)}`,
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/json' },
    body: {},
  })),
  { name: 'a patch without a content type', method: 'PATCH', path: MAP, body: Buffer.from('{}') },
];
