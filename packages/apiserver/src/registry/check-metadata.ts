import type { ObjectMeta, OwnerReference, WrittenMeta } from '@perigee/api/meta/object-meta';
import { type FieldError, forbidden, invalid, required, tooLong } from '@perigee/schema/errors';
import type { JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkQualifiedName,
} from '@perigee/schema/values/names';
import type { ServedResource } from '../resource/served-resource.ts';
import { FOREGROUND, ORPHAN } from './deletion-finalizers.ts';

type Errors = readonly FieldError[];

const MOST_ANNOTATION_BYTES = 256 * 1024;

export const checkLabels = (labels: WrittenMeta['labels'] = {}): Errors => {
  const errors: FieldError[] = [];
  const field = 'metadata.labels';
  for (const key of Object.keys(labels)) {
    const value = labels[key] as string;
    for (const problem of checkQualifiedName(key)) errors.push(invalid(field, key, problem));
    for (const problem of checkLabelValue(value)) errors.push(invalid(field, value, problem));
  }
  return errors;
};

export const checkAnnotations = (annotations: WrittenMeta['annotations'] = {}): Errors => {
  let bytes = 0;
  const errors: FieldError[] = [];
  for (const key of Object.keys(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string);
    for (const problem of checkQualifiedName(key.toLowerCase())) {
      errors.push(invalid('metadata.annotations', key, problem));
    }
  }
  return bytes > MOST_ANNOTATION_BYTES
    ? [...errors, tooLong('metadata.annotations', MOST_ANNOTATION_BYTES)]
    : errors;
};

const checkOwner = ({ apiVersion, kind, name, uid }: Partial<OwnerReference>): Errors => {
  const field = 'metadata.ownerReferences';
  const errors: FieldError[] = [];
  if (!apiVersion || apiVersion.endsWith('/')) {
    errors.push(invalid(`${field}.apiVersion`, apiVersion ?? '', 'version must not be empty'));
  }
  if (!kind) errors.push(invalid(`${field}.kind`, '', 'must not be empty'));
  if (!name) errors.push(invalid(`${field}.name`, '', 'must not be empty'));
  if (!uid) errors.push(invalid(`${field}.uid`, '', 'must not be empty'));
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(forbidden(field, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
};

const checkOwners = (owners: readonly OwnerReference[] = []): Errors => {
  const controllers = owners.filter(({ controller }) => controller === true);
  const [first, second] = controllers.map(({ kind, name }) => `${kind}/${name}`);
  return [
    ...owners.flatMap(checkOwner),
    ...(second === undefined
      ? []
      : [
          invalid(
            'metadata.ownerReferences',
            owners as unknown as JsonValue,
            `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`,
          ),
        ]),
  ];
};

const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', ORPHAN, FOREGROUND];

/**
 * A finalizer with a short name keeps definitions until their objects are deleted; the other names are not checked.
 */
const SHORT_NAMES_ALLOWED: readonly string[] = [
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'policy',
];

/** Built-in kinds take no short names that Kubernetes has not given away itself. */
const checkShortFinalizers = (
  { origin, group, kind }: ServedResource,
  finalizers: readonly string[],
  subresource: string | undefined,
): Errors =>
  finalizers.flatMap((finalizer, index) =>
    origin === 'crd' ||
    // Its controller may come with any, as the status of these is taken as it is.
    (kind === 'CronJob' && subresource === 'status') ||
    SHORT_NAMES_ALLOWED.includes(group) ||
    finalizer.includes('/') ||
    STANDARD_FINALIZERS.includes(finalizer)
      ? []
      : [
          invalid(
            `metadata.finalizers[${index}]`,
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  );

const checkFinalizers = (finalizers: readonly string[] = []): Errors => [
  ...finalizers.flatMap((finalizer) =>
    checkQualifiedName(finalizer).map((problem) =>
      invalid('metadata.finalizers', finalizer, problem),
    ),
  ),
  ...(finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)
    ? [
        invalid(
          'metadata.finalizers',
          finalizers,
          `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`,
        ),
      ]
    : []),
];

const checkName = (
  resource: ServedResource,
  { name = '', generateName = '' }: WrittenMeta,
): Errors => {
  const check = resource.strategy.checkName ?? checkDnsSubdomain;
  // The random suffix replaces a dash or dot at the end.
  const prefix = generateName.replace(/[-.]$/, '');
  return [
    ...(prefix === ''
      ? []
      : check(prefix).map((problem) => invalid('metadata.generateName', generateName, problem))),
    ...(name === ''
      ? [required('metadata.name', 'name or generateName is required')]
      : check(name).map((problem) => invalid('metadata.name', name, problem))),
  ];
};

const checkNamespace = ({ scope }: ServedResource, { namespace = '' }: WrittenMeta): Errors => {
  if (scope === 'Cluster') return [];
  return namespace === ''
    ? [required('metadata.namespace')]
    : checkDnsLabel(namespace).map((problem) => invalid('metadata.namespace', namespace, problem));
};

/** Checks the metadata of an object that is complete, with its name and namespace. */
export const checkMetadata = (
  resource: ServedResource,
  metadata: WrittenMeta,
  subresource?: string,
): Errors => [
  ...checkName(resource, metadata),
  ...checkNamespace(resource, metadata),
  ...checkLabels(metadata.labels),
  ...checkAnnotations(metadata.annotations),
  ...checkOwners(metadata.ownerReferences),
  ...checkFinalizers(metadata.finalizers),
  ...checkShortFinalizers(resource, metadata.finalizers ?? [], subresource),
];

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** Checks what an update may not change in metadata. */
export const checkMetadataUpdate = (metadata: WrittenMeta, old: ObjectMeta): Errors => {
  const newFinalizers = [...new Set(metadata.finalizers ?? [])];
  const before = new Set(old.finalizers);
  const addedFinalizers = newFinalizers.filter((name) => !before.has(name));
  return [
    ...(old.deletionTimestamp !== undefined && addedFinalizers.length > 0
      ? [
          forbidden(
            'metadata.finalizers',
            `no new finalizers can be added if the object is being deleted, found new finalizers []string{${addedFinalizers
              .toSorted()
              .map((name) => JSON.stringify(name))
              .join(', ')}}`,
          ),
        ]
      : []),
    ...IMMUTABLE.flatMap((name) =>
      sameJson(metadata[name], old[name])
        ? []
        : [invalid(`metadata.${name}`, metadata[name], 'field is immutable')],
    ),
  ];
};
