import type { ServedResource } from '../resource/served-resource.ts';
import type { Entry } from '../store/store.ts';
import type { CommitRequest, Decision } from './commit.ts';
import { formOf } from './object-form.ts';
import type { Registry } from './registry.ts';

/** Sends the warnings of a kind for an object to the client, after the object was accepted. */
export const warnOf = (
  { caller }: Registry,
  resource: ServedResource,
  { operation, subresource }: CommitRequest,
  { object }: Pick<Decision, 'object'>,
  present: Entry | undefined,
): void => {
  const { warnings } = resource.strategy;
  if (caller === undefined || warnings === undefined) return;
  if (operation === 'DELETE') return;
  const old = present && formOf(resource).read(present);
  for (const text of warnings(object, old, subresource)) caller.warn(text);
};
