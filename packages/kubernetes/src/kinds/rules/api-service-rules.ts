import { type FieldError, invalid, required } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, textAt } from '@perigee/schema/json-fields';
import { checkDns1035Label, checkDnsSubdomain } from '@perigee/schema/values/names';
import { inRange } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

type Errors = readonly FieldError[];

const nameProblems = (service: JsonObject, group: string, version: string): Errors => {
  const name = textAt(objectAt(service, 'metadata'), 'name');
  const requiredName = `${version}.${group}`;
  const why = `must be \`spec.version+"."+spec.group\`: "${requiredName}"`;
  return name === requiredName ? [] : [invalid('metadata.name', name, why)];
};

const groupProblems = (group: string, version: string): Errors => {
  const path = 'spec.group';
  if (group !== '') return checkDnsSubdomain(group).map((why) => invalid(path, group, why));
  const why = 'only v1 may have an empty group and it better be legacy kube';
  return version === 'v1' ? [] : [required(path, why)];
};

const priorityProblems = (spec: JsonObject, field: string, most: number): Errors => {
  const value = numberAt(spec, field) ?? 0;
  const why = `must be positive and less than ${most}`;
  return value > 0 && value <= most ? [] : [invalid(`spec.${field}`, value, why)];
};

const localProblems = (spec: JsonObject): Errors => {
  const bundle = Buffer.from(textAt(spec, 'caBundle'), 'base64').length;
  const no = (what: string): string => `local APIServices may not have ${what}`;
  return [
    ...(bundle === 0 ? [] : [invalid('spec.caBundle', `${bundle} bytes`, no('a caBundle'))]),
    ...(spec.insecureSkipTLSVerify === true
      ? [invalid('spec.insecureSkipTLSVerify', true, no('insecureSkipTLSVerify'))]
      : []),
  ];
};

const remoteProblems = (spec: JsonObject, service: JsonObject): Errors => {
  const port = numberAt(service, 'port') ?? 0;
  const isPort = port >= 1 && port <= 65_535;
  const notValid = `port is not valid: ${inRange(1, 65_535)}`;
  return [
    ...(textAt(service, 'namespace') === '' ? [required('spec.service.namespace')] : []),
    ...(textAt(service, 'name') === '' ? [required('spec.service.name')] : []),
    ...(isPort ? [] : [invalid('spec.service.port', port, notValid)]),
    ...(spec.insecureSkipTLSVerify === true && textAt(spec, 'caBundle') !== ''
      ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ];
};

const apiServiceRule: KindRule = (object) => {
  const spec = objectAt(object, 'spec');
  const [group, version] = [textAt(spec, 'group'), textAt(spec, 'version')];
  return [
    ...nameProblems(object, group, version),
    ...groupProblems(group, version),
    ...checkDns1035Label(version).map((why) => invalid('spec.version', version, why)),
    ...priorityProblems(spec, 'groupPriorityMinimum', 20_000),
    ...priorityProblems(spec, 'versionPriority', 1000),
    ...(isJsonObject(spec.service) ? remoteProblems(spec, spec.service) : localProblems(spec)),
  ];
};

export const API_SERVICE_RULES: KindRules = [['apiregistration.v1.APIService', apiServiceRule]];
