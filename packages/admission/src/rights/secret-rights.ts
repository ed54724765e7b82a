import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import type { NeededRight } from './needed-rights.ts';
import { type NamedSecret, releasedSecrets } from './secret-uses.ts';

const BECAUSE =
  'whoever names a Secret, or changes where its content goes, must be allowed to read it';

const toRead = ({ namespace, name }: NamedSecret): string => {
  const where = namespace === '' ? 'in every namespace' : `in the namespace ${goQuote(namespace)}`;
  return name === '' ? `list Secrets ${where}` : `get the Secret ${goQuote(name)} ${where}`;
};

/** The control plane uses a Secret for whoever names it: nobody gets it to use what they may not read. */
export const secretRights = (
  kind: { readonly group: string; readonly plural: string },
  object: JsonObject,
  old: JsonObject | undefined,
): readonly NeededRight[] =>
  releasedSecrets(kind, object, old).map((secret) => ({
    field: secret.field,
    verb: secret.name === '' ? 'list' : 'get',
    apiGroup: '',
    apiVersion: 'v1',
    resource: 'secrets',
    namespace: secret.namespace,
    name: secret.name,
    because: BECAUSE,
    toDo: toRead(secret),
  }));
