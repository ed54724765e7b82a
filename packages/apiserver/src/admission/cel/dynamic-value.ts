import { ListValue, type MapKey, MapValue, type Value } from '@perigee/schema/cel/values';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';

/** The CEL value of JSON whose schema is not known: objects are maps, whole numbers are integers. */
export const dynamicValue = (json: JsonValue | undefined): Value => {
  if (json === undefined || json === null) return null;
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (typeof json !== 'object') return json;
  if (!isJsonObject(json)) return new ListValue(json.map(dynamicValue));
  const entries = new Map<MapKey, Value>();
  for (const [key, value] of Object.entries(json)) {
    if (value !== undefined) entries.set(key, dynamicValue(value));
  }
  return new MapValue(entries);
};
