import { commandReference } from './command-reference.ts';
import { kindReference } from './kind-reference.ts';
import { reasonReference } from './reason-reference.ts';

/** The text of every generated page by its name below docs/reference. */
export const referencePages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ...kindReference(),
    ['reasons.md', reasonReference()],
    ['commands.md', await commandReference()],
  ]);
