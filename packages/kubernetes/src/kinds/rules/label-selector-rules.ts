import {
  type LabelSelectorSpec,
  labelSelectorOf,
  matchesLabels,
} from '@perigee/api/values/label-selector';
import { type FieldError, forbidden, invalid, ParseError, required } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { mapAt, objectsAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { checkLabelValue, checkQualifiedName } from '@perigee/schema/values/names';
import type { Rule } from '../type-rules.ts';
import { checkLabels } from './checks.ts';

const checkValues = (requirement: JsonObject, path: string): readonly FieldError[] => {
  const count = textsAt(requirement, 'values').length;
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      return count > 0
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0
        ? []
        : [
            forbidden(
              `${path}.values`,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    default:
      return [
        invalid(
          `${path}.operator`,
          textAt(requirement, 'operator'),
          'not a valid selector operator',
        ),
      ];
  }
};

const checkRequirement: Rule = (requirement, path) => [
  ...checkValues(requirement, path),
  ...checkQualifiedName(textAt(requirement, 'key')).map((problem) =>
    invalid(`${path}.key`, textAt(requirement, 'key'), problem),
  ),
  ...textsAt(requirement, 'values').flatMap((value, index) =>
    checkLabelValue(value).map((problem) => invalid(`${path}.values[${index}]`, value, problem)),
  ),
];

export const labelSelectorRule: Rule = (selector, path) => [
  ...checkLabels(selector, 'matchLabels', `${path}.matchLabels`),
  ...objectsAt(selector, 'matchExpressions').flatMap((requirement, index) =>
    checkRequirement(requirement, `${path}.matchExpressions[${index}]`),
  ),
];

export const isEmptySelector = (selector: JsonObject): boolean =>
  Object.keys(selector).every((name) => {
    const part = selector[name];
    return typeof part !== 'object' || part === null || Object.keys(part).length === 0;
  });

/** True if the selector selects these labels; nothing if it cannot be understood. */
export const selects = (
  selector: JsonValue | undefined,
  labels: { readonly [key: string]: string },
): boolean | undefined => {
  if (!isJsonObject(selector)) return false;
  const matchExpressions = objectsAt(selector, 'matchExpressions').map((requirement) => ({
    key: textAt(requirement, 'key'),
    operator: textAt(requirement, 'operator'),
    values: textsAt(requirement, 'values'),
  }));
  const spec = { matchLabels: mapAt(selector, 'matchLabels'), matchExpressions };
  try {
    return matchesLabels(labelSelectorOf(spec as LabelSelectorSpec), labels);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};
