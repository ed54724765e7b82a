import { createHash } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@perigee/api/json';
import { isSystemMark } from '@perigee/api/values/system-marks';
import type { Template } from './desired-binding.ts';

/** The annotation of a binding that says which version of its template it is about. */
export const TEMPLATE_DIGEST = 'policy.perigee.io/template-digest';

const words = (all: { readonly [key: string]: string } | undefined) =>
  Object.entries(all ?? {})
    .filter(([key]) => !isSystemMark(key))
    .sort();

/** The same for objects that differ only in the order of their fields. */
const ordered = (value: JsonValue | undefined): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, ordered(value[key])]);
};

/**
 * Tells versions of a template apart by what its users wrote, wishes such as `retain-replicas` among it. What
 * the control plane writes, a mark or a status, does not count.
 */
export const templateDigest = (template: Template): string => {
  const { metadata, status: _, ...content } = template;
  const written = [words(metadata.labels), words(metadata.annotations), ordered(content)];
  return createHash('sha256').update(JSON.stringify(written)).digest('hex').slice(0, 32);
};
