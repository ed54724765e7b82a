import { META } from './model-name.ts';
import { describedRef, type OpenApiSchema, type OpenApiSchemas, refTo } from './open-api-schema.ts';

type Fields = { readonly [name: string]: OpenApiSchema };

const text = (description: string): OpenApiSchema => ({ type: 'string', description });
const flag = (description: string): OpenApiSchema => ({ type: 'boolean', description });
const int64 = (description: string): OpenApiSchema => ({
  type: 'integer',
  format: 'int64',
  description,
});
const int32 = (description: string): OpenApiSchema => ({
  type: 'integer',
  format: 'int32',
  description,
});
const meta = (kind: string, description: string): OpenApiSchema =>
  describedRef(`${META}.${kind}`, description);
const object = (description: string, properties: Fields): OpenApiSchema => ({
  type: 'object',
  description,
  properties,
});
const textMap = (description: string): OpenApiSchema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string', default: '' },
});

export const API_VERSION = text(
  'APIVersion defines the version of the schema that this object is written in.',
);
export const KIND = text('The kind of object that this is.');
export const METADATA = meta(
  'ObjectMeta',
  "Standard object's metadata: what every object has in common.",
);
export const LIST_METADATA = meta('ListMeta', 'What every list has in common.');

const OBJECT_META = object("Standard object's metadata: what every object has in common.", {
  annotations: textMap('Notes of any form for tools and people; not for selection.'),
  creationTimestamp: meta(
    'Time',
    'CreationTimestamp is a timestamp of when the server created the object.',
  ),
  deletionGracePeriodSeconds: int64('How long the object may take to end, once it is deleted.'),
  deletionTimestamp: meta('Time', 'When the object goes, or began to go; set by the server.'),
  finalizers: {
    type: 'array',
    description: 'Who has to do something before the object may go.',
    items: { type: 'string', default: '' },
    'x-kubernetes-list-type': 'set',
    'x-kubernetes-patch-strategy': 'merge',
  },
  generateName: text('The beginning of a name that the server completes when there is none.'),
  generation: int64('Counts the changes of the desired state.'),
  labels: textMap('Keys and values by which objects are selected.'),
  managedFields: {
    type: 'array',
    description: 'Which manager set which fields.',
    items: { default: {}, allOf: [refTo(`${META}.ManagedFieldsEntry`)] },
    'x-kubernetes-list-type': 'atomic',
  },
  name: text('Unique among the objects of its kind in the namespace; never changes.'),
  namespace: text('The space in which the name is unique.'),
  ownerReferences: {
    type: 'array',
    description: 'The objects without which this one goes; one of them may be its controller.',
    items: { default: {}, allOf: [refTo(`${META}.OwnerReference`)] },
    'x-kubernetes-list-map-keys': ['uid'],
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-patch-merge-key': 'uid',
    'x-kubernetes-patch-strategy': 'merge',
  },
  resourceVersion: text('Changes with every write; says which state a client has seen.'),
  selfLink: text('No longer set.'),
  uid: text('Unique among all objects that ever were.'),
});

const OWNER_REFERENCE: OpenApiSchema = {
  ...object('Another object that this one belongs to.', {
    apiVersion: { ...text('The group and version of the owner.'), default: '' },
    blockOwnerDeletion: flag('Whether the owner stays until this object is gone.'),
    controller: flag('Whether the owner is the one that manages this object.'),
    kind: { ...text('The kind of the owner.'), default: '' },
    name: { ...text('The name of the owner.'), default: '' },
    uid: { ...text('The uid of the owner.'), default: '' },
  }),
  required: ['apiVersion', 'kind', 'name', 'uid'],
  'x-kubernetes-map-type': 'atomic',
};

const MANAGED_FIELDS_ENTRY = object('The fields that one manager has set.', {
  apiVersion: text('The version in which the fields are named.'),
  fieldsType: text('The form of the fields; FieldsV1.'),
  fieldsV1: meta('FieldsV1', 'The fields as a trie.'),
  manager: text('The name of the manager.'),
  operation: text('Apply or Update.'),
  subresource: text('The subresource through which the fields were set.'),
  time: meta('Time', 'When this entry changed.'),
});

const LIST_META = object('What every list has in common.', {
  continue: text('Where the next page begins; empty on the last one.'),
  remainingItemCount: int64('How many objects follow this page.'),
  resourceVersion: text('The state that the list shows; a watch may go on from here.'),
  selfLink: text('No longer set.'),
});

const DELETE_OPTIONS: OpenApiSchema = {
  ...object('How an object is to be deleted.', {
    apiVersion: API_VERSION,
    dryRun: {
      type: 'array',
      description: 'All: go through everything, and keep nothing.',
      items: { type: 'string', default: '' },
      'x-kubernetes-list-type': 'atomic',
    },
    gracePeriodSeconds: int64('How long the object may take to end; 0 is at once.'),
    kind: KIND,
    orphanDependents: flag('Old form of propagationPolicy.'),
    preconditions: meta('Preconditions', 'Delete only if these still hold.'),
    propagationPolicy: text('What becomes of dependents: Orphan, Background or Foreground.'),
  }),
  'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'DeleteOptions' }],
};

const STATUS: OpenApiSchema = {
  ...object('The outcome of a request that does not return an object.', {
    apiVersion: API_VERSION,
    code: int32('The HTTP status.'),
    details: meta('StatusDetails', 'What it is about.'),
    kind: KIND,
    message: text('What happened, for people.'),
    metadata: { ...LIST_METADATA, default: {} },
    reason: text('What happened, for programs.'),
    status: text('Success or Failure.'),
  }),
  'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Status' }],
};

const STATUS_DETAILS = object('What a Status is about.', {
  causes: {
    type: 'array',
    description: 'Each thing that is wrong.',
    items: { default: {}, allOf: [refTo(`${META}.StatusCause`)] },
    'x-kubernetes-list-type': 'atomic',
  },
  group: text('The group of the object.'),
  kind: text('The kind or resource of the object.'),
  name: text('The name of the object.'),
  retryAfterSeconds: int32('How long to wait before another try.'),
  uid: text('The uid of the object.'),
});

/** The types of `meta/v1` that every document needs. */
export const META_SCHEMAS: OpenApiSchemas = {
  [`${META}.DeleteOptions`]: DELETE_OPTIONS,
  [`${META}.FieldsV1`]: { type: 'object', description: 'A set of fields as a trie.' },
  [`${META}.ListMeta`]: LIST_META,
  [`${META}.ManagedFieldsEntry`]: MANAGED_FIELDS_ENTRY,
  [`${META}.ObjectMeta`]: OBJECT_META,
  [`${META}.OwnerReference`]: OWNER_REFERENCE,
  [`${META}.Patch`]: { type: 'object', description: 'A change; its form is its content type.' },
  [`${META}.Preconditions`]: object('What must hold for a deletion.', {
    resourceVersion: text('The version that the object must have.'),
    uid: text('The uid that the object must have.'),
  }),
  [`${META}.Status`]: STATUS,
  [`${META}.StatusCause`]: object('One thing that is wrong.', {
    field: text('The path of the field.'),
    message: text('What is wrong, for people.'),
    reason: text('What is wrong, for programs.'),
  }),
  [`${META}.StatusDetails`]: STATUS_DETAILS,
  [`${META}.Time`]: { type: 'string', format: 'date-time', description: 'A time in RFC 3339.' },
};
