import { type FieldError, InvalidObjectError, invalid, ParseError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { compareQuantities, type Quantity } from '@perigee/schema/values/quantity';
import { parseQuantity } from '@perigee/schema/values/quantity-text';
import { itemsAt, mapItems } from '../../kind/reshape.ts';

const WITHOUT_END = '9223372036854775807';

const CPU = ['0', '1', '2', '4', '8', '16', '32', '64', '128', WITHOUT_END];
const MEMORY = ['0', '4Gi', '16Gi', '32Gi', '64Gi', '128Gi', '256Gi', '512Gi', '1Ti', WITHOUT_END];

/** The grades of a cluster that names none: from nodes below 1 core to those of 128 and more. */
export const defaultResourceModels = (): readonly JsonObject[] =>
  CPU.slice(1).map((max, grade) => ({
    grade,
    ranges: [
      { name: 'cpu', min: CPU[grade], max },
      { name: 'memory', min: MEMORY[grade], max: MEMORY[grade + 1] },
    ],
  }));

const gradeOf = (model: JsonValue): number =>
  isJsonObject(model) && typeof model.grade === 'number' ? model.grade : 0;

const openEnds = (spec: JsonObject, last: number): JsonObject =>
  mapItems(spec, 'resourceModels', (model, index) =>
    mapItems(model, 'ranges', (range) => ({
      ...range,
      ...present({
        min: index === 0 ? '0' : undefined,
        max: index === last ? WITHOUT_END : undefined,
      }),
    })),
  );

const amountOf = (value: JsonValue | undefined): Quantity | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  try {
    return parseQuantity(value);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};

/** Amounts that do not follow on each other. What is no amount at all is left to the schema. */
const wrongOrder = (spec: JsonObject): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const reached = new Map<JsonValue | undefined, Quantity | undefined>();
  const models = itemsAt([spec, 'spec'], 'resourceModels');
  for (const [range, at] of models.flatMap((model) => itemsAt(model, 'ranges'))) {
    const [min, max] = [amountOf(range.min), amountOf(range.max)];
    const before = reached.get(range.name);
    reached.set(range.name, max);
    if (min && max && compareQuantities(max, min) <= 0) {
      errors.push(invalid(`${at}.max`, range.max, 'must be more than min'));
    }
    if (min && before && compareQuantities(min, before) !== 0) {
      errors.push(
        invalid(`${at}.min`, range.min, 'must be the max of the grade before, without a gap'),
      );
    }
  }
  return errors;
};

/**
 * Grades in order, the first open below and the last open above. A CEL rule could not check that they
 * follow on each other within the cost that a server allows.
 */
export const standardiseResourceModels = (spec: JsonObject): JsonObject => {
  const { resourceModels: models } = spec;
  if (!Array.isArray(models)) return spec;
  const sortedModels = models.toSorted((a, b) => gradeOf(a) - gradeOf(b));
  const open = openEnds({ ...spec, resourceModels: sortedModels }, sortedModels.length - 1);
  const errors = wrongOrder(open);
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return open;
};
