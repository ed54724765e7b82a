import { ParseError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import type { LabelRequirement } from './label-requirement.ts';
import { type LabelSelectorSpec, labelSelectorOf } from './label-selector.ts';

const isAmong = (operator: string): boolean => ['=', '==', 'in'].includes(operator);
const isNotAmong = (operator: string): boolean => ['!=', 'notin'].includes(operator);

/** True if some value of one label, or its absence, meets all that is required of it. */
const canHold = (requirements: readonly LabelRequirement[]): boolean => {
  const lists = requirements.filter(({ operator }) => isAmong(operator));
  const mustBe = lists.length > 0 || requirements.some(({ operator }) => operator === 'exists');
  if (requirements.some(({ operator }) => operator === '!')) return !mustBe;
  const banned = new Set(
    requirements.filter(({ operator }) => isNotAmong(operator)).flatMap(({ values }) => values),
  );
  const [first, ...others] = lists.map(({ values }) => new Set(values));
  if (first === undefined) return true;
  return [...first].some((value) => !banned.has(value) && others.every((one) => one.has(value)));
};

const isTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));

/** False for values of a wrong type, which the schema reports. */
const isShaped = ({ matchLabels = {}, matchExpressions = [] }: JsonObject): boolean =>
  isJsonObject(matchLabels) &&
  isTexts(Object.values(matchLabels)) &&
  Array.isArray(matchExpressions) &&
  matchExpressions.every(
    (one) =>
      isJsonObject(one) &&
      typeof one.key === 'string' &&
      typeof one.operator === 'string' &&
      isTexts(one.values),
  );

/** Problem of a label selector in a spec: it cannot be parsed, or no labels can match it. */
export const selectorProblem = (spec: JsonObject): string | undefined => {
  if (!isShaped(spec)) return undefined;
  try {
    const selector = labelSelectorOf(spec as LabelSelectorSpec);
    const requirements = selector.selects === 'nothing' ? [] : selector.requirements;
    for (const [key, ofKey] of Map.groupBy(requirements, (one) => one.key)) {
      if (!canHold(ofKey)) return `nothing can match it: it contradicts itself about ${key}`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
};
