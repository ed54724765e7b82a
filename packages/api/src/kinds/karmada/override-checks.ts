import { type FieldError, forbidden, InvalidObjectError, invalid, required } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { itemsAt, type Located, objectAt } from '../../kind/reshape.ts';
import { checkQualifiedName } from '../../values/names.ts';

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

const checkOverriders = (overriders: Located): readonly FieldError[] => [
  ...itemsAt(overriders, 'labelsOverrider').flatMap((item) => checkKeys(item, false)),
  // Unlike those of labels, the prefixes of annotations may have capitals.
  ...itemsAt(overriders, 'annotationsOverrider').flatMap((item) => checkKeys(item, true)),
  ...itemsAt(overriders, 'fieldOverrider')
    .flatMap((field) => [...itemsAt(field, 'json'), ...itemsAt(field, 'yaml')])
    .flatMap(checkOperation),
];

/**
 * Refuses what neither a schema nor a CEL rule can check within its cost: the keys of maps, and values
 * that may be anything.
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
