import { goFloat, goNumber, isInt64 } from '../go-text.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { renderPath, reportUntied, reportValue, type Walk } from '../structural/walk.ts';
import { checkedFormat } from './type-check.ts';

export type NumberCheck = (value: number | bigint, walk: Walk, since: number) => void;

const LARGEST_FLOAT32 = 3.4028234663852886e38;
const TOLERANCE = 1e-9;

/** True if numbers of the schema's type and format can hold a value. */
const rangeOf = (
  schema: StructuralSchema,
  format: string,
): ((value: number | bigint) => boolean) => {
  if (schema.type === 'integer') {
    return format === 'int32'
      ? (value) => isInt64(value) && value >= -(2 ** 31) && value < 2 ** 31
      : isInt64;
  }
  return format === 'float' ? (value) => Math.abs(Number(value)) <= LARGEST_FLOAT32 : () => true;
};

const isMultiple = (value: number, factor: number): boolean => {
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  const whole = Math.round(times);
  if (times === whole) return true;
  return whole !== 0 && Math.abs(times - whole) / (Math.abs(times) + Math.abs(whole)) < TOLERANCE;
};

/** Go compares a whole number with whole bounds and a float with floats, and shows them so. */
const boundText = (value: number | bigint, bound: number): string =>
  isInt64(value) ? goNumber(bound) : goFloat(bound);

/**
 * The range of the type and the checks against bounds. Kubernetes cuts a bound such as 0.5 down to a
 * whole number when the value is whole, and so lets 0 pass a minimum of 0.5; here a bound is exact.
 */
export const numberCheck = (schema: StructuralSchema): NumberCheck | undefined => {
  const { minimum, maximum, multipleOf } = schema;
  const { exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const format = checkedFormat(schema);
  const isInRange = rangeOf(schema, format);
  const isBounded = (minimum ?? maximum ?? multipleOf) !== undefined;
  if (!isBounded && schema.type !== 'integer' && format === '') return undefined;

  const typeText = `${schema.type} ${format === '' ? '(default format)' : `with format ${format}`}`;
  const checkRange = (what: string, value: number | bigint, walk: Walk, since: number): void => {
    if (isInRange(value)) return;
    const path = renderPath(walk.path);
    reportUntied(walk, since, `${what} value must be of type ${typeText} in ${path}`);
  };

  return (value, walk, since) => {
    checkRange('Checked', value, walk, since);
    if (multipleOf !== undefined) {
      checkRange('MultipleOf', multipleOf, walk, since);
      if (!isMultiple(Number(value), multipleOf)) {
        const rule = `should be a multiple of ${boundText(value, multipleOf)}`;
        reportValue(walk, since, value, rule);
      }
    }
    if (minimum !== undefined) {
      checkRange('Minimum boundary', minimum, walk, since);
      if (exclusiveMinimum ? value <= minimum : value < minimum) {
        const rule = `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}`;
        reportValue(walk, since, value, rule + boundText(value, minimum));
      }
    }
    if (maximum !== undefined) {
      checkRange('Maximum boundary', maximum, walk, since);
      if (exclusiveMaximum ? value >= maximum : value > maximum) {
        const rule = `should be less than ${exclusiveMaximum ? '' : 'or equal to '}`;
        reportValue(walk, since, value, rule + boundText(value, maximum));
      }
    }
  };
};
