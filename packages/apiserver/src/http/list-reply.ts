import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { Clock } from '@perigee/kube/clock/clock';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { encodeReply } from '../codec/negotiate/encode-reply.ts';
import { listEncoding } from '../codec/negotiate/list-encoding.ts';
import { entrySlices, fitsInOne, WRITE_SLICE, YAML_SLICE } from '../registry/entry-slices.ts';
import { formOf } from '../registry/object-form.ts';
import type { Entry } from '../store/store.ts';
import { type MetaVersion, toPartialMetadataList } from '../table/partial-metadata.ts';
import { toTable } from '../table/to-table.ts';
import type { Reply } from './reply.ts';
import type { Representation } from './representation.ts';

const encodingOf = ({ format, isPretty }: Representation) => ({
  encoding: format.encoding,
  isPretty,
});

const sliceOf = ({ format }: Representation) =>
  format.encoding === 'yaml' ? YAML_SLICE : WRITE_SLICE;

/** The list as it would be if it were put together from objects rather than from their bytes. */
const listOf = (
  { resource, format, includeObject, nowMs }: Representation,
  entries: readonly Entry[],
  metadata: JsonObject,
): JsonObject => {
  const items = entries.map(formOf(resource).read);
  if (format.as === undefined) {
    return { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata, items };
  }
  const version = format.as.version as MetaVersion;
  return format.as.kind === 'Table'
    ? toTable(resource, items, { nowMs, includeObject, version, metadata })
    : toPartialMetadataList(items, metadata, version);
};

const storedBytes = ({ resource }: Representation, slice: readonly Entry[], separator: Buffer) => {
  const { bytesOf } = formOf(resource);
  return Buffer.concat(
    slice.flatMap((entry, at) => (at === 0 ? [bytesOf(entry)] : [separator, bytesOf(entry)])),
  );
};

/** The parts of a list that is not empty, each of which takes little time to make. */
function* listParts(
  view: Representation,
  entries: readonly Entry[],
  metadata: JsonObject,
): Generator<Buffer> {
  const { format, isPretty } = view;
  const field = format.as?.kind === 'Table' ? 'rows' : 'items';
  const { [field]: _, ...head } = listOf(view, [], metadata);
  const list = listEncoding(head, field, encodingOf(view));
  const separator = Buffer.from(list.separator);
  const isStoredForm = format.as === undefined && format.encoding === 'json' && !isPretty;
  const encodeSlice = (slice: readonly Entry[]): Buffer =>
    isStoredForm
      ? storedBytes(view, slice, separator)
      : Buffer.from(list.items(listOf(view, slice, metadata)[field] as readonly JsonValue[]));
  let before = Buffer.from(list.start);
  for (const slice of entrySlices(entries, sliceOf(view))) {
    yield Buffer.concat([before, encodeSlice(slice)]);
    before = separator;
  }
  yield Buffer.from(list.end);
}

/** Yields to other requests before each part. */
async function* inTurns<T>(clock: Clock, parts: Iterable<T>): AsyncGenerator<T> {
  for (const part of parts) {
    yield part;
    await clock.yield();
  }
}

/**
 * A list. In the stored form it is concatenated from the stored bytes; a long one is encoded in pieces while it is
 * sent.
 */
export const listReply = (
  view: Representation,
  entries: readonly Entry[],
  metadata: JsonObject,
  clock: Clock,
): Reply => {
  const { contentType } = view.format;
  if (entries.length === 0) {
    return { contentType, parts: [encodeReply(listOf(view, [], metadata), encodingOf(view))] };
  }
  const parts = listParts(view, entries, metadata);
  if (fitsInOne(entries, sliceOf(view))) return { contentType, parts: [...parts] };
  const estimatedBytes = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return { contentType, parts: inTurns(clock, parts), estimatedBytes };
};
