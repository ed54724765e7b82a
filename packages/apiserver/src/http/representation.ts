import type { JsonObject } from '@perigee/schema/json';
import { encodeReply } from '../codec/negotiate/encode-reply.ts';
import type { ReplyFormat } from '../codec/negotiate/reply-format.ts';
import { wantsPretty } from '../codec/negotiate/wants-pretty.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { storedJson } from '../store/entry.ts';
import { type MetaVersion, toPartialMetadata } from '../table/partial-metadata.ts';
import { type IncludeObject, readIncludeObject, toTable } from '../table/to-table.ts';
import { type Exchange, headerOf } from './exchange.ts';
import type { Reply } from './reply.ts';

/** Representation of the objects of a resource for one client. */
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

/** One object in the negotiated form. Tables of a watch omit the column definitions after the first. */
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

const LINE_END = Buffer.from('\n');

export const objectReply = (view: Representation, object: JsonObject): Reply => {
  const { as, encoding, contentType } = view.format;
  const isStoredForm = as === undefined && encoding === 'json' && !view.isPretty;
  const storedBytes = isStoredForm ? storedJson(object) : undefined;
  if (storedBytes !== undefined) return { contentType, parts: [storedBytes, LINE_END] };
  const shownObject = showObject(view, object);
  return { contentType, parts: [encodeReply(shownObject, { encoding, isPretty: view.isPretty })] };
};
