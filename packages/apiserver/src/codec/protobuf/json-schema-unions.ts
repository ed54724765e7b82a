import type { JsonValue } from '@perigee/schema/json';
import type { WireReader } from './wire-reader.ts';

/** Reads a whole message, which is the value of the field that the reader came to. */
type ReadSchema = (reader: WireReader) => JsonValue;

/** A schema of a CRD may have, in some places, something else instead of a schema. */

export const readSchemaOrArray = (reader: WireReader, readSchema: ReadSchema): JsonValue => {
  let schema: JsonValue = null;
  const schemas: JsonValue[] = [];
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) schema = readSchema(reader);
    else if (reader.fieldNumber === 2) schemas.push(readSchema(reader));
    else reader.skip();
  }
  return schemas.length > 0 ? schemas : schema;
};

export const readSchemaOrBool = (reader: WireReader, readSchema: ReadSchema): JsonValue => {
  let allows = false;
  let schema: JsonValue = null;
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) allows = reader.bool();
    else if (reader.fieldNumber === 2) schema = readSchema(reader);
    else reader.skip();
  }
  return schema ?? allows;
};

export const readSchemaOrStrings = (reader: WireReader, readSchema: ReadSchema): JsonValue => {
  let schema: JsonValue = null;
  const names: string[] = [];
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) schema = readSchema(reader);
    else if (reader.fieldNumber === 2) names.push(reader.text());
    else reader.skip();
  }
  return names.length > 0 ? names : schema;
};
