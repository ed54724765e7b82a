import {
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from '@perigee/api/values/field-selector';
import type { Labels } from '@perigee/api/values/label-requirement';
import {
  formatLabelSelector,
  type LabelSelector,
  matchesLabels,
  parseLabelSelector,
} from '@perigee/api/values/label-selector';
import { ParseError } from '@perigee/schema/errors';
import { goQuote } from '@perigee/schema/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';

export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Selectors of a list or a watch. */
export interface Selection {
  /** Key that is equal for equal selectors; empty if all objects match. */
  readonly text: string;
  /** The one name that can be selected, if there is only one. */
  readonly name: string | undefined;
  matches(object: JsonObject): boolean;
  /** True if an object may match that has this JSON: to find a text takes a hundredth of the time of parsing it. */
  mayMatch(json: Buffer): boolean;
}

const EVERYTHING: Selection = {
  text: '',
  name: undefined,
  matches: () => true,
  mayMatch: () => true,
};

const parse = <T>(read: (text: string) => T, text: string): T => {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof ParseError) throw badRequest(error.message);
    throw error;
  }
};

const valueAt = (object: JsonObject, path: string): JsonValue | undefined => {
  let value: JsonValue | undefined = object;
  for (const name of path.split('.')) {
    if (name === '') continue;
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
};

/** Zero values of Go, for fields that are not set. */
const ZEROS: { readonly [type: string]: string } = { boolean: 'false', integer: '0' };

/** The text of a field that is not there: custom resources have none, built-in kinds Go's zero. */
const absentText = ({ origin, schema }: ServedResource, path: string): string => {
  if (origin === 'crd') return '';
  const names = path.split('.');
  const fieldSchema = names.reduce<StructuralSchema | undefined>(
    (outer, name) => outer?.properties?.[name],
    schema,
  );
  return ZEROS[fieldSchema?.type ?? ''] ?? '';
};

/** Reads the field of a path from objects, as selectors compare it. */
const textReader = (resource: ServedResource, path: string): ((object: JsonObject) => string) => {
  const computed = resource.strategy.computedFields?.[path];
  if (computed !== undefined) return computed;
  const absent = absentText(resource, path);
  return (object) => {
    const value = valueAt(object, path);
    if (value === undefined || value === null) return absent;
    return typeof value === 'object' ? '' : String(value);
  };
};

/** A built-in kind with its own selectable fields has the namespace only if it is namespaced. */
const selectablePaths = ({ strategy, origin, scope }: ServedResource): readonly string[] => {
  const { selectableFields: own = [], computedFields = {} } = strategy;
  const hasNamespace = origin === 'crd' || scope === 'Namespaced' || own.length === 0;
  return [
    'metadata.name',
    ...(hasNamespace ? ['metadata.namespace'] : []),
    ...own,
    ...Object.keys(computedFields),
  ];
};

const unknownField = ({ origin, kind, strategy }: ServedResource, path: string): string => {
  if (origin === 'crd' || strategy.selectableFields !== undefined) {
    return `field label not supported: ${path}`;
  }
  return strategy.computedFields === undefined
    ? `${goQuote(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label ${goQuote(path)} not supported for ${kind}`;
};

const checkFields = (fields: FieldSelector, resource: ServedResource): void => {
  const selectable = selectablePaths(resource);
  for (const { path } of fields) {
    if (selectable.includes(path)) continue;
    throw badRequest(unknownField(resource, path));
  }
};

const labelsOf = (object: JsonObject): Labels | undefined =>
  (object.metadata as { readonly labels?: Labels } | undefined)?.labels;

const EQUALITY: ReadonlySet<string> = new Set(['=', '==', 'in']);

/** JSON texts of the labels that the selector requires with one value. */
const labelTexts = (labels: LabelSelector): readonly string[] =>
  labels.selects === 'nothing'
    ? []
    : labels.requirements
        .filter(({ operator, values }) => EQUALITY.has(operator) && values.length === 1)
        .map(({ key, values: [value] }) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);

const compile = (
  resource: ServedResource,
  labels: LabelSelector,
  fields: FieldSelector,
): Selection => {
  const readers = new Map(fields.map(({ path }) => [path, textReader(resource, path)]));
  const isShownAsStored = resource.versions === undefined && resource.conversion === undefined;
  const texts = isShownAsStored ? labelTexts(labels) : [];
  return {
    text: `${formatLabelSelector(labels)};${formatFieldSelector(fields)}`,
    name: fields.find(({ path, operator }) => path === 'metadata.name' && operator === '=')?.value,
    matches: (object) =>
      matchesLabels(labels, labelsOf(object)) &&
      matchesFields(fields, (path) => readers.get(path)?.(object) ?? ''),
    mayMatch: (json) => texts.every((text) => json.includes(text)),
  };
};

/** Reads the selectors of a request, and refuses those that the resource does not know. */
export const selectionOf = (
  resource: ServedResource,
  { labelSelector = '', fieldSelector = '' }: Selectors,
): Selection => {
  if (labelSelector === '' && fieldSelector === '') return EVERYTHING;
  const labels = parse(parseLabelSelector, labelSelector);
  const fields = parse(parseFieldSelector, fieldSelector);
  checkFields(fields, resource);
  const isEmpty = fields.length === 0 && formatLabelSelector(labels) === '';
  return isEmpty ? EVERYTHING : compile(resource, labels, fields);
};
