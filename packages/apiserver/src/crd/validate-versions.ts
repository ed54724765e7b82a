import { type FieldError, invalid, required } from '@perigee/schema/errors';
import { goStruct } from '@perigee/schema/go-text';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { checkDns1035Label } from '@perigee/schema/values/names';
import type { CrdColumn, CrdVersion } from './crd.ts';
import { simplePathProblem } from './simple-path.ts';
import { validateSchema } from './validate-schema.ts';
import { validateSelectableFields } from './validate-selectable-fields.ts';
import { validateSubresources } from './validate-subresources.ts';

const TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Problems of the printer columns. */
const validateColumns = (columns: readonly CrdColumn[], path: string): readonly FieldError[] =>
  columns.flatMap(({ name, type, format, jsonPath }, at) => {
    const errors: FieldError[] = [];
    const field = `${path}[${at}]`;
    const types = `must be one of ${TYPES.join(',')}`;
    if (name === '') errors.push(required(`${field}.name`));
    if (type === '') errors.push(required(`${field}.type`, types));
    else if (!TYPES.includes(type)) errors.push(invalid(`${field}.type`, type, types));
    if (format !== '' && !FORMATS.includes(format)) {
      errors.push(invalid(`${field}.format`, format, `must be one of ${FORMATS.join(',')}`));
    }
    const problem = simplePathProblem(jsonPath);
    if (jsonPath === '') errors.push(required(`${field}.JSONPath`));
    else if (problem) errors.push(invalid(`${field}.JSONPath`, jsonPath, problem));
    return errors;
  });

type Part = 'schema' | 'subresources' | 'columns' | 'selectableFields';

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Kubernetes speaks of a part that all versions have in common as one of the spec. */
const isShared = (versions: readonly CrdVersion[], part: Part): boolean =>
  versions.every((version) => isSame(version[part], versions[0]?.[part]));

const warningProblem = ({ deprecated, deprecationWarning }: CrdVersion): string | undefined => {
  if (deprecationWarning === undefined) return undefined;
  if (!deprecated) return 'can only be set for deprecated versions';
  if (deprecationWarning.length > 256) return 'must be <= 256 characters long';
  if (deprecationWarning === '') return 'must not be an empty string';
  const at = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at === -1) return undefined;
  return `must only contain printable UTF-8 characters; non-printable character found at index ${at}`;
};

const ownProblems = (version: CrdVersion, path: string): readonly FieldError[] => {
  const { name, deprecationWarning } = version;
  const problems = checkDns1035Label(name);
  const warning = warningProblem(version);
  return [
    ...(version.schema === undefined ? [required(`${path}.schema.openAPIV3Schema`)] : []),
    ...(problems.length > 0 ? [invalid(`${path}.name`, name, problems.join(','))] : []),
    ...(warning ? [invalid(`${path}.deprecationWarning`, deprecationWarning, warning)] : []),
  ];
};

/** Validates a part once if all versions share it, and in each version if not. */
const validatePart = (
  versions: readonly CrdVersion[],
  part: Part,
  names: { readonly shared: string; readonly own: string },
  validate: (version: CrdVersion, path: string) => readonly FieldError[],
): readonly FieldError[] => {
  const [first] = versions;
  return first && isShared(versions, part)
    ? validate(first, `spec.${names.shared}`)
    : versions.flatMap((version, at) => validate(version, `spec.versions[${at}].${names.own}`));
};

const partNamed = (name: string) => ({ shared: name, own: name });

/** The versions as Kubernetes shows them in an error: without what they share. */
const versionsText = (versions: readonly CrdVersion[]): string => {
  const own = (version: CrdVersion, part: Part): JsonValue =>
    isShared(versions, part) ? null : JSON.parse(JSON.stringify(version[part] ?? null));
  const list = versions.map(
    (version): JsonObject => ({
      Name: version.name,
      Served: version.served,
      Storage: version.storage,
      Deprecated: version.deprecated,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: own(version, 'schema'),
      Subresources: own(version, 'subresources'),
      AdditionalPrinterColumns: own(version, 'columns'),
      SelectableFields: own(version, 'selectableFields'),
    }),
  );
  return `[${list.map(goStruct).join(',')}]`;
};

const listProblems = (versions: readonly CrdVersion[]): readonly FieldError[] => {
  const problem = (detail: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field: 'spec.versions',
    message: `Invalid value: ${versionsText(versions)}: ${detail}`,
  });
  const names = new Set(versions.map(({ name }) => name));
  const storageVersions = versions.filter(({ storage }) => storage).length;
  const first = versions[0]?.name ?? '';
  const problems = first === '' ? [] : checkDns1035Label(first);
  return [
    ...(names.size < versions.length ? [problem('must contain unique version names')] : []),
    ...(storageVersions === 1
      ? []
      : [problem('must have exactly one version marked as storage version')]),
    ...(problems.length > 0 ? [invalid('spec.version', first, problems.join(','))] : []),
  ];
};

/** Problems of the versions of a CRD, alone and together, given the old ones that they replace. */
export const validateVersions = (
  versions: readonly CrdVersion[],
  old: readonly CrdVersion[] = [],
): readonly FieldError[] => {
  const isKnown = ({ name, schema }: CrdVersion): boolean =>
    old.some((version) => version.name === name && isSame(version.schema, schema));
  const sharesSchema = isShared(versions, 'schema');
  const hasStatus = (version: CrdVersion): boolean =>
    (sharesSchema ? versions : [version]).some((some) => some.subresources?.hasStatus);
  return [
    ...versions.flatMap((version, at) => ownProblems(version, `spec.versions[${at}]`)),
    ...validatePart(versions, 'schema', { shared: 'validation', own: 'schema' }, (version, path) =>
      version.schema === undefined
        ? []
        : validateSchema(
            version.schema,
            hasStatus(version),
            `${path}.openAPIV3Schema`,
            isKnown(version),
          ),
    ),
    ...validatePart(
      versions,
      'subresources',
      partNamed('subresources'),
      ({ subresources }, path) =>
        subresources === undefined ? [] : validateSubresources(subresources, path),
    ),
    ...validatePart(
      versions,
      'columns',
      partNamed('additionalPrinterColumns'),
      ({ columns }, path) => validateColumns(columns, path),
    ),
    ...validatePart(versions, 'selectableFields', partNamed('selectableFields'), (version, path) =>
      validateSelectableFields(version.selectableFields, version.schema ?? {}, path),
    ),
    ...listProblems(versions),
  ];
};
