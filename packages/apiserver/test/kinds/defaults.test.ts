import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { recorded, setUpBuiltinApi } from './builtin-api.ts';

interface Case {
  readonly name: string;
  readonly input: JsonObject;
  /** What kube-apiserver 1.36 made of it, as far as it differs; `UID` and `NOW` stand for those of the run. */
  readonly changes: JsonObject;
}

type Tree = { readonly [name: string]: JsonValue | undefined };

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Every field of `after` that differs from `before`, in a tree; an index names an item of a list. */
const changesOf = (before: JsonValue | undefined, after: JsonValue | undefined): unknown => {
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? undefined : (after ?? '(gone)');
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes = [...names]
    .map((name) => [name, changesOf(before[name], after[name])] as const)
    .filter(([, change]) => change !== undefined);
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
};

const { create } = await setUpBuiltinApi();

for (const { name, input, changes } of recorded<Case>('defaults.jsonl')) {
  test(`what is filled in for a ${name}`, async () => {
    const created = await create(input, true);
    const { uid, creationTimestamp, namespace, managedFields, ...metadata } =
      created.metadata as JsonObject;
    const output = JSON.stringify({ ...created, metadata })
      .replaceAll(uid as string, 'UID')
      .replaceAll(creationTimestamp as string, 'NOW');
    const given = { metadata: { name: 'x' }, ...input };
    assert.deepEqual(changesOf(given, JSON.parse(output)) ?? {}, changes);
  });
}
