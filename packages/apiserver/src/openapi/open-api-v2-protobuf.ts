import type { JsonObject } from '@perigee/schema/json';
import { BackwardWriter } from '../codec/protobuf/backward-writer.ts';
import {
  around,
  bool,
  double,
  either,
  type Field,
  int64,
  type Message,
  map,
  message,
  record,
  repeated,
  text,
} from '../codec/protobuf/write-fields.ts';

/** A value of any type is YAML, of which JSON is a subset. */
const any =
  (number: number): Field =>
  (writer, value) =>
    writer.message(number, () => writer.text(2, JSON.stringify(value)));

const extensions = (number: number) => ({ number, value: any(2) });

const schema = (number: number): Field => message(number, (writer, value) => SCHEMA(writer, value));

const SCHEMAS = map(1, schema(2));

const SCHEMA: Message = record(
  {
    $ref: text(1),
    format: text(2),
    title: text(3),
    description: text(4),
    default: any(5),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: bool(8),
    minimum: double(9),
    exclusiveMinimum: bool(10),
    maxLength: int64(11),
    minLength: int64(12),
    pattern: text(13),
    maxItems: int64(14),
    minItems: int64(15),
    uniqueItems: bool(16),
    maxProperties: int64(17),
    minProperties: int64(18),
    required: repeated(text(19)),
    enum: repeated(any(20)),
    additionalProperties: around(21, either(schema(1), bool(2))),
    type: around(22, text(1)),
    items: around(23, schema(1)),
    allOf: repeated(schema(24)),
    properties: message(25, SCHEMAS),
    externalDocs: message(29, record({ description: text(1), url: text(2) }, extensions(3))),
    example: any(30),
  },
  extensions(31),
);

const BODY = record(
  { description: text(1), name: text(2), in: text(3), required: bool(4), schema: schema(5) },
  extensions(6),
);

const IN_URL = { required: bool(1), in: text(2), description: text(3), name: text(4) };
const QUERY = record({ ...IN_URL, type: text(6) }, extensions(23));
const PATH = record({ ...IN_URL, type: text(5) }, extensions(22));

/** The `in` of a parameter decides on its message. */
const PARAMETER: Message = (writer, parameter) => {
  if (parameter.in === 'body') message(1, BODY)(writer, parameter);
  else around(2, parameter.in === 'path' ? message(4, PATH) : message(3, QUERY))(writer, parameter);
};

const parameters = (number: number): Field => repeated(around(number, message(1, PARAMETER)));

const RESPONSE = record({ description: text(1), schema: around(2, schema(1)) }, extensions(5));

const OPERATION = record(
  {
    tags: repeated(text(1)),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    produces: repeated(text(6)),
    consumes: repeated(text(7)),
    parameters: parameters(8),
    responses: message(9, map(1, around(2, message(1, RESPONSE)))),
    schemes: repeated(text(10)),
    deprecated: bool(11),
  },
  extensions(13),
);

const PATH_ITEM = record(
  {
    get: message(2, OPERATION),
    put: message(3, OPERATION),
    post: message(4, OPERATION),
    delete: message(5, OPERATION),
    options: message(6, OPERATION),
    head: message(7, OPERATION),
    patch: message(8, OPERATION),
    parameters: parameters(9),
  },
  extensions(10),
);

const API_KEY = record(
  { type: text(1), name: text(2), in: text(3), description: text(4) },
  extensions(5),
);

const DOCUMENT = record(
  {
    swagger: text(1),
    info: message(2, record({ title: text(1), version: text(2) }, extensions(7))),
    paths: message(8, map(2, message(2, PATH_ITEM))),
    definitions: message(9, SCHEMAS),
    security: repeated(message(12, map(1, around(2, repeated(text(1)))))),
    securityDefinitions: message(13, map(1, around(2, message(2, API_KEY)))),
  },
  extensions(16),
);

/** A document of OpenAPI v2 as the message `openapi.v2.Document`, the only form kubectl reads. */
export const openApiV2Protobuf = (document: JsonObject): Buffer => {
  const writer = new BackwardWriter();
  DOCUMENT(writer, document);
  return writer.written();
};
