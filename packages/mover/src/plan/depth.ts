import { MoveError } from '../errors.ts';

/** Each folder on the way down is open; a tree that is deeper than this is likely a mistake. */
const DEEPEST = 256;

export const assertNotTooDeep = (depth: number, path: string): void => {
  if (depth <= DEEPEST) return;
  throw new MoveError('TooDeep', `the tree is more than ${DEEPEST} folders deep`, path);
};
