import { isJsonObject, type JsonValue } from '@perigee/schema/json';

/** Identity of a list item: the value of its merge key, or the item itself. */
export const identityOf = (item: JsonValue, mergeKey: string | undefined): JsonValue | undefined =>
  mergeKey !== undefined && isJsonObject(item) && Object.hasOwn(item, mergeKey)
    ? item[mergeKey]
    : mergeKey === undefined
      ? item
      : undefined;

type Places = ReadonlyMap<JsonValue | undefined, number>;

const placesIn = (order: readonly JsonValue[], mergeKey: string | undefined): Places => {
  const places = new Map<JsonValue | undefined, number>();
  for (const [index, item] of order.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  }
  return places;
};

/** Sorts items by their places; those that have none come first, the last of them in front. */
const sortByPlaces = (
  items: readonly JsonValue[],
  places: Places,
  mergeKey: string | undefined,
): readonly JsonValue[] => {
  const placedItems: { readonly item: JsonValue; readonly place: number }[] = [];
  const others: JsonValue[] = [];
  for (const item of items) {
    const place = places.get(identityOf(item, mergeKey));
    if (place === undefined) others.push(item);
    else placedItems.push({ item, place });
  }
  placedItems.sort((a, b) => a.place - b.place);
  return [...others.reverse(), ...placedItems.map(({ item }) => item)];
};

/**
 * Brings the items that a patch speaks of into the order of the patch, and slips the others in
 * between, each before the first item that came after it in the live list.
 */
export const inPatchOrder = (
  items: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
  mergeKey: string | undefined,
): JsonValue[] => {
  const patchPlaces = placesIn(patchOrder, mergeKey);
  const live = placesIn(liveOrder, mergeKey);
  const isInPatch = (item: JsonValue): boolean => patchPlaces.has(identityOf(item, mergeKey));
  const patchItems = sortByPlaces(items.filter(isInPatch), patchPlaces, mergeKey);
  const others = sortByPlaces(
    items.filter((item) => !isInPatch(item)),
    live,
    mergeKey,
  );
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of patchItems) {
    const place = live.get(identityOf(item, mergeKey));
    while (next < others.length && place !== undefined) {
      const other = others[next] as JsonValue;
      const otherPlace = live.get(identityOf(other, mergeKey));
      if (otherPlace === undefined || otherPlace >= place) break;
      result.push(other);
      next++;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
};
