import { type FieldError, invalid, notSupported, required } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { checkDns1035Label, checkDnsSubdomain } from '@perigee/schema/values/names';
import { type Crd, type CrdNames, isCrdConditionTrue, readCrd } from './crd.ts';
import { validateConversion } from './validate-conversion.ts';
import { validateVersions } from './validate-versions.ts';

const labelProblem = (field: string, value: string): readonly FieldError[] => {
  const problems = checkDns1035Label(value);
  return problems.length === 0 ? [] : [invalid(field, value, problems.join(','))];
};

const kindProblem = (field: string, value: string): readonly FieldError[] => {
  const problems = value === '' ? [] : checkDns1035Label(value.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [invalid(field, value, detail)];
};

/** Problems of the names of a CRD. */
const validateNames = (names: CrdNames, path: string): readonly FieldError[] => {
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  return [
    ...(['plural', 'singular', 'kind', 'listKind'] as const)
      .filter((name) => names[name] === '')
      .map((name) => required(`${path}.${name}`)),
    ...(plural === '' ? [] : labelProblem(`${path}.plural`, plural)),
    ...(singular === '' ? [] : labelProblem(`${path}.singular`, singular)),
    ...kindProblem(`${path}.kind`, kind),
    ...kindProblem(`${path}.listKind`, listKind),
    ...shortNames.flatMap((name, at) => labelProblem(`${path}.shortNames[${at}]`, name)),
    ...(kind !== '' && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, at) => labelProblem(`${path}.categories[${at}]`, name)),
  ];
};

const SCOPES = ['Cluster', 'Namespaced'];

const groupProblems = ({ group }: Crd): readonly FieldError[] => {
  if (group === '') return [required('spec.group')];
  const problems = checkDnsSubdomain(group);
  if (problems.length > 0) return [invalid('spec.group', group, problems.join(','))];
  return group.includes('.')
    ? []
    : [invalid('spec.group', group, 'should be a domain with at least one dot')];
};

const scopeProblems = ({ scope }: Crd): readonly FieldError[] => {
  if (scope === '') return [required('spec.scope')];
  return SCOPES.includes(scope) ? [] : [notSupported('spec.scope', scope, SCOPES)];
};

const storedVersionProblems = ({ storedVersions, versions }: Crd): readonly FieldError[] => {
  const path = 'status.storedVersions';
  if (storedVersions.length === 0) {
    return [invalid(path, null, 'must have at least one stored version')];
  }
  const names = new Set(versions.map(({ name }) => name));
  return [
    ...versions
      .filter(({ name, storage }) => storage && !storedVersions.includes(name))
      .map(({ name }) => invalid(path, storedVersions, `must have the storage version ${name}`)),
    ...storedVersions.flatMap((name, at) =>
      names.has(name)
        ? []
        : [
            invalid(
              `${path}[${at}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
  ];
};

const PROTECTED_GROUP = /(^|\.)(k8s|kubernetes)\.io$/;
const APPROVAL = 'api-approved.kubernetes.io';
const APPROVAL_HELP = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** Groups of Kubernetes itself need an approval annotation, so that they are not used by accident. */
const approvalProblems = ({ group, annotations }: Crd): readonly FieldError[] => {
  if (!PROTECTED_GROUP.test(group)) return [];
  const field = `metadata.annotations[${APPROVAL}]`;
  const approval = annotations[APPROVAL] ?? '';
  const must = `protected groups must have approval annotation "${APPROVAL}"`;
  if (approval === '') return [required(field, `${must}, ${APPROVAL_HELP}`)];
  if (typeof approval !== 'string' || approval.startsWith('unapproved')) return [];
  return URL.canParse(approval) && new URL(approval).host !== ''
    ? []
    : [
        invalid(
          field,
          approval,
          `${must} with either a URL or a reason starting with "unapproved", ${APPROVAL_HELP}`,
        ),
      ];
};

const nameProblems = ({ name, names, group }: Crd): readonly FieldError[] =>
  name === `${names.plural}.${group}`
    ? []
    : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];

const immutable = (field: string, value: string, old: string): readonly FieldError[] =>
  value === old ? [] : [invalid(field, value, 'field is immutable')];

const updateProblems = (crd: Crd, old: Crd): readonly FieldError[] => [
  ...(isCrdConditionTrue(old, 'Established')
    ? [
        ...immutable('spec.scope', crd.scope, old.scope),
        ...immutable('spec.names.kind', crd.names.kind, old.names.kind),
      ]
    : []),
  ...immutable('spec.group', crd.group, old.group),
  ...immutable('spec.names.plural', crd.names.plural, old.names.plural),
];

/**
 * Lists all problems of a CRD that has its defaults, in the words of Kubernetes. With the CRD that
 * it replaces, also what may not change.
 */
export const validateCrd = (crd: JsonObject, old?: JsonObject): readonly FieldError[] => {
  const read = readCrd(crd);
  // An update of the status keeps the reference of the spec, whose schemas take long to validate.
  const isSameSpec = old !== undefined && crd.spec === old.spec;
  const oldCrd = old && readCrd(old);
  return [
    ...nameProblems(read),
    ...groupProblems(read),
    ...scopeProblems(read),
    ...(isSameSpec ? [] : validateVersions(read.versions, oldCrd?.versions)),
    ...validateNames(read.names, 'spec.names'),
    ...(read.conversion ? validateConversion(read.conversion, 'spec.conversion') : []),
    ...(oldCrd ? updateProblems(read, oldCrd) : []),
    ...storedVersionProblems(read),
    ...approvalProblems(read),
    ...(read.preserveUnknownFields
      ? [
          invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ];
};
