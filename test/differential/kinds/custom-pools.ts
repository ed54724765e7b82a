import { at, type KindPool, pool } from './kind-pool.ts';

/** Kinds of the definitions in `crds.ts`. */
export const CUSTOM_POOLS: readonly KindPool[] = [
  pool('differential.perigee.dev/v1 Widget widgets', {
    custom: true,
    scale: true,
    least: { spec: { size: 1 } },
    fields: [
      at('spec.size', 1, 2, 5),
      at('spec.replicas', 0, 1, 3),
      at('spec.colour', 'red', 'green'),
      at(
        'spec.ports',
        [{ port: 80 }],
        [
          { port: 80, protocol: 'UDP' },
          { port: 80, name: 'x' },
        ],
        [],
      ),
      at('spec.tags', ['a'], ['b', 'a'], ['c'], []),
      at('spec.numbers', [1, 2], [2, 3]),
      at('spec.steps', ['x', 'y'], ['y'], []),
      at('spec.point', { x: 1 }, { y: 2 }, { x: 2, y: 3 }),
      at('spec.limits', { cpu: 1 }, { cpu: '100m', memory: '1Gi' }, {}),
      at('spec.amount', 5, '5%'),
      at('spec.nested.inner', { a: 'x' }, { b: 'y' }, {}),
      at('spec.nullable', null, 'set'),
      at('spec.when', '2026-01-01T00:00:00Z'),
    ],
    bad: [
      at('spec.size', 0, 101, 'big', 1.5, null),
      at('spec.colour', 'puce', 7, ''),
      at('spec.ports', [{ port: 80 }, { port: 80 }], [{}], [{ port: 'x' }], 'all'),
      at('spec.tags', ['a', 'a'], ['UPPER'], [1], ['a', 'b', 'c', 'd', 'e']),
      at('spec.point', { x: 5, y: 1 }, { x: 'a' }),
      at('spec.amount', true, 1.5),
      at('spec.replicas', -1),
      at('spec.unknown', 'x', { deep: [1] }),
      at('spec.when', 'now'),
      at('spec', {}, null, 'x'),
    ],
    status: [
      at('status.replicas', 1, 2),
      at('status.selector', 'app=a'),
      at('status.phase', 'Ready', 'Lost'),
      at(
        'status.conditions',
        [{ type: 'Ready', status: 'True' }],
        [
          { type: 'Ready', status: 'False' },
          { type: 'Synced', status: 'True' },
        ],
      ),
    ],
  }),
  pool('differential.perigee.dev/v1 Bag bags', {
    custom: true,
    fields: [
      at('spec.anything', 'x', 7, 1.5, [1, 'a', { b: null }], { deep: { er: true } }, {}),
      at('spec.object.a', 1, 'x', { b: 1 }, null),
      at('spec.object', { c: 1 }, {}),
      at('spec.text', 'a', ''),
      at('free', { x: 1 }, { y: [1, 2] }, {}),
      at('free.z', [{ a: 1 }, { a: 2 }], 'z'),
      at('status.anything', 'written with the object'),
    ],
    bad: [at('spec.text', 5, null), at('spec.pruned', { a: 1 }), at('free', 'x', [1])],
  }),
  pool('differential.perigee.dev/v1 Shape shapes', {
    custom: true,
    cluster: true,
    least: { spec: { kind: 'circle' } },
    fields: [
      at('spec.kind', 'circle'),
      at('spec.radius', 1, 2.5),
      at('spec.sides', 3, 4),
      at('spec.low', 1, 3),
      at('spec.high', 5, 9),
      at('spec.names', ['a'], ['a', 'b']),
      at('spec.byName', { a: { value: 1 } }, { a: { value: 2 }, b: { value: 1 } }),
      at('spec.template', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'x' },
        data: { k: 'v' },
      }),
    ],
    bad: [
      at('spec.kind', 'square'),
      at('spec.low', 10, -1),
      at('spec.high', 0),
      at('spec.names', ['toolong'], ['a', 'a']),
      at('spec.byName', { a: {} }, { a: { value: 'x' } }),
      at(
        'spec.template',
        { data: {} },
        { apiVersion: 'v1', kind: 'X', metadata: { labels: { a: 5 } } },
      ),
    ],
    status: [at('status.area', 1.5, 2), at('status.seen', ['a'], ['b', 'a'])],
  }),
];
