import { goQuote } from '@perigee/api/schema/go-text';
import type { ResourceAttributes, UserInfo } from '../../rbac/attributes.ts';
import type { NamedSecret } from './secret-uses.ts';

/** The wish that somebody must be granted who lets a Secret out. */
export const wishToRead = (
  user: UserInfo,
  { namespace, name }: NamedSecret,
): ResourceAttributes => ({
  user,
  verb: name === '' ? 'list' : 'get',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'secrets',
  subresource: '',
  name,
  namespace,
});

const whichSecret = ({ namespace, name }: NamedSecret): string => {
  const where = namespace === '' ? 'in every namespace' : `in the namespace ${goQuote(namespace)}`;
  return name === '' ? `list Secrets ${where}` : `get the Secret ${goQuote(name)} ${where}`;
};

/** Why a write is refused that lets out a Secret that its author may not read. */
export const mayNotRead = ({ name }: UserInfo, secret: NamedSecret): string =>
  `${secret.field}: whoever names a Secret, or changes where its content goes, must be allowed to read it, and user ${goQuote(name)} cannot ${whichSecret(secret)}`;

/** Each Secret once, however often it is named: an object may name one thousands of times. */
export const distinctSecrets = (secrets: readonly NamedSecret[]): readonly NamedSecret[] => [
  ...new Map(secrets.map((one) => [JSON.stringify([one.namespace, one.name]), one])).values(),
];
