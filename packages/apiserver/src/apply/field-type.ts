import { UntypedError } from '../errors.ts';
import type { MapType, ValueType } from './value-type.ts';

/** The type of a field of a map; throws when there may be no such field. */
export const fieldTypeOf = (map: MapType, field: string): ValueType => {
  const type = map.field(field);
  if (type === undefined) throw new UntypedError(`.${field}: field not declared in schema`);
  return type;
};
