import type { KubeObject } from '@perigee/api/meta/object-meta';
import { matchesLabels, parseLabelSelector } from '@perigee/api/values/label-selector';
import { badRequest } from './memory-cluster-errors.ts';

export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

type Predicate = (object: KubeObject) => boolean;

const FIELD_TERM = /^([\w.]+)(!=|==|=)(.*)$/;

const fieldValue = (object: KubeObject, field: string): string =>
  (field === 'metadata.name' ? object.metadata.name : object.metadata.namespace) ?? '';

const fieldTerm = (term: string): Predicate => {
  const [, field, operator, value] = FIELD_TERM.exec(term.trim()) ?? [];
  if (field === undefined) throw badRequest(`invalid field selector term: ${term}`);
  if (field !== 'metadata.name' && field !== 'metadata.namespace') {
    throw badRequest(`field label not supported: ${field}`);
  }
  const negated = operator === '!=';
  return (object) => (fieldValue(object, field) === value) !== negated;
};

const labelTerms = (text: string): ReturnType<typeof parseLabelSelector> => {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequest(`unable to parse ${text}: ${error}`);
  }
};

/** Which objects a list or watch is about. Throws 400 for a selector that cannot be read. */
export const selects = ({ namespace, labelSelector, fieldSelector }: Selection): Predicate => {
  const predicates: Predicate[] = [];
  if (namespace !== undefined) {
    predicates.push(
      ({ metadata }) => metadata.namespace === undefined || metadata.namespace === namespace,
    );
  }
  if (labelSelector) {
    const selector = labelTerms(labelSelector);
    predicates.push((object) => matchesLabels(selector, object.metadata.labels ?? {}));
  }
  if (fieldSelector) predicates.push(...fieldSelector.split(',').map(fieldTerm));
  return (object) => predicates.every((matches) => matches(object));
};
