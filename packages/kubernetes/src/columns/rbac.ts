import type { JsonObject } from '@perigee/schema/json';
import { age, text, wide } from './column.ts';
import { listAt, textAt } from './fields.ts';

const subjects =
  (kind: string, format: (subject: JsonObject) => string) =>
  (binding: JsonObject): string =>
    listAt(binding, 'subjects')
      .filter((subject) => subject.kind === kind)
      .map(format)
      .join(', ');

const nameOf = (subject: JsonObject): string => textAt(subject, 'name');

/** Roles themselves have no columns but their age. */
export const bindingColumns = [
  text(
    'Role',
    'What the subjects may do.',
    (binding) => `${textAt(binding, 'roleRef', 'kind')}/${textAt(binding, 'roleRef', 'name')}`,
  ),
  age,
  wide('Users', 'The users that it is given to.', subjects('User', nameOf)),
  wide('Groups', 'The groups that it is given to.', subjects('Group', nameOf)),
  wide(
    'ServiceAccounts',
    'The service accounts that it is given to.',
    subjects('ServiceAccount', (subject) => `${textAt(subject, 'namespace')}/${nameOf(subject)}`),
  ),
];
