import { readFileSync } from 'node:fs';
import type { JsonObject } from '@perigee/schema/json';

/**
 * The body of the example in the design of the Global Resource Scheduler, but for what keeps it from being
 * JSON: typographic quotes, two surplus commas and a surplus brace. A name in it ends in a blank.
 */
export const SEED_FILE = new URL('seed-example.json', import.meta.url).pathname;

export const seedExample: JsonObject = JSON.parse(readFileSync(SEED_FILE, 'utf8'));

const { cluster_spec: spec } = seedExample.cluster_profile as { cluster_spec: JsonObject };
const { 'HomeDispatcher ': HomeDispatcher, ...others } = spec;

/** The spec as every answer shows it. */
export const seedSpec: JsonObject = { ...others, HomeDispatcher, type: 'kubernetes' };

export const profileOf = (
  name: string,
  spec: JsonObject = {},
  labels?: { readonly [key: string]: string },
): JsonObject => ({
  cluster_profile: {
    cluster_name: name,
    ...(labels === undefined ? {} : { cluster_labels: labels }),
    cluster_spec: spec,
  },
});
