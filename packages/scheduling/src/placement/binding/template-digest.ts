import { createHash } from 'node:crypto';
import { isSystemMark } from '@perigee/api/values/system-marks';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import type { Template } from './desired-binding.ts';

/** Annotation with the digest of the template version that the binding describes. */
export const TEMPLATE_DIGEST = 'policy.perigee.io/template-digest';

const words = (all: { readonly [key: string]: string } | undefined) =>
  Object.entries(all ?? {})
    .filter(([key]) => !isSystemMark(key))
    .sort();

/** Sorts fields, so that their order does not matter. */
const withSortedKeys = (value: JsonValue | undefined): unknown => {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, withSortedKeys(value[key])]);
};

const digests = new WeakMap<Template, string>();

/**
 * Digest of what users wrote into a template, including annotations such as `retain-replicas`.
 * Marks and status, which the control plane writes, do not count.
 */
export const templateDigest = (template: Template): string => {
  const knownDigest = digests.get(template);
  if (knownDigest !== undefined) return knownDigest;
  const digest = digestOf(template);
  digests.set(template, digest);
  return digest;
};

const digestOf = (template: Template): string => {
  const { metadata, status: _, ...content } = template;
  const digestInput = [
    words(metadata.labels),
    words(metadata.annotations),
    withSortedKeys(content),
  ];
  return createHash('sha256').update(JSON.stringify(digestInput)).digest('hex').slice(0, 32);
};
