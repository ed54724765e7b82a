import type { Score } from '../filter.ts';

/** Prefers clusters with data that the work could also read remotely. */
export const dataPreference: Score = {
  name: 'DataPreference',
  prepare: ({ preferred }) =>
    preferred === undefined
      ? undefined
      : ({ name }) => (Object.hasOwn(preferred, name) ? (preferred[name] ?? 0) : 0),
};
