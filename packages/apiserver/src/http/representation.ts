import type { JsonObject } from '@perigee/api/json';
import { encodeReply } from '../codec/negotiate/encode-reply.ts';
import type { ReplyFormat } from '../codec/negotiate/reply-format.ts';
import { wantsPretty } from '../codec/negotiate/wants-pretty.ts';
import { formOf } from '../registry/object-form.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Entry } from '../store/store.ts';
import {
  type MetaVersion,
  toPartialMetadata,
  toPartialMetadataList,
} from '../table/partial-metadata.ts';
import { type IncludeObject, readIncludeObject, toTable } from '../table/to-table.ts';
import { type Exchange, headerOf } from './exchange.ts';
import type { Reply } from './reply.ts';

/** How objects of a resource are shown to one client. */
export interface Representation {
  readonly resource: ServedResource;
  readonly format: ReplyFormat;
  readonly isPretty: boolean;
  readonly includeObject: IncludeObject;
  readonly nowMs: number;
}

export const representationFor = (
  exchange: Exchange,
  resource: ServedResource,
  format: ReplyFormat,
  nowMs: number,
): Representation => ({
  resource,
  format,
  isPretty:
    format.isPretty || wantsPretty(exchange.query.get('pretty'), headerOf(exchange, 'user-agent')),
  includeObject: readIncludeObject(exchange.query.get('includeObject')),
  nowMs,
});

/** One object as the client wants it. Tables of a watch leave out what the first has said. */
export const showObject = (
  { resource, format, includeObject, nowMs }: Representation,
  object: JsonObject,
  withDefinitions = true,
): JsonObject => {
  if (format.as === undefined) return object;
  const version = format.as.version as MetaVersion;
  if (format.as.kind !== 'Table') return toPartialMetadata(object, version);
  const { resourceVersion = '' } = object.metadata as { readonly resourceVersion?: string };
  const metadata = { resourceVersion };
  const rows = { nowMs, includeObject, withDefinitions, version, metadata };
  return toTable(resource, [object], rows);
};

const encoded = (view: Representation, value: JsonObject): Reply => {
  const { encoding, contentType } = view.format;
  return { contentType, parts: [encodeReply(value, { encoding, isPretty: view.isPretty })] };
};

export const objectReply = (view: Representation, object: JsonObject): Reply =>
  encoded(view, showObject(view, object));

/** The list as it would be if it were put together from objects rather than from their bytes. */
const listOf = (
  view: Representation,
  entries: readonly Entry[],
  metadata: JsonObject,
): JsonObject => {
  const { resource, format, includeObject, nowMs } = view;
  const objects = entries.map(formOf(resource).read);
  if (format.as === undefined) return { ...listHead(resource), metadata, items: objects };
  const version = format.as.version as MetaVersion;
  return format.as.kind === 'Table'
    ? toTable(resource, objects, { nowMs, includeObject, version, metadata })
    : toPartialMetadataList(objects, metadata, version);
};

const listHead = ({ group, version, listKind }: ServedResource): JsonObject => ({
  kind: listKind,
  apiVersion: group === '' ? version : `${group}/${version}`,
});

/** Made one by one: to look into thousands of objects at once would hold up everybody else. */
function* listParts(
  resource: ServedResource,
  head: string,
  entries: readonly Entry[],
): Generator<string | Buffer> {
  const { bytesOf } = formOf(resource);
  yield head;
  for (const [index, entry] of entries.entries()) {
    if (index > 0) yield ',';
    yield bytesOf(entry);
  }
  yield ']}\n';
}

/** A list; one that goes out as it is stored is made of the stored bytes. */
export const listReply = (
  view: Representation,
  entries: readonly Entry[],
  metadata: JsonObject,
): Reply => {
  const { resource, format, isPretty } = view;
  if (format.as !== undefined || format.encoding !== 'json' || isPretty) {
    return encoded(view, listOf(view, entries, metadata));
  }
  const head = JSON.stringify({ ...listHead(resource), metadata }).slice(0, -1);
  return {
    contentType: format.contentType,
    parts: listParts(resource, `${head},"items":[`, entries),
    estimatedBytes: entries.reduce((sum, { bytes }) => sum + bytes.length + 1, head.length),
  };
};
