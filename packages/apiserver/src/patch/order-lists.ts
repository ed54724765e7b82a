import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { PatchError } from '../errors.ts';
import { identityOf, inPatchOrder } from './list-order.ts';
import { holdsObjects, mergeLists } from './merge-lists.ts';
import { ownField } from './own-field.ts';
import { DIRECTIVE, ELEMENT_ORDER, withoutDirectives } from './patch-directives.ts';
import type { PatchRule } from './patch-schema.ts';

type List = readonly JsonValue[];

const listOrNothing = (value: JsonValue | undefined): List | undefined => {
  if (value === undefined || Array.isArray(value)) return value;
  throw new PatchError(400, 'invalid patch format of setElementOrder list');
};

/** Every item of the patch must be in the order, and must stand in it as it does in the patch. */
const checkOrder = (patch: List, order: List, mergeKey: string | undefined): void => {
  if (patch.length === 0 || order.length === 0) return;
  const ordered = patch.filter((item) => !(isJsonObject(item) && Object.hasOwn(item, DIRECTIVE)));
  let at = 0;
  for (const item of order) {
    const next = ordered[at];
    if (next === undefined) return;
    if (identityOf(next, mergeKey) === identityOf(item, mergeKey)) at++;
  }
  if (at < ordered.length) {
    throw new PatchError(
      400,
      `The order in patch list:\n${JSON.stringify(patch)}\n doesn't match ${ELEMENT_ORDER} list:\n${JSON.stringify(order)}\n`,
    );
  }
};

const mergedLists = (live: List | undefined, patch: List | undefined, rule: PatchRule): List => {
  if (live !== undefined && patch !== undefined) {
    return rule.strategy === 'merge' ? mergeLists(live, patch, rule, false) : patch;
  }
  if (live !== undefined) return live;
  const plainItems = withoutDirectives(patch ?? []);
  return Array.isArray(plainItems) ? plainItems : [];
};

/**
 * The order of the live list, as kube-apiserver remembers it once items were deleted: the list has moved
 * up, and new items stand in the slots that became free at its end.
 */
const orderAfterDeletions = (live: List, patch: List, mergeKey: string): List => {
  const items = patch.filter(isJsonObject);
  const deletedKeys = new Set(
    items.filter((item) => item[DIRECTIVE] === 'delete').map((item) => item[mergeKey]),
  );
  if (deletedKeys.size === 0) return live;
  const remainingItems = live.filter((item) => !deletedKeys.has(identityOf(item, mergeKey)));
  const present = new Set(remainingItems.map((item) => identityOf(item, mergeKey)));
  const addedItems = items.some((item) => item[DIRECTIVE] === 'replace')
    ? []
    : items.filter((item) => !Object.hasOwn(item, DIRECTIVE) && !present.has(item[mergeKey]));
  return [...remainingItems, ...addedItems].slice(0, live.length);
};

/** Merges two lists, either of which may be absent, and gives the result the order that is asked for. */
export const orderLists = (
  present: JsonValue | undefined,
  change: JsonValue | undefined,
  order: List,
  rule: PatchRule,
): List | undefined => {
  const live = listOrNothing(present);
  const patch = listOrNothing(change);
  if (live === undefined && patch === undefined) return undefined;
  const { mergeKey } = rule;
  checkOrder(patch ?? [], order, mergeKey);
  const mergedItems = mergedLists(live, patch, rule);
  const keyed = holdsObjects(live ?? [], patch ?? []) ? mergeKey : undefined;
  if (keyed !== undefined) {
    for (const item of [...mergedItems, ...order]) {
      if (isJsonObject(item) && ownField(item, keyed) !== undefined) continue;
      throw new PatchError(
        400,
        `map: ${JSON.stringify(item)} does not contain declared merge key: ${keyed}`,
      );
    }
  }
  const liveOrder =
    keyed === undefined || rule.strategy !== 'merge'
      ? (live ?? [])
      : orderAfterDeletions(live ?? [], patch ?? [], keyed);
  return inPatchOrder(mergedItems, order, liveOrder, keyed);
};
