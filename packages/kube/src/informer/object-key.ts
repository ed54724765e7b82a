import type { ObjectRef } from '../client/client.ts';

/** `namespace/name`, or just the name of an object that has no namespace. */
export const objectKey = ({ namespace, name }: ObjectRef): string =>
  namespace ? `${namespace}/${name}` : name;
