import {
  anyObject,
  boolean,
  embeddedObject,
  int64,
  list,
  object,
  string,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { conditions } from '../../fragments/fragments.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { resourceHealth } from './resource-health.ts';

const manifestStatus = () =>
  object('How one manifest is doing.', {
    identifier: object('Which manifest is meant.', {
      ordinal: int64('Its place in the list of manifests, from 0.', { minimum: 0 }),
      group: optional(string('The API group of the object; none for the core group.')),
      version: string('The version within the API group.'),
      kind: string('The kind of the object.'),
      resource: string('The plural name of the kind, as in URLs.'),
      namespace: optional(string('The namespace of the object, if it has one.')),
      name: string('The name of the object.'),
    }),
    status: optional(anyObject('The status of the object, as the cluster reports it.')),
    health: optional(resourceHealth()),
  });

export const Work = defineKind({
  group: 'work.karmada.io',
  version: 'v1alpha1',
  kind: 'Work',
  plural: 'works',
  scope: 'Namespaced',
  shortNames: ['wk'],
  categories: ['karmada-io'],
  doc: 'Objects to be kept in one member cluster: the one whose namespace karmada-es-<cluster> the Work is in.',
  spec: object('What the cluster should have.', {
    workload: optional(
      object('The objects.', {
        manifests: optional(
          list('The objects, ready to be applied.', embeddedObject('An object of any kind.')),
        ),
      }),
    ),
    suspendDispatching: optional(
      boolean('True sends nothing to the cluster for now; its status is still collected.'),
    ),
    preserveResourcesOnDeletion: optional(
      boolean('True leaves the objects in the cluster when the Work is deleted.'),
    ),
  }),
  status: object('What the cluster has.', {
    conditions: optional(
      conditions<'Work'>(
        'What is known about the Work: Applied says whether the cluster has all objects, Dispatching whether they are sent at all.',
      ),
    ),
    manifestStatuses: optional(list('How each manifest is doing.', manifestStatus())),
  }),
  columns: [
    {
      name: 'Workload-Kind',
      type: 'string',
      path: '.spec.workload.manifests[*].kind',
      doc: 'The kinds of the objects.',
    },
    {
      name: 'Applied',
      type: 'string',
      path: '.status.conditions[?(@.type=="Applied")].status',
      doc: 'Whether the cluster has all objects.',
    },
  ],
});
export type Work = StoredObjectOf<typeof Work>;
export type WorkWritten = WrittenObjectOf<typeof Work>;
export type ManifestStatus = StoredOf<ReturnType<typeof manifestStatus>>;
