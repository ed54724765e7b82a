import type { JsonObject } from '@perigee/schema/json';
import { badRequest } from '../status/request-refusals.ts';
import { metaOf } from './metadata.ts';

/** Refusal of an object without a name. */
export const unnamedError = (name: string): Error =>
  badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );

/** Refuses to write an object to a place that is not its own. */
export const checkTarget = (
  object: JsonObject,
  { name, namespace }: { readonly name: string; readonly namespace?: string },
): void => {
  const meta = metaOf(object);
  if (!meta.name) throw unnamedError(name);
  if (meta.name !== name) {
    throw badRequest(
      `the name of the object (${meta.name}) does not match the name on the URL (${name})`,
    );
  }
  if (meta.namespace && meta.namespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
};
