import {
  type FieldError,
  forbidden,
  InvalidObjectError,
  invalid,
  required,
} from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { checkQualifiedName } from '@perigee/schema/values/names';
import { itemsAt, type Located, objectAt } from '../../kind/reshape.ts';
import { isAllWords, markAt, touchesIdentity } from '../../values/identity-paths.ts';
import { isSystemMark } from '../../values/system-marks.ts';

const checkKeys = ([overrider, at]: Located, lower: boolean): readonly FieldError[] =>
  Object.keys(objectAt(overrider, 'value') ?? {}).flatMap((key) =>
    checkQualifiedName(lower ? key.toLowerCase() : key).map((problem) =>
      invalid(`${at}.value`, key, problem),
    ),
  );

const checkOperation = ([{ operator, value }, at]: Located): readonly FieldError[] => {
  if (operator === 'remove' && value !== undefined) {
    return [forbidden(`${at}.value`, 'remove takes no value')];
  }
  if ((operator === 'add' || operator === 'replace') && value === undefined) {
    return [required(`${at}.value`, `${operator} needs a value`)];
  }
  return [];
};

const isMarkOfSystem = (key: string): string =>
  `${key} is a mark of the system, which an override cannot give`;

/** Only what gives a mark is refused; taking one away does nothing, since the marks are put on last. */
const checkMarks = ([{ operator, value }, at]: Located): readonly FieldError[] =>
  operator === 'remove' || !isJsonObject(value)
    ? []
    : Object.keys(value)
        .filter(isSystemMark)
        .map((key) => forbidden(`${at}.value`, isMarkOfSystem(key)));

/** The place that an overrider changes must not say which object it is. */
const checkPlace = (
  place: JsonValue | undefined,
  { operator = 'replace', value }: JsonObject,
  at: string,
): readonly FieldError[] => {
  if (typeof place !== 'string') return [];
  if (touchesIdentity(place)) {
    const detail = 'an override changes what an object contains, not which object it is';
    return [invalid(at, place, `${detail}: give a path within spec, data, labels or annotations`)];
  }
  const mark = markAt(place);
  if (mark !== undefined && operator !== 'remove') return [forbidden(at, isMarkOfSystem(mark))];
  return isAllWords(place) ? checkMarks([{ operator, value }, at.replace(/\.path$/, '')]) : [];
};

const checkPlaces = (overriders: Located): readonly FieldError[] => [
  ...itemsAt(overriders, 'imageOverrider').flatMap(([one, at]) =>
    checkPlace(objectAt(one, 'predicate')?.path, {}, `${at}.predicate.path`),
  ),
  ...itemsAt(overriders, 'fieldOverrider').flatMap(([one, at]) =>
    checkPlace(one.fieldPath, {}, `${at}.fieldPath`),
  ),
  ...itemsAt(overriders, 'plaintext').flatMap(([one, at]) =>
    checkPlace(one.path, one, `${at}.path`),
  ),
];

const checkOverriders = (overriders: Located): readonly FieldError[] => [
  ...itemsAt(overriders, 'labelsOverrider').flatMap((item) => checkKeys(item, false)),
  // Unlike those of labels, the prefixes of annotations may have capitals.
  ...itemsAt(overriders, 'annotationsOverrider').flatMap((item) => checkKeys(item, true)),
  ...itemsAt(overriders, 'fieldOverrider')
    .flatMap((field) => [...itemsAt(field, 'json'), ...itemsAt(field, 'yaml')])
    .flatMap(checkOperation),
  ...itemsAt(overriders, 'labelsOverrider').flatMap(checkMarks),
  ...itemsAt(overriders, 'annotationsOverrider').flatMap(checkMarks),
  ...checkPlaces(overriders),
];

/**
 * Refuses what neither a schema nor a CEL rule can check within its cost: the keys of maps, values that may
 * be anything, and changes that would make another object of the one that is sent.
 */
export const assertOverrides = (policy: JsonObject): JsonObject => {
  const spec = objectAt(policy, 'spec');
  if (spec === undefined) return policy;
  const holders: readonly Located[] = [[spec, 'spec'], ...itemsAt([spec, 'spec'], 'overrideRules')];
  const errors = holders.flatMap(([holder, at]) => {
    const overriders = objectAt(holder, 'overriders');
    return overriders ? checkOverriders([overriders, `${at}.overriders`]) : [];
  });
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return policy;
};
