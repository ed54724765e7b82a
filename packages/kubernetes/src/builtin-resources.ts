import type { ScaleSubresource } from '@perigee/api/kind/define-kind';
import { present } from '@perigee/schema/present';
import { builtinColumns } from './columns/builtin-columns.ts';
import { builtinStrategy } from './kinds/builtin-strategy.ts';
import { storedElsewhere } from './kinds/conversions/stored-elsewhere.ts';
import type { ResourceDescription } from './resource/resource-description.ts';
import type { Strategy } from './resource/strategy.ts';
import { schemaOf } from './types/schema-of.ts';
import { builtinTable, type TableResource, type TableSubresource } from './types/table.ts';

/** A kind that Kubernetes has built in, and its entry in the table beside the common facts. */
export interface BuiltinResource extends ResourceDescription {
  readonly origin: 'built-in';
  /** The name of its type in the table. */
  readonly type: string;
  readonly subresources: readonly TableSubresource[];
}

const SCALE: ScaleSubresource = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** Warnings that kube-apiserver sends to users of deprecated kinds. */
const DEPRECATIONS: { readonly [type: string]: string } = {
  'core.v1.Endpoints':
    'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  'core.v1.ComponentStatus': 'v1 ComponentStatus is deprecated in v1.19+',
};

/** Columns are made for the stored form, whatever form is shown. */
const columnsOf = ({ group, plural, type }: TableResource): ResourceDescription['columns'] => {
  const elsewhere = storedElsewhere(type);
  if (elsewhere === undefined) return builtinColumns(group, plural);
  const { storage, conversion } = elsewhere;
  return builtinColumns(storage.group, plural).map((column) => ({
    ...column,
    cell: (object, nowMs) => column.cell(conversion.toStored(object), nowMs),
  }));
};

const toResource = (entry: TableResource, strategy: Strategy): BuiltinResource => {
  const { group, version, kind, plural, subresources = [] } = entry;
  const has = (name: string): boolean =>
    subresources.some((subresource) => subresource.name === name);
  const elsewhere = storedElsewhere(entry.type);
  const deprecation = DEPRECATIONS[entry.type];
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
    storage: elsewhere?.storage ?? { group, plural, version },
    ...present({ conversion: elsewhere?.conversion }),
    hasStatus: has('status'),
    ...present({ scale: has('scale') ? SCALE : undefined }),
    subresources,
    columns: columnsOf(entry),
    strategy,
    ...present({ deprecation }),
  };
};

/**
 * The resources that every API server has, in the order of discovery; their schemas are made on first use.
 * A server that acts on some of them has rules of its own for those.
 */
export const builtinResources = (
  strategyOf: (type: string) => Strategy = builtinStrategy,
): readonly BuiltinResource[] =>
  builtinTable().resources.map((entry) => toResource(entry, strategyOf(entry.type)));
