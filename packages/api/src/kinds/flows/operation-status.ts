import type { PrinterColumn } from '../../kind/define-kind.ts';
import { boolean, list, map, object, oneOf, string, time } from '../../schema/builder.ts';
import { nodeAffinity } from '../../schema/pod-affinity.ts';
import { optional, type StoredOf, withDefault } from '../../schema/schema.ts';

/**
 * The status of every data operation. Phase, duration and conditions are filled in when a writer
 * leaves them out, because clients written for Fluid rely on their presence.
 */
export const operationStatus = () =>
  object('How the operation is doing.', {
    phase: withDefault(
      '',
      oneOf('The step that the operation is at; empty until it was first looked at.', [
        '',
        'Pending',
        'Executing',
        'Complete',
        'Failed',
      ]),
    ),
    duration: withDefault('', string('How long it took, such as 1m3s, or Unfinished.')),
    conditions: withDefault(
      [],
      list(
        'How the operation ended.',
        object('One observation about the operation.', {
          type: string('What is observed: Complete or Failed.', { minLength: 1, maxLength: 316 }),
          status: oneOf('Whether the observation holds.', ['True', 'False', 'Unknown']),
          reason: optional(string('A word for the cause, for programs.')),
          message: optional(string('A sentence about the cause, for people.')),
          lastProbeTime: optional(time('When this was last looked at.')),
          lastTransitionTime: optional(time('When the status last changed.')),
        }),
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
  });

export type OperationStatus = StoredOf<ReturnType<typeof operationStatus>>;

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
