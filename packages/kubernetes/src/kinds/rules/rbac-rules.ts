import {
  type FieldError,
  invalid,
  invalidWithoutValue,
  notSupported,
  required,
} from '@perigee/schema/errors';
import { goStruct } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { dnsSubdomainAt, notEmpty } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';
import { selects } from './label-selector-rules.ts';

type Errors = readonly FieldError[];

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

const checkSubject = (subject: JsonObject, path: string, isNamespaced: boolean): Errors => {
  const kind = textAt(subject, 'kind');
  const group = textAt(subject, 'apiGroup');
  const errors = notEmpty(subject, path, 'name');
  if (!SUBJECTS.includes(kind)) return [...errors, notSupported(`${path}.kind`, kind, SUBJECTS)];
  if (kind !== 'ServiceAccount') {
    return group === GROUP ? errors : [...errors, notSupported(`${path}.apiGroup`, group, [GROUP])];
  }
  return [
    ...errors,
    ...dnsSubdomainAt(subject, path, 'name'),
    ...(group === '' ? [] : [notSupported(`${path}.apiGroup`, group, [''])]),
    ...(isNamespaced || textAt(subject, 'namespace') !== '' ? [] : [required(`${path}.namespace`)]),
  ];
};

const binding =
  (roles: readonly string[]): KindRule =>
  (object, old) => {
    const reference = objectAt(object, 'roleRef');
    const apiGroup = textAt(reference, 'apiGroup');
    const kind = textAt(reference, 'kind');
    const goReference = { APIGroup: apiGroup, Kind: kind, Name: textAt(reference, 'name') };
    return [
      ...(apiGroup === GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [GROUP])]),
      ...(roles.includes(kind) ? [] : [notSupported('roleRef.kind', kind, roles)]),
      ...notEmpty(reference, 'roleRef', 'name'),
      ...objectsAt(object, 'subjects').flatMap((subject, index) =>
        checkSubject(subject, `subjects[${index}]`, roles.includes('Role')),
      ),
      ...(old === undefined || sameJson(reference, objectAt(old, 'roleRef'))
        ? []
        : [invalidWithoutValue('roleRef', `${goStruct(goReference)}: cannot change roleRef`)]),
    ];
  };

const checkRule = (rule: JsonObject, path: string, isNamespaced: boolean): Errors => {
  const has = (name: string): boolean => textsAt(rule, name).length > 0;
  const errors = has('verbs')
    ? []
    : [required(`${path}.verbs`, 'verbs must contain at least one value')];
  const urls = textsAt(rule, 'nonResourceURLs');
  const refuse = (why: string): FieldError => invalid(`${path}.nonResourceURLs`, urls, why);
  if (urls.length > 0) {
    if (isNamespaced) {
      errors.push(refuse('namespaced rules cannot apply to non-resource URLs'));
    }
    if (has('apiGroups') || has('resources') || has('resourceNames')) {
      errors.push(refuse('rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (!has('apiGroups')) {
    errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (!has('resources')) {
    errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
};

const role =
  (isNamespaced: boolean): KindRule =>
  (object) =>
    objectsAt(object, 'rules').flatMap((rule, index) =>
      checkRule(rule, `rules[${index}]`, isNamespaced),
    );

const checkAggregation: KindRule = (object) => {
  if (object.aggregationRule === undefined) return [];
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = objectsAt(objectAt(object, 'aggregationRule'), 'clusterRoleSelectors');
  if (selectors.length === 0) {
    const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
    return [required(path, why)];
  }
  return selectors.flatMap((selector, index) =>
    selects(selector, {}) === undefined
      ? [invalid(`${path}[${index}]`, null, 'invalid label selector.')]
      : [],
  );
};

const clusterRole: KindRule = (object, old) => [
  ...role(false)(object, old),
  ...checkAggregation(object, old),
];

export const RBAC_RULES: KindRules = [
  ['rbac.v1.Role', role(true)],
  ['rbac.v1.ClusterRole', clusterRole],
  ['rbac.v1.RoleBinding', binding(['Role', 'ClusterRole'])],
  ['rbac.v1.ClusterRoleBinding', binding(['ClusterRole'])],
];
