import { RegistrationError } from '../errors.ts';

/** A reference to a cluster: by name, by id, or by a text that can be either. */
export type ClusterRef =
  | { readonly name: string }
  | { readonly id: string }
  | { readonly nameOrId: string };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NAME = /^[a-z0-9]([-a-z0-9]{0,46}[a-z0-9])?$/;

const quoted = (text: string): string => JSON.stringify(text);

const requireId = (id: string): string => {
  if (UUID.test(id)) return id.toLowerCase();
  throw new RegistrationError('BadReference', `${quoted(id)} is no cluster id: ids are UUIDs`);
};

const requireName = (name: string): string => {
  if (NAME.test(name)) return name;
  throw new RegistrationError(
    'BadReference',
    `${quoted(name)} cannot be the name of a cluster: names are lower-case letters, digits and dashes, at most 48 of them`,
  );
};

/**
 * The look-ups to try, in order. Throws a `RegistrationError` for a text that is neither a valid name nor a
 * valid id.
 */
export const lookupsFor = (
  ref: ClusterRef,
): readonly ({ readonly name: string } | { readonly id: string })[] => {
  if ('id' in ref) return [{ id: requireId(ref.id) }];
  if ('name' in ref) return [{ name: requireName(ref.name) }];
  const { nameOrId } = ref;
  // A UUID is also a valid name, though an unlikely one: try it as an id first.
  if (!UUID.test(nameOrId)) return [{ name: requireName(nameOrId) }];
  const byId = { id: requireId(nameOrId) };
  return NAME.test(nameOrId) ? [byId, { name: nameOrId }] : [byId];
};

/** The cluster's description in error messages. */
export const describeRef = (ref: ClusterRef): string => {
  if ('id' in ref) return `cluster with the id ${quoted(ref.id)}`;
  if ('name' in ref) return `cluster named ${quoted(ref.name)}`;
  return `cluster with the name or id ${quoted(ref.nameOrId)}`;
};
