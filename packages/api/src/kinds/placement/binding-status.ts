import {
  anyObject,
  boolean,
  int64,
  list,
  object,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { conditions } from '../../fragments/fragments.ts';
import type { PrinterColumn } from '../../kind/define-kind.ts';
import { resourceHealth } from './resource-health.ts';

/** The status of both kinds of binding: what became of the decision. */
export const bindingStatus = () =>
  object('What was decided, and how the resource is doing in each cluster.', {
    schedulerObservedGeneration: optional(
      int64('The generation of the spec that the scheduler last dealt with.', { minimum: 0 }),
    ),
    schedulerObservingAffinityName: optional(
      string('The term of the placement’s clusterAffinities that the decision rests on.'),
    ),
    lastScheduledTime: optional(time('When the scheduler last succeeded.')),
    conditions: optional(
      conditions<'Binding'>(
        'What is known about the binding: Scheduled says whether clusters were found, FullyApplied whether all of them have the resource.',
      ),
    ),
    aggregatedStatus: optional(
      list(
        'How the resource is doing, cluster by cluster.',
        object('The copy in one cluster.', {
          clusterName: string('The name of the cluster.'),
          status: optional(anyObject('The status of the copy, as the cluster reports it.')),
          applied: optional(boolean('Whether the cluster has the resource as it should be.')),
          appliedMessage: optional(string('What went wrong, when it has not.')),
          health: optional(resourceHealth()),
        }),
      ),
    ),
  });

export const BINDING_COLUMNS: readonly PrinterColumn[] = [
  {
    name: 'Scheduled',
    type: 'string',
    path: '.status.conditions[?(@.type=="Scheduled")].status',
    doc: 'Whether clusters were found.',
  },
  {
    name: 'FullyApplied',
    type: 'string',
    path: '.status.conditions[?(@.type=="FullyApplied")].status',
    doc: 'Whether all of them have the resource.',
  },
];

/** The name that upstream’s code and documents use for a field that its JSON spells differently. */
export const BINDING_SPELLINGS = {
  'status.schedulerObservingAffinityName': ['schedulerObservedAffinityName'],
};

export const BINDING_MOVED_FIELDS = {
  'spec.placement.rescheduleTriggeredAt': 'It becomes spec.rescheduleTriggeredAt.',
};

export type BindingStatus = StoredOf<ReturnType<typeof bindingStatus>>;
export type AggregatedStatusItem = NonNullable<BindingStatus['aggregatedStatus']>[number];
