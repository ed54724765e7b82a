import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { ApiError } from '@perigee/kube/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { servedResources } from '../../src/crd/served-resources.ts';
import { at, setUpApi, type Thing } from '../registry/registry-fixture.ts';
import { schemaOfRules, specForRule, updateRules } from './recorded-update-rules.ts';

const RULES = updateRules();

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

test('an update is held to what it changes, as recorded', async (t) => {
  const { client, registry } = await setUpApi();
  const serve = (spec: JsonObject) => {
    for (const resource of servedResources(crdWith(spec))) registry.resources.serve(resource);
  };
  serve(LAX);
  for (const [index, { old }] of RULES.entries()) {
    const spec = specForRule(index, old, '1');
    await client.create(Rule, { metadata: at(`c${index}`), spec });
  }
  serve(schemaOfRules(RULES));

  const update = async (index: number, next: JsonValue | undefined) => {
    const { metadata } = await client.get(Rule, at(`c${index}`));
    const spec = specForRule(index, next, '2');
    try {
      await client.update(Rule, { metadata, spec });
      return { code: 200 };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { code: error.code, causes: error.status.details?.causes };
    }
  };
  for (const [index, { name, next, code, causes }] of RULES.entries()) {
    await t.test(name, async () => {
      assert.deepEqual(await update(index, next), code === 200 ? { code } : { code, causes });
    });
  }
});
