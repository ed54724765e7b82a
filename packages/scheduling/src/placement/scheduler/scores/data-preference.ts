import type { Score } from '../filter.ts';

/** Work would rather run where the data is that it may also read from afar. */
export const dataPreference: Score = {
  name: 'DataPreference',
  prepare: ({ preferred }) =>
    preferred === undefined
      ? undefined
      : ({ name }) => (Object.hasOwn(preferred, name) ? (preferred[name] ?? 0) : 0),
};
