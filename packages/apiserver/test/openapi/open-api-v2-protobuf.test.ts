import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { openApiV2 } from '../../src/openapi/open-api-v2.ts';
import { openApiV2Protobuf } from '../../src/openapi/open-api-v2-protobuf.ts';
import { kindsAsServed } from '../crd/kinds.ts';
import { fieldsOf, messageOf, messagesOf, textOf, textsOf } from './wire-fields.ts';

const DEFINITIONS = 9;
const PATHS = 8;

/** The message of a schema that is the only definition of a document. */
const encoded = (schema: JsonObject) => {
  const document = fieldsOf(openApiV2Protobuf({ definitions: { Some: schema } }));
  const named = messageOf(messageOf(document, DEFINITIONS), 1);
  assert.equal(textOf(named, 1), 'Some');
  return messageOf(named, 2);
};

describe('a schema in the protobuf of OpenAPI v2', () => {
  it('has texts, numbers, truth values and lists in their fields', () => {
    const schema = encoded({
      type: 'integer',
      description: 'Größe',
      maximum: 2.5,
      minLength: 300,
      maxLength: -2,
      uniqueItems: true,
      required: ['b', 'a'],
      enum: [1, 'x', { y: null }],
    });
    assert.equal(textOf(schema, 4), 'Größe');
    assert.deepEqual(schema.get(7), [2.5]);
    assert.deepEqual(schema.get(12), [300]);
    assert.deepEqual(schema.get(11), [-2]);
    assert.deepEqual(schema.get(16), [1]);
    assert.deepEqual(textsOf(schema, 19), ['b', 'a']);
    const values = messagesOf(schema, 20).map((any) => textOf(any, 2));
    assert.deepEqual(values, ['1', '"x"', '{"y":null}']);
    assert.equal(textOf(messageOf(schema, 22), 1), 'integer');
  });

  it('has other schemas in it, in the order of the document', () => {
    const schema = encoded({
      properties: { z: { type: 'string' }, a: { $ref: '#/definitions/Some' } },
      items: { format: 'int64' },
      additionalProperties: { title: 'open' },
      allOf: [{ title: 'one' }, { title: 'two' }],
    });
    const properties = messagesOf(messageOf(schema, 25), 1);
    assert.deepEqual(
      properties.map((named) => textOf(named, 1)),
      ['z', 'a'],
    );
    assert.equal(textOf(messageOf(properties[1] ?? new Map(), 2), 1), '#/definitions/Some');
    assert.equal(textOf(messageOf(messageOf(schema, 23), 1), 2), 'int64');
    assert.equal(textOf(messageOf(messageOf(schema, 21), 1), 3), 'open');
    assert.deepEqual(
      messagesOf(schema, 24).map((one) => textOf(one, 3)),
      ['one', 'two'],
    );
    assert.deepEqual(messageOf(encoded({ additionalProperties: true }), 21).get(2), [1]);
  });

  it('keeps extensions, and leaves out what v2 has no field for', () => {
    const schema = encoded({
      'x-kubernetes-list-type': 'set',
      constructor: 'x',
      oneOf: [],
      title: 't',
    });
    const [extension = new Map()] = messagesOf(schema, 31);
    assert.equal(textOf(extension, 1), 'x-kubernetes-list-type');
    assert.equal(textOf(messageOf(extension, 2), 2), '"set"');
    assert.deepEqual([...schema.keys()].sort(), [3, 31]);
  });
});

it('the document of all kinds says in protobuf what it says in JSON', () => {
  const json = JSON.parse(openApiV2(kindsAsServed).body);
  const document = fieldsOf(openApiV2Protobuf(json));
  assert.deepEqual(
    messagesOf(messageOf(document, DEFINITIONS), 1).map((named) => textOf(named, 1)),
    Object.keys(json.definitions),
  );
  const paths = messagesOf(messageOf(document, PATHS), 2);
  assert.deepEqual(
    paths.map((named) => textOf(named, 1)),
    Object.keys(json.paths),
  );
  const at = Object.keys(json.paths).findIndex((path) => path.endsWith('/queues/{name}'));
  const patch = messageOf(messageOf(paths[at] ?? new Map(), 2), 8);
  // kubectl looks here whether the server checks the fields of what is patched.
  const query = messagesOf(patch, 8).map((item) =>
    textsOf(messageOf(messageOf(messageOf(item, 1), 2), 3), 4).join(),
  );
  assert.ok(query.includes('fieldValidation'));
});
