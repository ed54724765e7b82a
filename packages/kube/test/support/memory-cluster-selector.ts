import type { KubeObject } from '@perigee/api/meta/object-meta';
import {
  type FieldSelector,
  matchesFields,
  parseFieldSelector,
} from '@perigee/api/values/field-selector';
import { matchesLabels, parseLabelSelector } from '@perigee/api/values/label-selector';
import { ParseError } from '@perigee/schema/errors';
import { badRequest } from './memory-cluster-errors.ts';

export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const SELECTABLE = new Set(['metadata.name', 'metadata.namespace']);

const orBadRequest = <T>(parse: (text: string) => T, text: string): T => {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof ParseError ? badRequest(error.message) : error;
  }
};

const selectableFields = (text: string): FieldSelector => {
  const selector = parseFieldSelector(text);
  const unknown = selector.find(({ path }) => !SELECTABLE.has(path));
  if (unknown) throw badRequest(`field label not supported: ${unknown.path}`);
  return selector;
};

/** Selects objects of a list or watch. Throws 400 for a selector that cannot be parsed. */
export const selects = (selection: Selection): ((object: KubeObject) => boolean) => {
  const { namespace, labelSelector = '', fieldSelector = '' } = selection;
  const labels = orBadRequest(parseLabelSelector, labelSelector);
  const fields = orBadRequest(selectableFields, fieldSelector);
  return ({ metadata }) =>
    (namespace === undefined || (metadata.namespace ?? namespace) === namespace) &&
    matchesLabels(labels, metadata.labels) &&
    matchesFields(
      fields,
      (path) => (path === 'metadata.name' ? metadata.name : metadata.namespace) ?? '',
    );
};
