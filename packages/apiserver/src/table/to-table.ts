import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';
import { type MetaVersion, toPartialMetadata } from './partial-metadata.ts';
import { tableColumns } from './table-columns.ts';

/** Part of the object in each row, beside the cells. */
export type IncludeObject = 'Metadata' | 'Object' | 'None';

export interface TableOptions {
  readonly nowMs: number;
  readonly includeObject?: IncludeObject;
  /** False for all but the first table of a watch; true by default. */
  readonly withDefinitions?: boolean;
  readonly version?: MetaVersion;
  /** The metadata of the list, or of the object that the table is about. */
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly [key: string]: JsonObject[string];
  };
}

/** Reads the query parameter `includeObject`; throws a 400. */
export const readIncludeObject = (text: string | null | undefined): IncludeObject => {
  if (!text) return 'Metadata';
  if (text === 'Metadata' || text === 'Object' || text === 'None') return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
};

/** The table for `kubectl get`: a row for each object, with the columns of its kind. */
export const toTable = (
  resource: ServedResource,
  objects: readonly JsonObject[],
  {
    nowMs,
    includeObject = 'Metadata',
    withDefinitions = true,
    version = 'v1',
    metadata = {},
  }: TableOptions,
): JsonObject => {
  const { definitions, cells } = tableColumns(resource);
  const includedObject = (object: JsonObject): JsonObject | null => {
    if (includeObject === 'None') return null;
    return includeObject === 'Object' ? object : toPartialMetadata(object, version);
  };
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: withDefinitions ? definitions : null,
    rows: objects.map((object) => ({
      cells: cells(object, nowMs),
      object: includedObject(object),
    })),
  };
};
