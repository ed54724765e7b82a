import type { JsonObject } from '@perigee/api/json';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Registry } from './registry.ts';

/** Tells whoever writes an object what is odd about it. */
export const warnOf = (
  { caller }: Registry,
  { strategy }: ServedResource,
  object: JsonObject,
  old?: JsonObject,
  subresource?: string,
): void => {
  if (caller === undefined || strategy.warnings === undefined) return;
  for (const text of strategy.warnings(object, old, subresource)) caller.warn(text);
};
