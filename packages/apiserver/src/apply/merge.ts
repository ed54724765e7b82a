import type { JsonArray, JsonObject, JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { type MutableObject, ownField, setField } from '../patch/own-field.ts';
import { fieldTypeOf } from './field-type.ts';
import { itemElement } from './list-items.ts';
import { asList, asMap, isEmptyMap, kindOf } from './value-kind.ts';
import type { ListType, MapType, ValueType } from './value-type.ts';

type Value = JsonValue | undefined;

/** The live value if both are equal, so that later comparisons are by reference. */
const replace = (live: JsonValue, config: JsonValue): JsonValue =>
  sameJson(live, config) ? live : config;

/** Undefined when nothing is left. */
const mergeValues = (live: Value, config: Value, type: ValueType): Value => {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  const kind = kindOf(config, type);
  if (kind === 'map' && type.map !== undefined) {
    const [a, b] = [asMap(live), asMap(config)];
    const isEmpty = (a === undefined || isEmptyMap(a)) && (b === undefined || isEmptyMap(b));
    return type.map.atomic || isEmpty
      ? replace(live, config)
      : mergeMaps(a ?? {}, b ?? {}, type.map);
  }
  if (kind === 'list' && type.list !== undefined) {
    const [a, b] = [asList(live) ?? [], asList(config) ?? []];
    const isLeaf = type.list.relation === 'atomic' || (a.length === 0 && b.length === 0);
    return isLeaf ? replace(live, config) : mergeLists(a, b, type.list);
  }
  return replace(live, config);
};

const mergeMaps = (live: JsonObject, config: JsonObject, type: MapType): JsonObject => {
  let mergedMap: MutableObject | undefined;
  for (const key of Object.keys(config)) {
    const before = ownField(live, key);
    const after = mergeValues(before, config[key], fieldTypeOf(type, key));
    if (after === before || after === undefined) continue;
    mergedMap ??= { ...live };
    setField(mergedMap, key, after);
  }
  return mergedMap ?? live;
};

/** The first item of each element; null where there are duplicates, which are not merged with. */
const indexLive = (elements: readonly string[], items: JsonArray): ReadonlyMap<string, Value> => {
  const index = new Map<string, Value>();
  for (const [at, element] of elements.entries()) {
    index.set(element, index.has(element) ? null : items[at]);
  }
  return index;
};

/**
 * The live items keep their order, except that items in both lists take the order of the config; items of the
 * config alone keep their position among those.
 */
const mergeLists = (live: JsonArray, config: JsonArray, type: ListType): Value => {
  const liveElements = live.map((item) => itemElement(item, type));
  const configElements = config.map((item) => itemElement(item, type));
  const liveItems = indexLive(liveElements, live);
  const configItems = new Map(configElements.map((element, at) => [element, config[at]]));
  const sharedElements = configElements.filter((element) => liveItems.has(element));
  const mergedItems: JsonValue[] = [];
  const mergedElements = new Set<string>();
  let sharedAt = 0;

  const take = (element: string, item: Value): void => {
    if (item !== undefined) mergedItems.push(item);
    mergedElements.add(element);
  };
  const takeConfig = (element: string): void =>
    take(element, mergeValues(liveItems.get(element), configItems.get(element), type.item));

  let l = 0;
  let c = 0;
  while (l < liveElements.length || c < configElements.length) {
    const nextShared = sharedElements[sharedAt];
    const mine = liveElements[l];
    const theirs = configElements[c];
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        takeConfig(mine);
        l++;
        c++;
        sharedAt++;
        continue;
      }
      if (configItems.has(mine) && nextShared !== undefined && nextShared !== mine) {
        l++;
        continue;
      }
    }
    if (mine !== undefined) {
      if (!configItems.has(mine)) {
        take(mine, live[l]);
        l++;
        continue;
      }
      if (mergedElements.has(mine)) l++;
    }
    if (theirs !== undefined) {
      takeConfig(theirs);
      c++;
      if (nextShared === theirs) sharedAt++;
    }
  }
  const isSame =
    mergedItems.length === live.length && mergedItems.every((item, at) => item === live[at]);
  return isSame ? live : mergedItems.length === 0 ? undefined : mergedItems;
};

/** Merges a config into a live value; all other fields stay. */
export const merge = (live: JsonObject, config: JsonObject, type: ValueType): JsonObject =>
  asMap(mergeValues(live, config, type)) ?? {};
