import { oneOf } from '@perigee/schema/structural/builder';
import type { StoredOf } from '@perigee/schema/structural/schema';

/** Health of the copy of a resource in one cluster. */
export const resourceHealth = () =>
  oneOf('Whether the copy does its work; Unknown for kinds that nobody knows how to judge.', [
    'Healthy',
    'Unhealthy',
    'Unknown',
  ]);

export type ResourceHealth = StoredOf<ReturnType<typeof resourceHealth>>;
