import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { PatchError } from '../errors.ts';
import { inPatchOrder } from './list-order.ts';
import { ownField } from './own-field.ts';
import { DIRECTIVE } from './patch-directives.ts';
import { itemSchema, type PatchRule } from './patch-schema.ts';
import { mergeObjects } from './strategic-merge-patch.ts';

type List = readonly JsonValue[];

const noMergeKey = (item: JsonValue, mergeKey: string): PatchError =>
  new PatchError(
    400,
    `map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`,
  );

/** True if the lists hold objects; a mixture is refused, and so is a list in a list. */
export const holdsObjects = (...lists: readonly List[]): boolean => {
  const kinds = new Set<string>();
  for (const item of lists.flat(1)) {
    if (Array.isArray(item)) throw new PatchError(422, 'lists of lists are not supported');
    kinds.add(isJsonObject(item) ? 'object' : typeof item);
  }
  if (kinds.size > 1) {
    throw new PatchError(400, `list element types are not identical: ${JSON.stringify(lists)}`);
  }
  return kinds.has('object');
};

/** Applies the items with a directive to the live list, and returns the other items. */
const applyDirectives = (
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { readonly live: readonly JsonObject[]; readonly patch: readonly JsonObject[] } => {
  const plain = patch.filter((item) => !Object.hasOwn(item, DIRECTIVE));
  const deletedKeys = new Set<JsonValue | undefined>();
  let replaces = false;
  for (const item of patch) {
    const directive = ownField(item, DIRECTIVE);
    if (directive === undefined) continue;
    if (directive === 'replace') replaces = true;
    else if (directive === 'delete') {
      if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
      deletedKeys.add(item[mergeKey]);
    } else if (directive === 'merge') {
      throw new PatchError(400, 'merging lists cannot yet be specified in the patch');
    } else {
      throw new PatchError(
        400,
        `unknown patch type: ${JSON.stringify(directive)} in map: ${JSON.stringify(item)}`,
      );
    }
  }
  if (replaces) return { live: plain, patch: [] };
  const isKept = (item: JsonObject): boolean =>
    !Object.hasOwn(item, mergeKey) || !deletedKeys.has(item[mergeKey]);
  return { live: deletedKeys.size === 0 ? live : live.filter(isKept), patch: plain };
};

const mergeKeyedLists = (
  live: readonly JsonObject[],
  changes: readonly JsonObject[],
  rule: PatchRule,
): readonly JsonValue[] => {
  const { mergeKey } = rule;
  if (mergeKey === undefined) throw new PatchError(400, 'cannot merge lists without merge key');
  const { live: keptItems, patch } = applyDirectives(live, changes, mergeKey);
  const mergedItems: JsonObject[] = [...keptItems];
  const places = new Map<JsonValue | undefined, number>();
  for (const [index, item] of keptItems.entries()) {
    const key = ownField(item, mergeKey);
    if (!places.has(key)) places.set(key, index);
  }
  for (const item of patch) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
    const at = places.get(item[mergeKey]);
    const present = at === undefined ? undefined : mergedItems[at];
    if (at !== undefined && present !== undefined) {
      mergedItems[at] = mergeObjects(present, item, itemSchema(rule.schema));
    } else {
      places.set(item[mergeKey], mergedItems.length);
      mergedItems.push(item);
    }
  }
  for (const item of mergedItems) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
  return inPatchOrder(mergedItems, patch, keptItems, mergeKey);
};

/** Merges the list of a patch into the live one, or with `deletes` takes its items out. */
export const mergeLists = (
  live: List,
  patch: List,
  rule: PatchRule,
  deletes: boolean,
): readonly JsonValue[] => {
  if (live.length === 0 && patch.length === 0) return live;
  const mergedList = holdsObjects(live, patch)
    ? mergeKeyedLists(live as readonly JsonObject[], patch as readonly JsonObject[], rule)
    : mergeScalars(live, patch, deletes);
  const same =
    mergedList.length === live.length && mergedList.every((item, index) => item === live[index]);
  return same ? live : mergedList;
};

const mergeScalars = (live: List, patch: List, deletes: boolean): readonly JsonValue[] => {
  if (deletes) {
    const deletedItems = new Set(patch);
    return live.filter((item) => !deletedItems.has(item));
  }
  return inPatchOrder([...new Set([...live, ...patch])], patch, live, undefined);
};
