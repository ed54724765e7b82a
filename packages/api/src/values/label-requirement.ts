import { type FieldError, invalid, ParseError } from '@perigee/schema/errors';
import { checkLabelValue, checkQualifiedName } from '@perigee/schema/values/names';

/** Operator between a label and values, as Kubernetes spells it. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** A condition on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = { readonly [key: string]: string };

const INTEGER = /^[+-]?[0-9]+$/;
const LARGEST_INTEGER = 2n ** 63n - 1n;

const parseInteger = (text: string): bigint | undefined => {
  if (!INTEGER.test(text)) return undefined;
  const digits = text.startsWith('+') ? text.slice(1) : text;
  const integer = BigInt(digits);
  return integer > LARGEST_INTEGER || integer < -LARGEST_INTEGER - 1n ? undefined : integer;
};

const checkValueCount = ({ operator, values }: LabelRequirement): readonly FieldError[] => {
  const wrong = (detail: string): readonly FieldError[] => [
    invalid('values', values.length === 0 ? null : values, detail),
  ];
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0
        ? []
        : wrong("for 'in', 'notin' operators, values set can't be empty");
    case '=':
    case '==':
    case '!=':
      return values.length === 1
        ? []
        : wrong('exact-match compatibility requires one single value');
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : wrong('values set must be empty for exists and does not exist');
    case 'gt':
    case 'lt':
      return [
        ...(values.length === 1
          ? []
          : wrong("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...values.flatMap((value, index) =>
          parseInteger(value) !== undefined
            ? []
            : [
                invalid(
                  `values[${index}]`,
                  value,
                  "for 'Gt', 'Lt' operators, the value must be an integer",
                ),
              ],
        ),
      ];
  }
};

/** Throws what is wrong with the requirement, all of it, in the words of Kubernetes. */
export const checkLabelRequirement = (requirement: LabelRequirement): LabelRequirement => {
  const { key, values } = requirement;
  const keyProblems = checkQualifiedName(key);
  const errors = [
    ...(keyProblems.length > 0 ? [invalid('key', key, keyProblems.join('; '))] : []),
    ...checkValueCount(requirement),
    ...values.flatMap((value, index) => {
      const problems = checkLabelValue(value);
      return problems.length > 0
        ? [invalid(`values[${index}][${key}]`, value, problems.join('; '))]
        : [];
    }),
  ];
  if (errors.length === 0) return requirement;
  const messages = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  throw new ParseError(messages.length === 1 ? messages.join() : `[${messages.join(', ')}]`);
};

/** The value of a label, for keys that somebody else chose: `constructor` is no label of an object without labels. */
export const labelValue = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

export const matchesRequirement = (requirement: LabelRequirement, labels: Labels): boolean => {
  const { key, operator, values } = requirement;
  const value = labelValue(labels, key);
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt': {
      const actual = value === undefined ? undefined : parseInteger(value);
      const limit = parseInteger(values[0] ?? '');
      if (actual === undefined || limit === undefined) return false;
      return operator === 'gt' ? actual > limit : actual < limit;
    }
  }
};

/** The requirement as text, its values sorted. */
export const formatRequirement = ({ key, operator, values }: LabelRequirement): string => {
  const valueText = values.toSorted().join(',');
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${valueText})`;
    case 'gt':
      return `${key}>${valueText}`;
    case 'lt':
      return `${key}<${valueText}`;
    default:
      return `${key}${operator}${valueText}`;
  }
};
