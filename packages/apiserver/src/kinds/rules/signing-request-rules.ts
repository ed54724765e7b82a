import { type FieldError, forbidden, invalid } from '@perigee/api/errors';
import type { JsonObject } from '@perigee/api/json';
import { objectAt, objectsAt } from '../fields.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

const FIELD = 'status.conditions';
const DECISIONS = ['Approved', 'Denied', 'Failed'];

const typesIn = (object: JsonObject): readonly string[] =>
  objectsAt(objectAt(object, 'status'), 'conditions').map(({ type }) => String(type));

/** Decisions stay, and only those who approve take them. */
const checkDecisions = (
  object: JsonObject,
  old: JsonObject,
  subresource: string | undefined,
): readonly FieldError[] => {
  const [now, before] = [typesIn(object), typesIn(old)];
  const mayAdd = subresource === 'approval' ? ['Approved', 'Denied', 'Failed'] : ['Failed'];
  return DECISIONS.flatMap((type) => {
    if (before.includes(type) && !now.includes(type)) {
      const why = `updates may not remove a condition of type ${JSON.stringify(type)}`;
      return [forbidden(FIELD, why)];
    }
    if (!before.includes(type) && now.includes(type) && !mayAdd.includes(type)) {
      const why = `updates may not add a condition of type ${JSON.stringify(type)}`;
      return [forbidden(FIELD, why)];
    }
    return [];
  });
};

const signingRequest: KindRule = (object, old, subresource) => {
  if (old === undefined) return [];
  const types = typesIn(object);
  const isTorn = types.includes('Approved') && types.includes('Denied');
  return [
    ...checkDecisions(object, old, subresource),
    ...(isTorn
      ? [invalid(FIELD, 'Denied', 'Approved and Denied conditions are mutually exclusive')]
      : []),
  ];
};

export const SIGNING_REQUEST_RULES: KindRules = [
  ['certificates.v1.CertificateSigningRequest', signingRequest],
];
