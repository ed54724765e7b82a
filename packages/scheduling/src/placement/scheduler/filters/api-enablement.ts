import type { Filter } from '../filter.ts';

const REFUSAL = {
  filter: 'APIEnablement',
  reason: 'ApiNotServed',
  message: 'cluster(s) did not have the API resource',
};

/** New work only goes where its kind is served; placed work stays, as the API may come back. */
export const apiEnablement: Filter = {
  name: REFUSAL.filter,
  reasons: [REFUSAL.reason],
  prepare:
    ({ api, previous }) =>
    ({ name, apis }) =>
      apis.has(api) || previous.has(name) ? undefined : REFUSAL,
};
