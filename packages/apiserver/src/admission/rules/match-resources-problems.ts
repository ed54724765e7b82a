import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectsAt } from '@perigee/schema/json-fields';
import { operationRuleProblems } from './operation-rule-problems.ts';

/** Problems of the `matchConstraints` of a policy or the `matchResources` of a binding. */
export const matchResourcesProblems = (match: JsonObject, path: string): readonly FieldError[] => [
  ...['resourceRules', 'excludeResourceRules'].flatMap((name) =>
    objectsAt(match, name).flatMap((rule, index) =>
      operationRuleProblems(rule, `${path}.${name}[${index}]`),
    ),
  ),
];
