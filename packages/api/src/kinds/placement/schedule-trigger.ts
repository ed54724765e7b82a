import { type FieldError, InvalidObjectError, invalid } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { defineKind } from '../../kind/define-kind.ts';
import { itemsAt, objectAt } from '../../kind/reshape.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { boolean, int32, list, object, string } from '../../schema/builder.ts';
import { labelSelector } from '../../schema/fragments.ts';
import { check, optional, type StoredOf, withDefault } from '../../schema/schema.ts';
import { selectorProblem } from '../../values/selector-problem.ts';
import { MAX_CLUSTERS, MAX_SELECTORS } from './limits.ts';
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

const has = (field: string): string => `(has(${field}) && size(${field}) > 0)`;

/** Refuses label selectors that nobody can read, and those that nothing can match. */
const checkSelectors = (trigger: JsonObject): JsonObject => {
  const spec = objectAt(trigger, 'spec') ?? {};
  const errors = itemsAt([spec, 'spec'], 'targetSelectors').flatMap(
    ([selector, at]): readonly FieldError[] => {
      const labels = objectAt(selector, 'labelSelector');
      const problem = labels === undefined ? undefined : selectorProblem(labels);
      return problem === undefined ? [] : [invalid(`${at}.labelSelector`, labels, problem)];
    },
  );
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return trigger;
};

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
            'How long after its creation the trigger is deleted, finished or not; 0 keeps it.',
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
  ),
  status: scheduleTriggerStatus(),
  normalise: checkSelectors,
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
