import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import type { Strategy } from '../resource/strategy.ts';
import { storedElsewhere } from './conversions/stored-elsewhere.ts';
import { API_SERVICE_RULES } from './rules/api-service-rules.ts';
import { CONFIG_RULES } from './rules/config-rules.ts';
import { EVENT_RULES } from './rules/event-rules.ts';
import { JOB_KIND_RULES, JOB_RULES } from './rules/job-rules.ts';
import { NETWORKING_KIND_RULES, NETWORKING_RULES } from './rules/networking-rules.ts';
import { NODE_RULES } from './rules/node-rules.ts';
import { POD_RULES } from './rules/pod-rules.ts';
import { podUpdateRule } from './rules/pod-update-rule.ts';
import { POLICY_RULES } from './rules/policy-rules.ts';
import { RBAC_RULES } from './rules/rbac-rules.ts';
import { SERVICE_RULES } from './rules/service-rules.ts';
import { SIGNING_REQUEST_RULES } from './rules/signing-request-rules.ts';
import { STORAGE_KIND_RULES, STORAGE_RULES } from './rules/storage-rules.ts';
import { WORKLOAD_RULES } from './rules/workload-rules.ts';
import { WORKLOAD_STATUS_RULES } from './rules/workload-status-rules.ts';
import { typeRules } from './type-rules.ts';

const TYPE_RULES = new Map([...POD_RULES, ...JOB_RULES, ...STORAGE_RULES, ...NETWORKING_RULES]);

const KIND_RULES = new Map([
  ['core.v1.Pod', podUpdateRule] as const,
  ...WORKLOAD_RULES,
  ...JOB_KIND_RULES,
  ...CONFIG_RULES,
  ...NODE_RULES,
  ...STORAGE_KIND_RULES,
  ...SERVICE_RULES,
  ...NETWORKING_KIND_RULES,
  ...RBAC_RULES,
  ...POLICY_RULES,
  ...EVENT_RULES,
  ...SIGNING_REQUEST_RULES,
  ...API_SERVICE_RULES,
]);

const STATUS_RULES = new Map(WORKLOAD_STATUS_RULES);

/**
 * The pods of a stateful set have a volume for each claim that it makes for them. The claims themselves
 * are checked once: they cannot change, and what was stored stays good.
 */
const withClaimedVolumes = (object: JsonObject, isNew: boolean): JsonObject => {
  const spec = objectAt(object, 'spec');
  const claims = objectsAt(spec, 'volumeClaimTemplates');
  if (claims.length === 0) return object;
  const template = objectAt(spec, 'template');
  const pod = objectAt(template, 'spec');
  const claimNames = claims.map((claim) => textAt(objectAt(claim, 'metadata'), 'name'));
  const volumes = [
    ...claimNames.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...objectsAt(pod, 'volumes').filter((volume) => !claimNames.includes(textAt(volume, 'name'))),
  ];
  const { volumeClaimTemplates, ...rest } = spec;
  const checked = isNew ? { volumeClaimTemplates } : {};
  return {
    ...object,
    spec: { ...rest, ...checked, template: { ...template, spec: { ...pod, volumes } } },
  };
};

/** Validation of kube-apiserver for the objects of a built-in type, beyond their schema. */
export const validateBuiltin = (typeName: string): NonNullable<Strategy['validate']> => {
  const elsewhere = storedElsewhere(typeName);
  const check = typeRules(elsewhere?.type ?? typeName, TYPE_RULES);
  const checkKind = KIND_RULES.get(typeName);
  const checkStatus = STATUS_RULES.get(typeName);
  const validate: NonNullable<Strategy['validate']> = (object, old, subresource) => [
    ...check(withClaimedVolumes(object, old === undefined), ''),
    ...(checkKind?.(object, old, subresource) ?? []),
    ...(checkStatus?.(object, old, subresource) ?? []),
  ];
  if (elsewhere === undefined) return validate;
  const { toStored } = elsewhere.conversion;
  return (object, old, subresource) =>
    validate(toStored(object), old && toStored(old), subresource);
};
