import { type FieldError, invalid, invalidWithoutValue } from '@perigee/schema/errors';
import { goStruct } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { mapAt, objectAt, objectsAt, withField } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';

type Errors = readonly FieldError[];

const NEEDED = 'requiredDuringSchedulingIgnoredDuringExecution';
const TERMS = `spec.affinity.nodeAffinity.${NEEDED}.nodeSelectorTerms`;

/** The specification without the fields that choose nodes. */
export const withoutPlacement = (spec: JsonObject): JsonObject => {
  const affinity = withField(objectAt(spec, 'affinity'), 'nodeAffinity', undefined);
  const isEmpty = Object.keys(affinity).length === 0;
  const rest = withField(spec, 'nodeSelector', undefined);
  return withField(rest, 'affinity', isEmpty ? undefined : affinity);
};

const checkSelector = (spec: JsonObject, before: JsonObject): Errors => {
  const now = mapAt(spec, 'nodeSelector');
  const isNarrower = Object.entries(mapAt(before, 'nodeSelector')).every(
    ([key, value]) => now[key] === value,
  );
  const why = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return isNarrower ? [] : [invalid('spec.nodeSelector', now, why)];
};

const LISTS = ['matchExpressions', 'matchFields'];

/** A term as Go prints the struct it is in. */
const shownTerm = (term: JsonObject): string => {
  const parts = (list: string): readonly JsonObject[] | null => {
    const expressions = objectsAt(term, list).map(({ key, operator, values = null }) => ({
      Key: key,
      Operator: operator,
      Values: values,
    }));
    return expressions.length === 0 ? null : expressions;
  };
  return goStruct({
    MatchExpressions: parts('matchExpressions'),
    MatchFields: parts('matchFields'),
  });
};

const checkTerm = (term: JsonObject, before: JsonObject, path: string): Errors => {
  const isNarrower = LISTS.every((list) => {
    const now = objectsAt(term, list);
    return objectsAt(before, list).every((part, index) => sameJson(now[index], part));
  });
  const why = 'only additions are allowed (no mutations or deletions)';
  return isNarrower ? [] : [invalidWithoutValue(path, `${shownTerm(term)}: ${why}`)];
};

const checkTerms = (spec: JsonObject, before: JsonObject): Errors => {
  const termsOf = (pod: JsonObject): readonly JsonObject[] =>
    objectsAt(objectAt(pod, 'affinity', 'nodeAffinity', NEEDED), 'nodeSelectorTerms');
  const [now, old] = [termsOf(spec), termsOf(before)];
  if (old.length === 0) return [];
  if (now.length !== old.length) {
    const why = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalid(TERMS, now.length === 0 ? null : now, why)];
  }
  return old.flatMap((term, index) => checkTerm(now[index] ?? {}, term, `${TERMS}[${index}]`));
};

/** Problems of an update of a gated pod: its node selector and affinity can only become narrower. */
export const narrowingProblems = (spec: JsonObject, before: JsonObject): Errors => [
  ...checkSelector(spec, before),
  ...checkTerms(spec, before),
];
