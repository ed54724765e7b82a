import type { JsonObject } from '@perigee/schema/json';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';

/** An object on its way into the store. */
export interface Draft {
  readonly resource: ServedResource;
  readonly object: JsonObject;
  /** The replaced object; absent for a new one. */
  readonly old?: JsonObject;
  readonly subresource?: string;
}

/**
 * A built-in admission step, which runs before webhooks. Returns the very same object if nothing changes, and
 * throws an `ApiError` to refuse it. It runs again with every retry of the write, so it must have no side effects.
 */
export type AdmissionStep = (registry: Registry, draft: Draft) => JsonObject;
