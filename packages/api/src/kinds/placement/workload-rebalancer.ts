import { int32, list, object, oneOf, string, time } from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { observedGeneration } from '../../fragments/fragments.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { workloadReference } from './workload-reference.ts';

/** With their results, more would not fit into an object. */
const MAX_WORKLOADS = 5000;

const observedWorkload = () =>
  object('What became of one resource.', {
    workload: workloadReference('The resource.'),
    result: optional(
      oneOf('Whether its binding was told to schedule afresh.', ['Successful', 'Failed']),
    ),
    reason: optional(
      string(
        'A word for why it failed, for programs: ReferencedBindingNotFound when no policy propagates the resource.',
      ),
    ),
  });

export const WorkloadRebalancer = defineKind({
  group: 'apps.karmada.io',
  version: 'v1alpha1',
  kind: 'WorkloadRebalancer',
  plural: 'workloadrebalancers',
  scope: 'Cluster',
  categories: ['karmada-io'],
  doc: 'Has some resources scheduled afresh, once. A ScheduleTrigger does the same, can name policies, and reports what moved.',
  spec: object('What to schedule afresh.', {
    workloads: list(
      'The resources. One that is added later is scheduled afresh when it is added.',
      workloadReference('A resource.'),
      { minItems: 1, maxItems: MAX_WORKLOADS },
    ),
    ttlSecondsAfterFinished: optional(
      int32(
        'How long the object stays once every resource has a result; 0 deletes it at once, and without it nothing does.',
        { minimum: 0 },
      ),
    ),
  }),
  status: object('What became of it.', {
    observedWorkloads: optional(list('The result of each resource.', observedWorkload())),
    observedGeneration: optional(observedGeneration()),
    finishTime: optional(time('When every resource had a result.')),
  }),
});
export type WorkloadRebalancer = StoredObjectOf<typeof WorkloadRebalancer>;
export type WorkloadRebalancerWritten = WrittenObjectOf<typeof WorkloadRebalancer>;
export type ObservedWorkload = StoredOf<ReturnType<typeof observedWorkload>>;
