import { ParseError } from '@perigee/api/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
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
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';

export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Which objects of a list or a watch are meant. */
export interface Selection {
  /** The same for all selectors that mean the same; empty when everything is selected. */
  readonly text: string;
  /** The one name that can be selected, if there is only one. */
  readonly name: string | undefined;
  matches(object: JsonObject): boolean;
}

const EVERYTHING: Selection = { text: '', name: undefined, matches: () => true };

const ALWAYS_SELECTABLE: readonly string[] = ['metadata.name', 'metadata.namespace'];

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

const textAt = (object: JsonObject, path: string): string => {
  const value = valueAt(object, path);
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
};

const checkFields = (fields: FieldSelector, { strategy }: ServedResource): void => {
  const selectable = strategy.selectableFields ?? [];
  for (const { path } of fields) {
    if (ALWAYS_SELECTABLE.includes(path) || selectable.includes(path)) continue;
    throw badRequest(`field label not supported: ${path}`);
  }
};

const labelsOf = (object: JsonObject): Labels | undefined =>
  (object.metadata as { readonly labels?: Labels } | undefined)?.labels;

const compile = (labels: LabelSelector, fields: FieldSelector): Selection => ({
  text: `${formatLabelSelector(labels)};${formatFieldSelector(fields)}`,
  name: fields.find(({ path, operator }) => path === 'metadata.name' && operator === '=')?.value,
  matches: (object) =>
    matchesLabels(labels, labelsOf(object)) &&
    matchesFields(fields, (path) => textAt(object, path)),
});

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
  return isEmpty ? EVERYTHING : compile(labels, fields);
};
