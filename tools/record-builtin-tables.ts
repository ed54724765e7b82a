import { readFileSync, writeFileSync } from 'node:fs';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { resourcePath } from '@perigee/kube/client/resource-path';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { serverResources } from '../packages/apiserver/src/embedded/server-resources.ts';
import { openPeer, openRawPeer } from './open-peer.ts';

/**
 * Records the columns of built-in kinds, and the cells of the objects in `builtin-tables.json`, from a server
 * that was started by `tools/peers/start.ts FOLDER --for-recording`. A new case is an object without cells.
 * How old objects are stays as it is written: a server creates all of them now. `npm run format` afterwards.
 */
const FILE = new URL('../packages/apiserver/test/table/builtin-tables.json', import.meta.url);
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const AGES = new Set(['Age', 'Created At']);
const TIME = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z"/g;

interface Row {
  readonly object: JsonObject;
  readonly cells?: readonly JsonValue[];
}

interface Recording {
  readonly group: string;
  readonly plural: string;
  /** The time at which the cells were shown. */
  readonly nowMs: number;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

interface Table {
  readonly columnDefinitions: readonly {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly priority: number;
  }[];
  readonly rows: readonly {
    readonly cells: readonly JsonValue[];
    readonly object: { readonly metadata: { readonly name: string } };
  }[];
}

await using peer = await openPeer();
await using rawPeer = await openRawPeer();
const placeOf = ({ scope }: ResourceKind) =>
  scope === 'Namespaced' ? { namespace: 'default' } : {};

/** The object with times that are as long ago now as they were when the cells were shown. */
const asOfNow = (object: JsonObject, nowMs: number): JsonObject => {
  const sinceMs = realClock.now() - nowMs;
  const moved = (_: string, time: string, fraction = ''): string => {
    const then = new Date(Date.parse(`${time}Z`) + sinceMs);
    return `"${then.toISOString().slice(0, 19)}${fraction}Z"`;
  };
  return JSON.parse(JSON.stringify(object).replaceAll(TIME, moved));
};

const ownersOf = ({ ownerReferences }: JsonObject): JsonObject =>
  Array.isArray(ownerReferences)
    ? { ownerReferences: ownerReferences.map((owner) => ({ ...(owner as JsonObject), uid: 'u' })) }
    : {};

const createdObjects: (readonly [ResourceKind, ObjectRef])[] = [];

const create = async (kind: ResourceKind, object: JsonObject): Promise<void> => {
  const ownMetadata = object.metadata as JsonObject & { readonly name: string };
  const ref = { ...placeOf(kind), name: ownMetadata.name };
  // Events are there in both groups, and one namespace always is.
  if ((await getOrUndefined(peer, kind, ref)) !== undefined) return;
  const metadata = { ...ownMetadata, ...ownersOf(ownMetadata), ...placeOf(kind) };
  // A Job gets labels of its own, unless it says that it has some.
  const job = { spec: { ...(object.spec as JsonObject), manualSelector: true } };
  const body = { ...object, metadata, ...(kind.kind === 'Job' ? job : {}) };
  const { resourceVersion } = (await peer.create(kind, body as never)).metadata;
  createdObjects.push([kind, ref]);
  if (object.status === undefined) return;
  const next = { ...body, metadata: { ...metadata, resourceVersion } };
  await peer.update(kind, next as never, { subresource: 'status' });
};

const tableOf = async (kind: ResourceKind): Promise<Table> => {
  const path = resourcePath(kind, placeOf(kind));
  const answer = await rawPeer.send({ method: 'GET', path, accept: TABLE });
  return (await answer.json()) as Table;
};

const record = async (before: Recording): Promise<Recording> => {
  const { group, plural, nowMs, rows } = before;
  const kind = serverResources().find((one) => one.group === group && one.plural === plural);
  if (kind === undefined) throw new Error(`no built-in kind ${plural}.${group}`);
  for (const { object } of rows) await create(kind, asOfNow(object, nowMs));
  const { columnDefinitions, rows: shown } = await tableOf(kind);
  const rowOf = ({ object, cells: told }: Row): Row => {
    const { name } = object.metadata as { readonly name: string };
    const row = shown.find((one) => one.object.metadata.name === name);
    const cells = row?.cells.map((cell, index) =>
      AGES.has(columnDefinitions[index]?.name ?? '') ? (told?.[index] ?? cell) : cell,
    );
    return { object, ...(cells === undefined ? {} : { cells }) };
  };
  const columns = columnDefinitions.map(
    ({ name, type, format, priority }) => `${name}|${type}|${format}|${priority}`,
  );
  return { ...before, columns, rows: rows.map(rowOf) };
};

const recordings: Recording[] = [];
try {
  for (const before of JSON.parse(readFileSync(FILE, 'utf8')))
    recordings.push(await record(before));
} finally {
  for (const [kind, ref] of createdObjects.toReversed()) {
    await peer.delete(kind, ref, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  }
}
writeFileSync(FILE, JSON.stringify(recordings));
