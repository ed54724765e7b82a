import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { boolean, int32, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import {
  check,
  immutable,
  optional,
  type StoredOf,
  withDefault,
} from '@perigee/schema/structural/schema';
import type { Normaliser, PrinterColumn } from '../../kind/define-kind.ts';
import { mapObject, objectAt } from '../../kind/reshape.ts';
import { failover, normaliseFailover } from './failover.ts';
import { normalisePlacement, placement } from './placement.ts';
import { resourceSelectors } from './resource-selector.ts';
import { suspension } from './suspension.ts';

export const conflictResolution = () =>
  withDefault(
    'Abort',
    oneOf(
      'What happens when a target cluster already has the object and nobody handed it over: Abort leaves it alone and reports a conflict, Overwrite takes it over.',
      ['Abort', 'Overwrite'],
    ),
  );

/** The spec of both kinds of propagation policy: which resources go to which clusters, and how. */
export const propagationSpec = () =>
  check(
    object('Which resources are propagated, to which clusters, and how.', {
      resourceSelectors: resourceSelectors(
        'The resources that are propagated. There is no way to say every kind, so that a Secret never leaves by accident.',
        { minItems: 1 },
      ),
      association: optional(
        boolean('Has no effect; the earlier form of propagateDeps, kept for old manifests.'),
      ),
      propagateDeps: optional(
        boolean(
          'True also propagates what the resources depend on, such as the ConfigMaps and Secrets of a Deployment, and moves it along with them.',
        ),
      ),
      placement: optional(
        placement('The clusters that the resources go to; every cluster when left out.'),
      ),
      priority: withDefault(
        0,
        int32(
          'Which policy gets a resource that several select: the highest priority; then the one that selects by name, before labels, before kind alone; then the first by name of the policy. A resource that has a policy keeps it, unless preemption allows otherwise.',
        ),
      ),
      preemption: withDefault(
        'Never',
        oneOf(
          'Always takes resources from policies of lower priority, and those with a namespace also from cluster-wide ones; then every selector needs a name.',
          ['Always', 'Never'],
        ),
      ),
      dependentOverrides: optional(
        list(
          'The override policies that must exist before this policy does anything, so that resources never arrive without their overrides.',
          string('The name of an override policy.'),
        ),
      ),
      schedulerName: immutable(
        withDefault(
          'default-scheduler',
          string('The scheduler that chooses the clusters; fixed once the policy exists.'),
        ),
        'schedulerName cannot be changed; create another policy instead',
      ),
      failover: optional(
        failover('When and how resources move away from trouble; they stay put when left out.'),
      ),
      conflictResolution: conflictResolution(),
      activationPreference: optional(
        oneOf(
          'Lazy lets a change of this policy reach a resource only when that resource is next changed itself, so that a wide policy can be rolled out step by step. At once when left out.',
          ['Lazy'],
        ),
      ),
      suspension: optional(suspension('What is held back for now.')),
      preserveResourcesOnDeletion: optional(
        boolean(
          'True leaves the objects in the member clusters when their resource is deleted here. Deleting the policy never deletes them.',
        ),
      ),
      schedulePriority: optional(
        object('The order in which waiting work is scheduled.', {
          priorityClassSource: oneOf('The kind of priority class that priorityClassName names.', [
            'KubePriorityClass',
          ]),
          priorityClassName: string(
            'The PriorityClass of scheduling.k8s.io whose value is the priority.',
          ),
        }),
      ),
    }),
    {
      rule: '!has(self.failover) || !has(self.failover.application) || (has(self.propagateDeps) && self.propagateDeps)',
      message:
        'failover.application needs propagateDeps: true, so that what the application depends on moves along',
      fieldPath: '.propagateDeps',
    },
    {
      rule: "self.preemption != 'Always' || self.resourceSelectors.all(s, has(s.name) && s.name != '')",
      message:
        'preemption Always needs a name in every selector, so that nothing unexpected is taken from another policy',
      fieldPath: '.resourceSelectors',
    },
  );

const selectsServiceImport = (spec: JsonObject): boolean => {
  const { resourceSelectors: selectors } = spec;
  return (
    Array.isArray(selectors) &&
    selectors.some((selector) => isJsonObject(selector) && selector.kind === 'ServiceImport')
  );
};

/** An imported service is of no use without the service and endpoints derived from it. */
const withDependenciesOfServices = (spec: JsonObject): JsonObject =>
  selectsServiceImport(spec) ? { ...spec, propagateDeps: true } : spec;

/** Fills in what a propagation policy means when it leaves something out. */
export const normalisePropagation: Normaliser = (policy, old) =>
  mapObject(policy, 'spec', (spec) => {
    const withPlacement = mapObject(spec, 'placement', normalisePlacement);
    return withDependenciesOfServices(normaliseFailover(withPlacement, objectAt(old, 'spec')));
  });

export const PROPAGATION_COLUMNS: readonly PrinterColumn[] = [
  {
    name: 'Conflict-Resolution',
    type: 'string',
    path: '.spec.conflictResolution',
    doc: 'What happens when a cluster already has the object.',
  },
  {
    name: 'Priority',
    type: 'string',
    path: '.spec.priority',
    doc: 'Which of several policies gets a resource.',
  },
];

export type PropagationSpec = StoredOf<ReturnType<typeof propagationSpec>>;
