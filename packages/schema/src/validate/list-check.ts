import { tooMany } from '../errors.ts';
import { goJson } from '../go-text.ts';
import type { JsonArray, JsonValue } from '../json.ts';
import { keyedItems } from '../structural/list-keys.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { type Check, renderPath, report, reportValue, type Walk } from '../structural/walk.ts';

type ListCheck = (value: JsonArray, old: JsonValue | undefined, walk: Walk, since: number) => void;

const hasDuplicates = (list: JsonArray): boolean => new Set(list.map(goJson)).size < list.length;

/** Checks elements; one that is wrong is compared with the old element of the same keys, if any. */
const itemsCheck = (schema: StructuralSchema, check: Check) => {
  const correlate = keyedItems(schema);
  return (list: JsonArray, old: JsonValue | undefined, walk: Walk): void => {
    const oldItem = correlate && Array.isArray(old) ? correlate(old) : undefined;
    for (let index = 0; index < list.length; index++) {
      const item = list[index] ?? null;
      const start = walk.errors.length;
      walk.path.push(index);
      check(item, undefined, walk);
      if (oldItem !== undefined && walk.errors.length > start) {
        walk.errors.length = start;
        check(item, oldItem(item), walk);
      }
      walk.path.pop();
    }
  };
};

export const listCheck = (schema: StructuralSchema, item: Check | undefined): ListCheck => {
  const { minItems = 0, maxItems, uniqueItems = false } = schema;
  const checkItems = item && itemsCheck(schema, item);
  return (value, old, walk, since) => {
    checkItems?.(value, old, walk);
    const size = value.length;
    if (size < minItems) {
      reportValue(walk, since, size, `should have at least ${minItems} items`);
    }
    if (maxItems !== undefined && size > maxItems) {
      report(walk, since, tooMany(renderPath(walk.path), size, maxItems));
    }
    if (uniqueItems && hasDuplicates(value)) {
      reportValue(walk, since, '', "shouldn't contain duplicates");
    }
  };
};
