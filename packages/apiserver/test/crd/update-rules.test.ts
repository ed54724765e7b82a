import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { ApiError } from '@perigee/kube/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { servedResources } from '../../src/crd/served-resources.ts';
import { at, setUpApi, type Thing } from '../registry/registry-fixture.ts';

/** Answers of kube-apiserver 1.36.3 to an update, after the schema of a field became stricter. */
interface Recorded {
  readonly name: string;
  readonly schema: JsonObject;
  /** The value that was stored before; absent when there was none. */
  readonly old?: JsonValue;
  /** The value of the update; absent when it removes the field. */
  readonly next?: JsonValue;
  readonly code: number;
  readonly causes?: readonly JsonObject[];
}

const RECORDED: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('recorded/update-rules.json', import.meta.url), 'utf8'),
);

const Rule: ResourceKind<Thing, WrittenObject & { readonly spec: JsonObject }> = {
  group: 'ratchet.example.com',
  version: 'v1',
  kind: 'R',
  plural: 'rs',
  scope: 'Namespaced',
};

const crdWith = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'rs.ratchet.example.com' },
  spec: {
    group: Rule.group,
    scope: Rule.scope,
    names: { plural: 'rs', singular: 'r', kind: 'R', listKind: 'RList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
});

const LAX: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const withField = (name: string, value: JsonValue | undefined): JsonObject =>
  value === undefined ? {} : { [name]: value };

test('an update is held to what it changes, as recorded', async (t) => {
  const { client, registry } = await setUpApi();
  const serve = (spec: JsonObject) => {
    for (const resource of servedResources(crdWith(spec))) registry.resources.serve(resource);
  };
  serve(LAX);
  for (const [index, { old }] of RECORDED.entries()) {
    const spec = { touch: '1', ...withField(`f${index}`, old) };
    await client.create(Rule, { metadata: at(`c${index}`), spec });
  }
  const fields = RECORDED.map(({ schema }, index) => [`f${index}`, schema]);
  const touch = { type: 'string' };
  serve({ type: 'object', properties: { touch, ...Object.fromEntries(fields) } });

  const update = async (index: number, next: JsonValue | undefined) => {
    const { metadata } = await client.get(Rule, at(`c${index}`));
    const spec = { touch: '2', ...withField(`f${index}`, next) };
    try {
      await client.update(Rule, { metadata, spec });
      return { code: 200 };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { code: error.code, causes: error.status.details?.causes };
    }
  };
  for (const [index, { name, next, code, causes }] of RECORDED.entries()) {
    await t.test(name, async () => {
      assert.deepEqual(await update(index, next), code === 200 ? { code } : { code, causes });
    });
  }
});
