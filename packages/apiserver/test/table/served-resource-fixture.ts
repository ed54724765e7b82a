import type { ServedResource } from '../../src/resource/served-resource.ts';

/** A resource with the columns given, and everything else as plain as can be. */
export const servedResource = (
  columns: ServedResource['columns'],
  origin: ServedResource['origin'] = 'crd',
): ServedResource => ({
  group: 'codec.test',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  listKind: 'WidgetList',
  scope: 'Namespaced',
  shortNames: [],
  categories: [],
  verbs: ['get', 'list'],
  schema: { type: 'object' },
  origin,
  storage: { group: 'codec.test', plural: 'widgets', version: 'v1' },
  hasStatus: false,
  columns,
  strategy: {},
});
