import { oneOf } from '@perigee/schema/structural/builder';
import type { StoredOf } from '@perigee/schema/structural/schema';

/** How the copy of a resource in one cluster is doing. */
export const resourceHealth = () =>
  oneOf('Whether the copy does its work; Unknown for kinds that nobody knows how to judge.', [
    'Healthy',
    'Unhealthy',
    'Unknown',
  ]);

export type ResourceHealth = StoredOf<ReturnType<typeof resourceHealth>>;
