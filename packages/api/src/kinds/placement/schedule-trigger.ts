import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { int32, list, object, oneOf, string, time } from '../../schema/builder.ts';
import { conditions, observedGeneration } from '../../schema/fragments.ts';
import { check, optional, type StoredOf, withDefault } from '../../schema/schema.ts';
import { targetClusters } from './target-cluster.ts';
import { workloadReference, workloadReferenceFields } from './workload-reference.ts';

const policyReference = () =>
  object('A policy.', {
    name: string('The name of the policy.', { minLength: 1 }),
    namespace: optional(
      string('The namespace of a PropagationPolicy; none for a ClusterPropagationPolicy.'),
    ),
  });

const triggeredTarget = () =>
  object('What became of one resource.', {
    ...workloadReferenceFields(),
    result: oneOf(
      'Pending: not yet asked for. Triggered: asked for, not yet scheduled. Scheduled: it moved. NoChange: scheduled to where it was. Failed: see reason.',
      ['Pending', 'Triggered', 'Scheduled', 'NoChange', 'Failed'],
    ),
    reason: optional(string('A word for the cause, for programs.')),
    message: optional(string('A sentence about the cause, for people.')),
    triggeredAt: optional(time('When the binding of the resource was told to schedule afresh.')),
    before: optional(targetClusters('Where the resource was.')),
    after: optional(targetClusters('Where the resource is now.')),
  });

const failedResource = () =>
  object('A resource that could not be scheduled afresh.', {
    ...workloadReferenceFields(),
    failReason: optional(string('What went wrong.')),
  });

const status = () =>
  object('What became of it.', {
    phase: withDefault(
      'Running',
      oneOf(
        'Running while a target has no result yet, Success when all of them were scheduled, Failed when one was not.',
        ['Running', 'Failed', 'Success'],
      ),
    ),
    observedGeneration: optional(observedGeneration()),
    startTime: optional(time('When the targets were looked up.')),
    finishTime: optional(time('When every target had a result.')),
    targets: optional(
      list('Each resource: its result, where it was, and where it is now.', triggeredTarget()),
    ),
    failedResourceList: optional(list('The resources that failed, and why.', failedResource())),
    conditions: optional(conditions('What is known about the trigger.')),
  });

const has = (field: string): string => `(has(${field}) && size(${field}) > 0)`;

export const ScheduleTrigger = defineKind({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'ScheduleTrigger',
  plural: 'scheduletriggers',
  scope: 'Cluster',
  categories: ['karmada-io'],
  doc: 'Has resources scheduled afresh, once, as if they had never been placed: for example to put a cluster that came back to use. Reports what moved from where to where.',
  spec: check(
    object(
      'What to schedule afresh: all that is named, and all that the named policies propagate.',
      {
        targetRefPolicy: optional(
          list('The policies whose resources are meant.', policyReference()),
        ),
        targetRefResource: optional(
          list('The resources that are meant.', workloadReference('A resource.')),
        ),
        retryAfterSeconds: withDefault(
          3,
          int32('How long to wait before a target that failed is tried again; 0 does not wait.', {
            minimum: 0,
          }),
        ),
        autoCleanAfterMinutes: withDefault(
          60,
          int32(
            'How long after its creation the trigger is deleted, finished or not; 0 keeps it.',
            { minimum: 0 },
          ),
        ),
      },
    ),
    {
      rule: `${has('self.targetRefPolicy')} || ${has('self.targetRefResource')}`,
      message: 'name at least one target in targetRefResource or targetRefPolicy',
      reason: 'FieldValueRequired',
    },
  ),
  status: status(),
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', doc: 'How far the trigger has come.' },
    {
      name: 'Finished',
      type: 'date',
      path: '.status.finishTime',
      doc: 'Time since every target had a result.',
    },
  ],
});
export type ScheduleTrigger = StoredObjectOf<typeof ScheduleTrigger>;
export type ScheduleTriggerWritten = WrittenObjectOf<typeof ScheduleTrigger>;
export type PolicyReference = StoredOf<ReturnType<typeof policyReference>>;
export type TriggeredTarget = StoredOf<ReturnType<typeof triggeredTarget>>;
export type FailedResource = StoredOf<ReturnType<typeof failedResource>>;
