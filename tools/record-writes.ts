import { readFileSync, writeFileSync } from 'node:fs';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { PatchOperation, WriteOptions } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { applyMergePatch } from '../packages/apiserver/src/patch/merge-patch.ts';
import { type Step, viewOf } from '../packages/apiserver/test/apply/replay.ts';
import { openPeer } from './open-peer.ts';
import { definitionOf, serveKind } from './peer-definitions.ts';

/**
 * Records how kube-apiserver takes writes of several managers to an object, for the histories of `facts.jsonl`
 * beside the tests of apply. A new history is a line with its steps, of which each has its input.
 */
const FILE = new URL('../packages/apiserver/test/apply/facts.jsonl', import.meta.url);

const Widget: ResourceKind = {
  group: 'fuzz.test',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};
const REF = { namespace: 'default', name: 'w' };

/** The merge patch that makes one object of the other. */
const mergePatchFor = (before: JsonObject, after: JsonObject): JsonObject => {
  const changes = Object.keys({ ...before, ...after }).flatMap((name): [string, JsonValue][] => {
    const [old, next] = [before[name], after[name]];
    if (next === undefined) return [[name, null]];
    if (old !== undefined && sameJson(old, next)) return [];
    return [[name, isJsonObject(old) && isJsonObject(next) ? mergePatchFor(old, next) : next]];
  });
  return Object.fromEntries(changes);
};

await using peer = await openPeer();

const write = async (live: JsonObject, step: Step): Promise<unknown> => {
  const { op, manager, subresource, input } = step;
  const options: WriteOptions = {
    fieldManager: manager,
    ...(subresource === undefined ? {} : { subresource }),
  };
  const body = input as JsonObject;
  switch (op) {
    case 'create':
      return peer.create(Widget, body as never, options);
    case 'put':
      return peer.update(Widget, applyMergePatch(live, input) as never, options);
    case 'json': {
      const operations = input as unknown as readonly PatchOperation[];
      return peer.patch(Widget, REF, { type: 'json', operations }, options);
    }
    case 'merge':
      return peer.patch(Widget, REF, { type: 'merge', body }, options);
    default: {
      const apply = { type: 'apply', body, fieldManager: manager, force: op === 'force' } as const;
      return peer.patch(Widget, REF, apply, options);
    }
  }
};

const conflictsOf = (error: unknown): Step['conflicts'] => {
  if (!(error instanceof ApiError) || error.code !== 409) throw error;
  const causes = error.status.details?.causes ?? [];
  return causes.map(({ message = '', field = '' }) => [message, field] as const).sort();
};

const record = async (history: readonly Step[]): Promise<readonly Step[]> => {
  const steps: Step[] = [];
  let live: JsonObject = {};
  let view: JsonObject = {};
  for (const step of history) {
    const { changes: before, conflicts: _conflicts, ...question } = step;
    try {
      live = (await write(live, step)) as JsonObject;
      const next = JSON.parse(JSON.stringify(viewOf(live))) as JsonObject;
      const isSame = before !== undefined && sameJson(applyMergePatch(view, before), next);
      steps.push({ ...question, changes: isSame ? before : mergePatchFor(view, next) });
      view = next;
    } catch (error) {
      steps.push({ ...question, conflicts: conflictsOf(error) });
    }
  }
  await peer.patch(Widget, REF, { type: 'merge', body: { metadata: { finalizers: null } } });
  await peer.delete(Widget, REF);
  return steps;
};

const [schema = {}, ...histories] = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line)) as [JsonObject, ...(readonly Step[])[]];
const definition = definitionOf(Widget, schema, { subresources: { status: {} } });
await using _served = await serveKind(peer, Widget, definition);
const lines: unknown[] = [schema];
for (const history of histories) lines.push(await record(history));
writeFileSync(FILE, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
