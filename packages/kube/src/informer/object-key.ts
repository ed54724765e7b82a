import type { ObjectRef } from '../client/client.ts';

/** `namespace/name`, or just the name of an object that has no namespace. */
export const objectKey = ({ namespace, name }: ObjectRef): string =>
  namespace ? `${namespace}/${name}` : name;

/** The reference of an object, from its `objectKey`. */
export const refOfKey = (key: string): ObjectRef => {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};
