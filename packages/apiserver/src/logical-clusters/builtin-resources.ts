import type { ScaleSubresource } from '@perigee/api/kind/define-kind';
import { ADMISSION_RULES } from '../admission/rules/admission-rules.ts';
import { schemaOf } from '../builtin/schema-of.ts';
import { builtinTable, type TableResource, type TableSubresource } from '../builtin/table.ts';
import { crdStrategy } from '../crd/crd-strategy.ts';
import { builtinStrategy, strategyInGoForm } from '../kinds/builtin-strategy.ts';
import { storedElsewhere } from '../kinds/conversions/stored-elsewhere.ts';
import type { ServedResource, Strategy } from '../resource/served-resource.ts';
import { builtinColumns } from '../table/builtin-columns.ts';

/** A kind that every server has, and what the table says of it beside the common facts. */
export interface BuiltinResource extends ServedResource {
  /** The name of its type in the table. */
  readonly type: string;
  readonly subresources: readonly TableSubresource[];
}

const SCALE: ScaleSubresource = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** What kube-apiserver tells whoever still uses a kind. */
const DEPRECATIONS: { readonly [type: string]: string } = {
  'core.v1.Endpoints':
    'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  'core.v1.ComponentStatus': 'v1 ComponentStatus is deprecated in v1.19+',
};

/** Columns are made for the stored form, whatever form is shown. */
const columnsOf = ({ group, plural, type }: TableResource): ServedResource['columns'] => {
  const elsewhere = storedElsewhere(type);
  if (elsewhere === undefined) return builtinColumns(group, plural);
  const { storage, conversion } = elsewhere;
  return builtinColumns(storage.group, plural).map((column) => ({
    ...column,
    cell: (object, nowMs) => column.cell(conversion.toStored(object), nowMs),
  }));
};

const OWN_RULES = new Map(ADMISSION_RULES);

/** How objects of a type are treated: definitions and the configurations of admission as this server reads them. */
const strategyOf = (type: string): Strategy => {
  if (type === 'apiextensions.v1.CustomResourceDefinition') {
    return strategyInGoForm(type, crdStrategy);
  }
  const strategy = builtinStrategy(type);
  const rule = OWN_RULES.get(type);
  if (rule === undefined) return strategy;
  const validate: Strategy['validate'] = (object, old, subresource) => [
    ...(strategy.validate?.(object, old, subresource) ?? []),
    ...rule(object, old, subresource),
  ];
  return { ...strategy, validate };
};

const toResource = (entry: TableResource): BuiltinResource => {
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
    ...(elsewhere === undefined ? {} : { conversion: elsewhere.conversion }),
    hasStatus: has('status'),
    ...(has('scale') ? { scale: SCALE } : {}),
    subresources,
    columns: columnsOf(entry),
    strategy: strategyOf(entry.type),
    ...(deprecation === undefined ? {} : { deprecation }),
  };
};

let resources: readonly BuiltinResource[] | undefined;

/** The resources that every server has, in the order of discovery; their schemas are made on first use. */
export const builtinResources = (): readonly BuiltinResource[] => {
  resources ??= builtinTable().resources.map(toResource);
  return resources;
};
