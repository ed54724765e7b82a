import type { ObjectRef } from './client.ts';

interface Named {
  readonly metadata: Partial<ObjectRef>;
}

/** By which name a client finds the object again. */
export const refOf = ({ metadata: { namespace, name = '' } }: Named): ObjectRef =>
  namespace === undefined ? { name } : { namespace, name };
