import { boolean, int32, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf, withDefault } from '@perigee/schema/structural/schema';
import { labelSelector } from '../../fragments/fragments.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { MAX_CLUSTERS, MAX_SELECTORS } from './limits.ts';
import { checkTrigger } from './schedule-trigger-checks.ts';
import { scheduleTriggerStatus } from './schedule-trigger-status.ts';
import { workloadReference } from './workload-reference.ts';

const policyReference = () =>
  object('A policy.', {
    name: string('The name of the policy.', { minLength: 1 }),
    namespace: optional(
      string('The namespace of a PropagationPolicy; none for a ClusterPropagationPolicy.'),
    ),
  });

const targetSelector = () =>
  object('Selects propagated resources: those that pass every condition that is given.', {
    apiVersion: optional(string('The API version of the resources; any when left out.')),
    kind: optional(string('The kind of the resources; any when left out.')),
    namespaces: optional(
      list(
        'The namespaces of the resources; all resources, also those without a namespace, when left out.',
        string('A namespace.', { minLength: 1 }),
        { maxItems: MAX_SELECTORS },
      ),
    ),
    labelSelector: optional(labelSelector('Keeps the resources whose labels match.')),
  });

const onClusters = () =>
  object('Which clusters make it run.', {
    when: optional(
      list(
        'Returned: the cluster is ready again. Joined: it is new, and ready. Both when left out.',
        oneOf('What happened to the cluster.', ['Returned', 'Joined']),
        { maxItems: 2 },
      ),
    ),
    clusterNames: optional(
      list('Only these clusters; all when left out.', string('The name of a cluster.'), {
        maxItems: MAX_CLUSTERS,
      }),
    ),
    labelSelector: optional(labelSelector('Only clusters whose labels match.')),
    stableForSeconds: optional(
      int32(
        'How long a cluster has to be ready before it counts; 300 when left out. Each further return within 24 hours doubles it, so that a cluster which comes and goes does not move work each time.',
        { minimum: 0, maximum: 604_800 },
      ),
    ),
  });

const clockTime = (description: string) =>
  string(description, { pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', maxLength: 5 });

const quietHours = () =>
  list(
    'Times of the day at which nothing is begun.',
    object('From one time of the day to another, over midnight if need be.', {
      from: clockTime('When it begins, such as 22:00.'),
      to: clockTime('When it ends, such as 06:00.'),
    }),
    { maxItems: 24 },
  );

const budget = () =>
  object('How much a standing trigger may do.', {
    maxRunsPerDay: optional(
      int32('How often it runs in 24 hours at most; 24 when left out.', {
        minimum: 1,
        maximum: 100,
      }),
    ),
    maxTargetsPerRun: optional(
      int32('How many resources a run takes up at most; all when left out.', { minimum: 1 }),
    ),
  });

const has = (field: string): string => `(has(${field}) && size(${field}) > 0)`;

export const ScheduleTrigger = defineKind({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'ScheduleTrigger',
  plural: 'scheduletriggers',
  scope: 'Cluster',
  categories: ['karmada-io'],
  doc: 'Has resources scheduled afresh, as if they had never been placed: for example to put a cluster that came back to use. Reports what moved from where to where.',
  spec: check(
    object(
      'What to schedule afresh: all that is named, all that the named policies propagate, and all that is selected.',
      {
        targetRefPolicy: optional(
          list('The policies whose resources are meant.', policyReference(), {
            maxItems: MAX_SELECTORS,
          }),
        ),
        targetRefResource: optional(
          list('The resources that are meant.', workloadReference('A resource.'), {
            maxItems: MAX_CLUSTERS,
          }),
        ),
        targetSelectors: optional(
          list(
            'Selects resources that are meant; those that one of the selectors selects. An empty selector selects all.',
            targetSelector(),
            { maxItems: MAX_SELECTORS },
          ),
        ),
        towardsClusters: optional(
          list(
            'Keeps, of all that is meant, the resources that may go to one of these clusters and have nothing there.',
            string('The name of a cluster.', { minLength: 1 }),
            { maxItems: MAX_CLUSTERS },
          ),
        ),
        moveStarted: optional(
          boolean(
            'True also moves work that runs to completion and has started, such as a Job: it begins anew. It stays where it is when left out.',
          ),
        ),
        maxConcurrent: optional(
          int32(
            'How many resources may be on the move at the same time, until their new replicas are healthy; 100 when left out.',
            { minimum: 1 },
          ),
        ),
        maxPerMinute: optional(
          int32('How many resources are begun in a minute at most; no limit when left out.', {
            minimum: 1,
          }),
        ),
        schedule: optional(
          string(
            'Runs again and again, at these times: five fields as in a CronJob, @daily and the like, or @every 6h.',
            { minLength: 1, maxLength: 256 },
          ),
        ),
        timeZone: optional(
          string(
            'The time zone of schedule and quietHours, such as Europe/Berlin; UTC when left out.',
            {
              minLength: 1,
              maxLength: 64,
            },
          ),
        ),
        onClusters: optional(onClusters()),
        quietHours: optional(quietHours()),
        budget: optional(budget()),
        suspend: optional(boolean('True lets nothing begin.')),
        retryAfterSeconds: withDefault(
          3,
          int32(
            'How long to wait before a target that failed is tried again; 0 does not wait, but for a second.',
            { minimum: 0 },
          ),
        ),
        autoCleanAfterMinutes: withDefault(
          60,
          int32(
            'How long after its creation the trigger is deleted, finished or not; 0 keeps it. One with a schedule or onClusters is kept in any case.',
            { minimum: 0 },
          ),
        ),
      },
    ),
    {
      rule: `${has('self.targetRefPolicy')} || ${has('self.targetRefResource')} || ${has('self.targetSelectors')}`,
      message:
        'name at least one target in targetRefResource or targetRefPolicy, or select some in targetSelectors',
      reason: 'FieldValueRequired',
    },
    {
      rule: '!has(self.budget) || has(self.schedule) || has(self.onClusters)',
      message: 'a budget is for a trigger that runs by itself: set schedule or onClusters',
      fieldPath: '.budget',
    },
  ),
  status: scheduleTriggerStatus(),
  normalise: checkTrigger,
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', doc: 'How far the trigger has come.' },
    {
      name: 'Targets',
      type: 'integer',
      path: '.status.counts.total',
      doc: 'How many resources are meant.',
    },
    {
      name: 'Moved',
      type: 'integer',
      path: '.status.counts.scheduled',
      doc: 'How many of them moved.',
    },
    {
      name: 'Failed',
      type: 'integer',
      path: '.status.counts.failed',
      doc: 'How many of them failed.',
    },
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
export type TargetSelector = StoredOf<ReturnType<typeof targetSelector>>;
