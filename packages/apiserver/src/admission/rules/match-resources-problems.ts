import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectsAt } from '@perigee/schema/json-fields';
import { operationRuleProblems } from './operation-rule-problems.ts';

/** What is wrong with the part of a policy or a binding that says which requests are meant. */
export const matchResourcesProblems = (match: JsonObject, path: string): readonly FieldError[] => [
  ...['resourceRules', 'excludeResourceRules'].flatMap((name) =>
    objectsAt(match, name).flatMap((rule, index) =>
      operationRuleProblems(rule, `${path}.${name}[${index}]`),
    ),
  ),
];
