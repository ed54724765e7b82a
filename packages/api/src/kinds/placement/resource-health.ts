import { oneOf } from '../../schema/builder.ts';
import type { StoredOf } from '../../schema/schema.ts';

/** How the copy of a resource in one cluster is doing. */
export const resourceHealth = () =>
  oneOf('Whether the copy does its work; Unknown for kinds that nobody knows how to judge.', [
    'Healthy',
    'Unhealthy',
    'Unknown',
  ]);

export type ResourceHealth = StoredOf<ReturnType<typeof resourceHealth>>;
