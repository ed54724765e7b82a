import type { JsonObject } from '@perigee/api/json';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { formatTime } from '@perigee/api/values/time';
import { trackUpdate } from '../apply/track-update.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Registry } from './registry.ts';

/** Who writes when nobody says so. */
export const UNKNOWN_MANAGER = 'unknown';

export interface Tracking {
  readonly manager: string;
  readonly subresource?: string;
  /** The object that is replaced; absent for a new one. */
  readonly live?: JsonObject;
}

/** The object with the record of who owns which of its fields. */
export const tracked = (
  { clock }: Registry,
  resource: ServedResource,
  next: JsonObject,
  tracking: Tracking,
): JsonObject =>
  trackUpdate({
    ...tracking,
    next,
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    time: formatTime(clock.now()),
  });
