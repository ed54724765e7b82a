import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import type { KindRule, KindRules } from './kind-rule.ts';
import { pemBlocks } from './pem.ts';
import { checkSigningRequest } from './signing-request-spec.ts';

const FIELD = 'status.conditions';
const DECISIONS = ['Approved', 'Denied', 'Failed'];

const typesIn = (object: JsonObject): readonly string[] =>
  objectsAt(objectAt(object, 'status'), 'conditions').map(({ type }) => String(type));

/** Decisions stay, and only approvers make them. */
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

const EXCLUSIVE = ['Approved', 'Denied'];

const checkConditions = (object: JsonObject): readonly FieldError[] => {
  const types = new Set<string>();
  return objectsAt(objectAt(object, 'status'), 'conditions').flatMap((condition, index) => {
    const [type, status] = [textAt(condition, 'type'), textAt(condition, 'status')];
    const field = `${FIELD}[${index}]`;
    const allowedStatuses = DECISIONS.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    const isTorn =
      EXCLUSIVE.includes(type) && EXCLUSIVE.some((other) => other !== type && types.has(other));
    const errors = [
      ...(type === '' ? [required(`${field}.type`)] : []),
      ...(status === '' ? [required(`${field}.status`)] : []),
      ...(status !== '' && !allowedStatuses.includes(status)
        ? [notSupported(`${field}.status`, status, allowedStatuses)]
        : []),
      ...(isTorn
        ? [invalid(FIELD, type, 'Approved and Denied conditions are mutually exclusive')]
        : []),
      ...(types.has(type) ? [duplicate(`${field}.type`, type)] : []),
    ];
    types.add(type);
    return errors;
  });
};

const checkCertificate = (object: JsonObject): readonly FieldError[] => {
  const certificate = textAt(objectAt(object, 'status'), 'certificate');
  if (certificate === '') return [];
  const blocks = pemBlocks(Buffer.from(certificate, 'base64').toString('latin1'));
  const other = blocks.find(({ type }) => type !== 'CERTIFICATE')?.type;
  const wrong = (why: string) => [invalid('status.certificate', '<certificate data>', why)];
  if (other !== undefined) {
    return wrong(`only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(other)}`);
  }
  return blocks.length === 0 ? wrong('must contain at least one CERTIFICATE PEM block') : [];
};

const signingRequest: KindRule = (object, old, subresource) => {
  if (old === undefined) return checkSigningRequest(objectAt(object, 'spec'));
  if (subresource === undefined) return [];
  return [
    ...checkConditions(object),
    ...checkCertificate(object),
    ...checkDecisions(object, old, subresource),
  ];
};

export const SIGNING_REQUEST_RULES: KindRules = [
  ['certificates.v1.CertificateSigningRequest', signingRequest],
];
