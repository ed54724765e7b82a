import type { ScaleSubresource } from '@perigee/api/kind/define-kind';
import { builtinStrategy } from '../kinds/builtin-strategy.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { builtinColumns } from '../table/builtin-columns.ts';
import { schemaOf } from './schema-of.ts';
import { builtinTable, type TableResource, type TableSubresource } from './table.ts';

/** A kind that every server has, and what the table says of it beside the common facts. */
export interface BuiltinResource extends ServedResource {
  /** The name of its type in the table. */
  readonly type: string;
  readonly subresources: readonly TableSubresource[];
}

/** Where two groups or versions show the same objects, one of them is what is stored. */
const STORED_ELSEWHERE: { readonly [groupVersionPlural: string]: ServedResource['storage'] } = {
  'events.k8s.io/v1/events': { group: '', plural: 'events', version: 'v1' },
  'autoscaling/v1/horizontalpodautoscalers': {
    group: 'autoscaling',
    plural: 'horizontalpodautoscalers',
    version: 'v2',
  },
};

const SCALE: ScaleSubresource = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
};

const toResource = (entry: TableResource): BuiltinResource => {
  const { group, version, kind, plural, subresources = [] } = entry;
  const has = (name: string): boolean =>
    subresources.some((subresource) => subresource.name === name);
  return {
    group,
    version,
    kind,
    type: entry.type,
    plural,
    scope: entry.namespaced ? 'Namespaced' : 'Cluster',
    singular: entry.singular,
    listKind: `${kind}List`,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    verbs: entry.verbs,
    get schema() {
      return schemaOf(entry.type);
    },
    origin: 'built-in',
    storage: STORED_ELSEWHERE[`${group}/${version}/${plural}`] ?? { group, plural, version },
    hasStatus: has('status'),
    ...(has('scale') ? { scale: SCALE } : {}),
    subresources,
    columns: builtinColumns(group, plural),
    strategy: builtinStrategy(entry.type),
  };
};

let resources: readonly BuiltinResource[] | undefined;

/** The resources that every server has, in the order of discovery; their schemas are made on first use. */
export const builtinResources = (): readonly BuiltinResource[] => {
  resources ??= builtinTable().resources.map(toResource);
  return resources;
};
