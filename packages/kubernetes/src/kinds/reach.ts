import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, withField } from '@perigee/schema/json-fields';
import type { Strategy } from '../resource/strategy.ts';

type Reach = NonNullable<Strategy['reach']>;

const withOwners = (object: JsonObject, proposed: JsonObject): JsonObject => ({
  ...object,
  metadata: withField(
    objectAt(object, 'metadata'),
    'managedFields',
    objectAt(proposed, 'metadata').managedFields,
  ),
});

const withSpec = (pod: JsonObject, name: string, value: JsonObject[string]): JsonObject => ({
  ...pod,
  spec: withField(objectAt(pod, 'spec'), name, value),
});

/** The containers as they were, with the resources that are proposed for those of the same name. */
const resized = (proposed: JsonObject, old: JsonObject, list: string): JsonObject => {
  const before = objectsAt(objectAt(old, 'spec'), list);
  const newContainers = objectsAt(objectAt(proposed, 'spec'), list);
  const isSame =
    newContainers.length === before.length &&
    newContainers.every(({ name }, index) => name === before[index]?.name);
  // Validation then reports that containers cannot be added, removed or reordered.
  if (!isSame) return withSpec(old, list, objectAt(proposed, 'spec')[list]);
  if (before.length === 0) return old;
  return withSpec(
    old,
    list,
    before.map((container, index) => {
      const next = newContainers[index] ?? container;
      const sized = withField(container, 'resources', next.resources);
      return withField(sized, 'resizePolicy', next.resizePolicy);
    }),
  );
};

/** A write to the status of most kinds may change labels and annotations with it. */
const withMetadata: Reach[string] = (proposed, old) =>
  withField({ ...old, metadata: proposed.metadata }, 'status', proposed.status);

/** Of these, only the status. */
const STATUS_ALONE: ReadonlySet<string> = new Set([
  'DeviceTaintRule',
  'FlowSchema',
  'PodCertificateRequest',
  'PodGroup',
  'PriorityLevelConfiguration',
  'ResourceClaim',
  'ResourcePoolStatusRequest',
  'ServiceCIDR',
  'StorageVersion',
  'StorageVersionMigration',
  'ValidatingAdmissionPolicy',
  'VolumeAttachment',
]);

const POD: Reach = {
  status: (proposed, old) => {
    const { deletionTimestamp, ownerReferences } = objectAt(old, 'metadata');
    const withOldOwners = withField(
      objectAt(proposed, 'metadata'),
      'ownerReferences',
      ownerReferences,
    );
    const metadata = withField(withOldOwners, 'deletionTimestamp', deletionTimestamp);
    return withMetadata({ ...proposed, metadata }, old);
  },
  ephemeralcontainers: (proposed, old) =>
    withOwners(
      withSpec(old, 'ephemeralContainers', objectAt(proposed, 'spec').ephemeralContainers),
      proposed,
    ),
  resize: (proposed, old) =>
    withOwners(resized(proposed, resized(proposed, old, 'containers'), 'initContainers'), proposed),
};

/** A write to `approval` changes conditions, and never the certificate. */
const SIGNING_REQUEST: Reach = {
  approval: (proposed, old) => ({
    ...proposed,
    spec: old.spec,
    status: withField(
      objectAt(old, 'status'),
      'conditions',
      objectAt(proposed, 'status').conditions,
    ),
  }),
};

/** The controller notes the revision in an annotation together with the status, which counts as no change of the spec. */
const DEPLOYMENT: Reach = {
  status: (proposed, old) => ({
    ...proposed,
    spec: old.spec,
    metadata: withField(objectAt(proposed, 'metadata'), 'labels', objectAt(old, 'metadata').labels),
  }),
};

const REACH: ReadonlyMap<string, Reach> = new Map([
  ['apps.v1.Deployment', DEPLOYMENT],
  ['core.v1.Pod', POD],
  ['certificates.v1.CertificateSigningRequest', SIGNING_REQUEST],
]);

type Unreached = NonNullable<Strategy['unreached']>;

const SPEC = { 'f:spec': {} };

const UNREACHED: ReadonlyMap<string, Unreached> = new Map<string, Unreached>([
  ['apps.v1.Deployment', { status: { ...SPEC, 'f:metadata': { 'f:labels': {} } } }],
  [
    'core.v1.Pod',
    {
      status: { ...SPEC, 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} } },
    },
  ],
  [
    'certificates.v1.CertificateSigningRequest',
    {
      '': { ...SPEC, 'f:status': {} },
      status: { ...SPEC, 'f:status': { 'f:conditions': {} } },
      approval: { ...SPEC, 'f:status': { 'f:certificate': {} } },
    },
  ],
]);

/** Fields that writes to a built-in kind and its subresources cannot change, where they differ from the usual ones. */
export const unreachedOf = (typeName: string): Unreached | undefined => {
  const kind = typeName.slice(typeName.lastIndexOf('.') + 1);
  return STATUS_ALONE.has(kind) ? undefined : (UNREACHED.get(typeName) ?? { status: SPEC });
};

/** Fields that the subresources of a built-in kind can change beside those that all of them can. */
export const reachOf = (typeName: string): Reach | undefined => {
  const kind = typeName.slice(typeName.lastIndexOf('.') + 1);
  const special = REACH.get(typeName);
  return STATUS_ALONE.has(kind) ? special : { status: withMetadata, ...special };
};
