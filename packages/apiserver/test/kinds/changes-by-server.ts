import type { JsonObject, JsonValue } from '@perigee/schema/json';

/** An input, and what kube-apiserver 1.36 made of it, as far as it differs. */
export interface CaseOfDefaults {
  readonly name: string;
  readonly input: JsonObject;
  /** `UID` and `NOW` stand for those of the run. */
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

/** The fields that a server filled in when it created an object. */
export const changesByServer = (input: JsonObject, created: JsonObject): JsonObject => {
  const { uid, creationTimestamp, namespace, managedFields, ...metadata } =
    created.metadata as JsonObject;
  const output = JSON.stringify({ ...created, metadata })
    .replaceAll(uid as string, 'UID')
    .replaceAll(creationTimestamp as string, 'NOW');
  const given = { metadata: { name: 'x' }, ...input };
  return (changesOf(given, JSON.parse(output)) ?? {}) as JsonObject;
};
