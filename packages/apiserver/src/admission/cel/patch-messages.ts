import type { Messages } from '@perigee/schema/cel/messages';
import { type CelType, DYN, STRING } from '@perigee/schema/cel/types';

const OPERATION: ReadonlyMap<string, CelType> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

const OBJECT = /^Object(?:\.|$)/;

/** What expressions of mutations make: `JSONPatch`, and `Object` with a type for every path below it. */
export const patchMessages: Messages = (name) => {
  if (name === 'JSONPatch') return (field) => OPERATION.get(field);
  return OBJECT.test(name) ? () => DYN : undefined;
};
