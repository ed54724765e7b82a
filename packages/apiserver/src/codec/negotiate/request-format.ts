import { unsupportedMediaType } from '../../status/request-refusals.ts';
import { parseMediaType } from './media-type.ts';

export type BodyFormat = 'json' | 'yaml' | 'protobuf';
export type PatchFormat = 'json-patch' | 'merge-patch' | 'strategic-merge-patch' | 'apply-patch';

const BODY_FORMATS: ReadonlyMap<string, BodyFormat> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf', 'protobuf'],
]);

const PATCH_FORMATS: ReadonlyMap<string, PatchFormat> = new Map([
  ['application/json-patch+json', 'json-patch'],
  ['application/merge-patch+json', 'merge-patch'],
  ['application/strategic-merge-patch+json', 'strategic-merge-patch'],
  ['application/apply-patch+yaml', 'apply-patch'],
]);

/** Format of the body of a request; JSON by default. Throws a 415. */
export const bodyFormat = (contentType: string | undefined): BodyFormat => {
  if (contentType === undefined || contentType === '') return 'json';
  const format = BODY_FORMATS.get(parseMediaType(contentType)?.type ?? '');
  if (format !== undefined) return format;
  throw unsupportedMediaType([...BODY_FORMATS.keys()]);
};

/**
 * Type of the patch in the body of a PATCH. A strategic merge needs the schema of a built-in kind; for other kinds
 * clients fall back on a 415.
 */
export const patchFormat = (
  contentType: string | undefined,
  origin: 'built-in' | 'crd',
): PatchFormat => {
  const supportedFormats = [...PATCH_FORMATS].filter(
    ([, format]) => format !== 'strategic-merge-patch' || origin === 'built-in',
  );
  const type = parseMediaType(contentType ?? '')?.type;
  const matchingFormat = supportedFormats.find(([mediaType]) => mediaType === type);
  if (matchingFormat !== undefined) return matchingFormat[1];
  throw unsupportedMediaType(supportedFormats.map(([mediaType]) => mediaType));
};
