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
 * Something that the server itself does to objects before anybody else sees them. Gives the very same
 * object when there is nothing to do, and throws an `ApiError` to refuse it. It is asked again whenever
 * the write is decided again, so that it must not do anything else.
 */
export type AdmissionStep = (registry: Registry, draft: Draft) => JsonObject;
