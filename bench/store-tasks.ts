/** Task of a process of the benchmark of the store; its answer is one number. */
export type StoreTask =
  | 'writes'
  | 'writes to a plain file'
  | 'list'
  | 'list by stringify'
  | 'fan-out'
  | 'memory'
  | 'memory of parsed objects'
  | 'fill'
  | 'start'
  | 'start from JSON lines';

export const WRITERS = 64;
export const LISTED = 5_000;
export const WATCHERS = 1_000;
export const OBJECTS = 100_000;
