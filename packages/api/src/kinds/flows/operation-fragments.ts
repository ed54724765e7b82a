import {
  boolean,
  int32,
  list,
  map,
  object,
  oneOf,
  string,
} from '@perigee/schema/structural/builder';
import { check, immutable, optional, withDefault } from '@perigee/schema/structural/schema';
import type { ValidationRule } from '@perigee/schema/structural/structural-schema';
import { affinity } from '../../fragments/pod-affinity.ts';
import { resourceRequirements } from '../../fragments/pod-resources.ts';
import { tolerations } from '../../fragments/pod-tolerations.ts';
import { placement } from '../placement/placement.ts';

/** Pieces that the specs of the data operations have in common. */

const OPERATION_KINDS = ['DataLoad', 'DataBackup', 'DataMigrate', 'DataProcess'] as const;

const operationFields = {
  apiVersion: optional(string('The API version of the operation.')),
  kind: oneOf('The kind of the operation.', OPERATION_KINDS),
  name: string('The name of the operation.', { minLength: 1, maxLength: 253 }),
  namespace: optional(
    string('The namespace of the operation; the same as here when left out.', { maxLength: 63 }),
  ),
};

const labelName = () => string('The label of the node.', { minLength: 1 });

const affinityStrategy = (description: string) =>
  object(description, {
    policy: optional(
      oneOf('Whether to follow the other operation: not at all, always, or where possible.', [
        '',
        'Require',
        'Prefer',
      ]),
    ),
    dependOn: optional(
      object('The operation to follow, when it is not the one to run after.', operationFields),
    ),
    requires: optional(
      list(
        'For Require: the node labels that must be the same; the host name when left out.',
        object('A label.', { name: labelName() }),
      ),
    ),
    prefers: optional(
      list(
        'For Prefer: the node labels that should be the same; the host name when left out.',
        object('A label.', {
          name: labelName(),
          weight: int32('How much it counts, from 1 to 100.', { minimum: 1, maximum: 100 }),
        }),
      ),
    ),
  });

export const targetDatasetFields = {
  name: immutable(
    string('The name of the dataset.', { minLength: 1, maxLength: 253 }),
    'an operation cannot change to another dataset; create a new one',
  ),
  namespace: optional(
    string(
      'The namespace of the dataset. It must be that of the operation, and is when left out.',
      {
        maxLength: 63,
      },
    ),
  ),
};

const predecessor = (description: string) =>
  object(description, {
    ...operationFields,
    affinityStrategy: optional(
      affinityStrategy('Whether to run on the same nodes as the operation before.'),
    ),
  });

/** Fields of every operation: its place in a flow, its cluster, the number of its attempts, and its expiry. */
export const flowFields = {
  runAfter: optional(predecessor('The operation that must be complete before this one starts.')),
  runAfterAll: optional(
    list(
      'Further operations, all of which must be complete before this one starts.',
      predecessor('An operation that must be complete first.'),
      { maxItems: 64 },
    ),
  ),
  onPredecessorFailure: optional(
    oneOf(
      'What becomes of this operation when one that it runs after fails, is deleted or does not exist: it waits until that one is complete after all, or fails too. It waits when this is left out.',
      ['wait', 'fail'],
    ),
  ),
  placement: optional(
    placement(
      'The clusters that the operation runs in. When left out, a policy that selects the operation says it, or else Perigee chooses one.',
    ),
  ),
  suspend: optional(
    boolean(
      'True holds the operation back. One that runs goes on, and one with a schedule starts no further runs.',
    ),
  ),
  cancel: optional(
    boolean('True ends the operation for good: what runs of it is stopped, and it fails.'),
  ),
  backoffLimit: optional(
    int32(
      'How often a pod that failed is started again, later each time, before the operation fails; 3 when left out.',
      { minimum: 0, maximum: 1000 },
    ),
  ),
  activeDeadlineSeconds: optional(
    int32(
      'How long the operation may run before it is stopped and fails; no limit when left out.',
      {
        minimum: 1,
      },
    ),
  ),
  ttlSecondsAfterFinished: optional(
    int32('How long the operation is kept once it has ended; for ever when left out.', {
      minimum: 0,
    }),
  ),
};

export const cancelIsForGood: ValidationRule = {
  rule: '!has(oldSelf.cancel) || !oldSelf.cancel || (has(self.cancel) && self.cancel)',
  message: 'a cancelled operation stays cancelled; create a new one',
  fieldPath: '.cancel',
};

const CRON =
  '@(yearly|annually|monthly|weekly|daily|midnight|hourly)|@every +[^ ]+|[^ ]+( +[^ ]+){4}';

export const scheduleFields = {
  policy: withDefault(
    'Once',
    immutable(
      oneOf(
        'When to run: Once, again and again by the schedule (Cron), or OnEvent, which is accepted for compatibility.',
        ['Once', 'Cron', 'OnEvent'],
      ),
      'the policy of an operation cannot change; create a new one',
    ),
  ),
  schedule: optional(
    check(
      string('For Cron: when to run, in the five fields of cron or as @hourly and the like.', {
        maxLength: 256,
      }),
      {
        rule: `self == '' || self.matches('^ *(${CRON}) *$')`,
        message: 'must be five fields, such as */10 * * * *, or @hourly, @daily and the like',
      },
    ),
  ),
};

export const cronNeedsSchedule: ValidationRule = {
  rule: "self.policy != 'Cron' || (has(self.schedule) && self.schedule != '')",
  message: 'the policy Cron needs a schedule',
  reason: 'FieldValueRequired',
  fieldPath: '.schedule',
};

export const podMetadata = (description: string) =>
  object(description, {
    labels: optional(map('The labels.', string('The value of a label.'))),
    annotations: optional(map('The annotations.', string('The value of an annotation.'))),
  });

/** Fields of the pods of an operation: image, resources and constraints. */
export const podFields = {
  podMetadata: optional(podMetadata('Labels and annotations of the pods.')),
  affinity: optional(affinity('Where the pods may or should run.')),
  tolerations: optional(tolerations('The taints that the pods put up with.')),
  nodeSelector: optional(
    map('Labels that the nodes must have.', string('The value of the label.')),
  ),
  schedulerName: optional(string('The scheduler that gives the pods their nodes.')),
  resources: optional(resourceRequirements('What each pod asks for and may use.')),
};

export const imageFields = {
  image: optional(string('The image, without its tag.')),
  imageTag: optional(string('The tag of the image.')),
  imagePullPolicy: optional(
    oneOf('When the image is fetched.', ['Always', 'IfNotPresent', 'Never']),
  ),
};
