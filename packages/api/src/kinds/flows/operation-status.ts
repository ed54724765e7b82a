import {
  boolean,
  int32,
  int64,
  list,
  listMap,
  map,
  object,
  oneOf,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { node, optional, type StoredOf, withDefault } from '@perigee/schema/structural/schema';
import { nodeAffinity } from '../../fragments/pod-affinity.ts';
import type { PrinterColumn } from '../../kind/define-kind.ts';
import type { ConditionOf } from '../../reasons/condition-reasons.ts';

const PHASES = ['', 'Pending', 'Executing', 'Complete', 'Failed'] as const;

const condition = () =>
  object('One observation about the operation.', {
    type: string('What is observed: Complete or Failed; Started and Placed say more.', {
      minLength: 1,
      maxLength: 316,
    }),
    status: oneOf('Whether the observation holds.', ['True', 'False', 'Unknown']),
    reason: optional(string('A word for the cause, for programs.')),
    message: optional(string('A sentence about the cause, for people.')),
    lastProbeTime: optional(time('When this was last looked at.')),
    lastTransitionTime: optional(time('When the status last changed.')),
  });

type WrittenCondition = StoredOf<ReturnType<typeof condition>>;
type ListedCondition = WrittenCondition & ConditionOf<'DataOperation'>;

const progress = (description: string) =>
  object(description, {
    bytesDone: optional(int64('How many bytes are done.', { minimum: 0 })),
    bytesTotal: optional(int64('How many bytes there are.', { minimum: 0 })),
    filesDone: optional(int64('How many files are done.', { minimum: 0 })),
    filesTotal: optional(int64('How many files there are.', { minimum: 0 })),
    percentage: optional(int32('How much is done, of 100.', { minimum: 0, maximum: 100 })),
    bytesPerSecond: optional(int64('How fast it goes.', { minimum: 0 })),
    secondsLeft: optional(int64('How long it still takes at this speed.', { minimum: 0 })),
    retries: optional(
      int64('How many requests to a storage were made again, when there were any.', { minimum: 0 }),
    ),
  });

const clusterState = () =>
  object('The operation in one cluster.', {
    name: string('The name of the cluster.', { minLength: 1, maxLength: 253 }),
    phase: oneOf('The step that the operation is at there.', PHASES),
    reason: optional(string('A word for the cause, for programs.')),
    message: optional(string('A sentence about the cause, for people.')),
    startTime: optional(time('When it started there.')),
    completionTime: optional(time('When it ended there.')),
    node: optional(string('The node that it ran on.')),
    progress: optional(progress('How far it is there.')),
    result: optional(
      object('What it moved there.', {
        bytes: optional(int64('How many bytes.', { minimum: 0 })),
        files: optional(int64('How many files.', { minimum: 0 })),
        digest: optional(string('A checksum of all files and their names.')),
        bytesCopied: optional(
          int64('How many bytes had to be copied; the others were there.', { minimum: 0 }),
        ),
        retries: optional(int64('How many requests were made again.', { minimum: 0 })),
        cost: optional(
          string(
            'What it cost to get the bytes out of the other cluster, when its price is known.',
          ),
        ),
      }),
    ),
  });

const transfer = () =>
  object('Where the data comes from, when that is another cluster.', {
    from: string('The cluster that the data comes from.', { minLength: 1, maxLength: 253 }),
    path: oneOf(
      'How it comes: Direct, from a pod that serves it there, or through the store that the operator declares for Staging.',
      ['Direct', 'Staging'],
    ),
  });

/**
 * The status of every data operation. Phase, duration and conditions are filled in when a writer
 * leaves them out, because clients written for Fluid rely on their presence.
 */
export const operationStatus = () =>
  object('How the operation is doing.', {
    phase: withDefault(
      '',
      oneOf('The step that the operation is at; empty until it was first looked at.', PHASES),
    ),
    duration: withDefault('', string('How long it took, such as 1m3s, or Unfinished.')),
    conditions: withDefault(
      [],
      list(
        'How the operation ended, which comes first, and what is known before that.',
        node<ListedCondition, WrittenCondition>(condition().openapi),
      ),
    ),
    infos: optional(map('Results by name, which differ by operation.', string('A result.'))),
    lastScheduleTime: optional(time('For Cron: when the operation last started.')),
    lastSuccessfulTime: optional(time('For Cron: when the operation last succeeded.')),
    waitingFor: optional(
      object('What holds the operation back.', {
        operationComplete: optional(
          boolean(
            'True while the operation to run after is not complete, false once it is; absent without such an operation.',
          ),
        ),
      }),
    ),
    nodeAffinity: optional(
      nodeAffinity('Where the pods ran, for operations that shall run on the same nodes.'),
    ),
    clusters: optional(
      listMap('How the operation is doing, cluster by cluster.', ['name'], clusterState()),
    ),
    progress: optional(progress('How far the operation is, in all of its clusters together.')),
    transfer: optional(transfer()),
    attempts: optional(
      int32('How often the operation was begun: by its schedule, or to try it again.', {
        minimum: 0,
      }),
    ),
    startTime: optional(time('When the last attempt began.')),
    completionTime: optional(time('When the last attempt ended.')),
    observedGeneration: optional(
      int64('The generation of the spec that was last looked at.', { minimum: 0 }),
    ),
    retriedFor: optional(
      string('The value of the annotation flows.perigee.io/retry that was last followed.'),
    ),
  });

export type OperationStatus = StoredOf<ReturnType<typeof operationStatus>>;
export type OperationPhase = OperationStatus['phase'];
export type OperationCondition = OperationStatus['conditions'][number];
export type OperationClusterState = NonNullable<OperationStatus['clusters']>[number];
export type OperationTransfer = NonNullable<OperationStatus['transfer']>;
export type OperationProgress = NonNullable<OperationStatus['progress']>;

export const phaseColumn: PrinterColumn = {
  name: 'Phase',
  type: 'string',
  path: '.status.phase',
  doc: 'The step that the operation is at.',
};

export const durationColumn: PrinterColumn = {
  name: 'Duration',
  type: 'string',
  path: '.status.duration',
  doc: 'How long it took.',
};

export const afterColumn: PrinterColumn = {
  name: 'After',
  type: 'string',
  path: '.spec.runAfter.name',
  doc: 'The operation that it runs after.',
  priority: 1,
};

export const policyColumns: readonly PrinterColumn[] = [
  {
    name: 'Policy',
    type: 'string',
    path: '.spec.policy',
    doc: 'When it runs.',
    priority: 1,
  },
  {
    name: 'Last Schedule',
    type: 'date',
    path: '.status.lastScheduleTime',
    doc: 'When the schedule last started it.',
    priority: 1,
  },
];
