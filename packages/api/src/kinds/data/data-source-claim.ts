import { InvalidObjectError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { int32, map, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional } from '@perigee/schema/structural/schema';
import { conditions, labelSelector } from '../../fragments/fragments.ts';
import { defineKind } from '../../kind/define-kind.ts';
import { mapObject, objectAt } from '../../kind/reshape.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { claimCopy, copiedInAll, copyLimit } from './claim-copy.ts';

/**
 * A claim holds the workload that it names, so it may only name one of its own namespace: otherwise
 * one tenant could hold the work of another for ever. Rules of a CRD cannot see the namespace.
 */
const inOwnNamespace = (claim: JsonObject): JsonObject => {
  const own = objectAt(claim, 'metadata')?.namespace;
  if (typeof own !== 'string' || own === '') return claim;
  return mapObject(claim, 'spec', (spec) =>
    mapObject(spec, 'workload', ({ namespace = '', ...workload }) => {
      if (namespace === '' || namespace === own) return { ...workload, namespace: own };
      throw new InvalidObjectError([
        invalid(
          'spec.workload.namespace',
          namespace,
          `must be the namespace of the claim, which is ${own}`,
        ),
      ]);
    }),
  );
};

const spec = check(
  object('Which data is needed, and by which workload.', {
    system: string('The data system, as in the system of a DataSource.', {
      minLength: 1,
      maxLength: 253,
    }),
    dataSourceType: string('The category of data, as in the type of a DataSource.', {
      minLength: 1,
      maxLength: 253,
    }),
    dataSourceName: optional(
      string(
        'The data itself: the spec.name of a DataSource of this system and type, or else the metadata.name of any DataSource. The attributesSelector then does not count. When left out, any data that fits otherwise will do.',
        { minLength: 1, maxLength: 1024 },
      ),
    ),
    attributes: optional(
      map('Attributes that the DataSource must have with these values.', string('The value.')),
    ),
    attributesSelector: optional(
      labelSelector('Conditions on the attributes of the DataSource, as a label selector.'),
    ),
    workload: optional(
      object('The one workload that needs the data.', {
        apiVersion: string('Its API version, such as apps/v1.', { minLength: 1, maxLength: 317 }),
        kind: string('Its kind, such as Deployment.', { minLength: 1, maxLength: 63 }),
        name: string('Its name.', { minLength: 1, maxLength: 253 }),
        namespace: optional(
          string('Its namespace, which is that of the claim; filled in when left out.', {
            maxLength: 63,
          }),
        ),
      }),
    ),
    workloadSelector: optional(
      labelSelector(
        'The workloads of the claim’s namespace that need the data, by their labels. An empty selector means all of them.',
      ),
    ),
    onRunning: optional(
      oneOf(
        'What becomes of work that already runs in clusters without the data: Move takes it to the data, Keep leaves it where it is and only keeps it from other such clusters. When left out, it is moved, except for started work that runs to completion, which would run twice.',
        ['Move', 'Keep'],
      ),
    ),
    onMissing: optional(
      oneOf(
        'What is done when the data is there, and not where the work may run, or has room: Wait does nothing, and is meant when this is left out. Copy has the data copied within copyLimit when that is better than to wait, as `perigee data plan` would say. It takes a Dataset of the own namespace, and the right to create DataLoads there.',
        ['Wait', 'Copy'],
      ),
    ),
    copyLimit: optional(copyLimit()),
    preference: optional(
      int32(
        'Makes the claim a wish: work rather runs where the data is, but also elsewhere, reading it from afar, and never waits for it. The number is the score of clusters with the data beside the other scores, such as the 100 of clusters where the work runs already.',
        { minimum: 1, maximum: 100 },
      ),
    ),
  }),
  {
    rule: 'has(self.workload) || has(self.workloadSelector)',
    message: 'say who needs the data, by workload or workloadSelector',
    reason: 'FieldValueRequired',
    fieldPath: '.workload',
  },
  {
    rule: '!has(self.workload) || !has(self.workloadSelector)',
    message: 'is given beside workload; keep one of them',
    reason: 'FieldValueForbidden',
    fieldPath: '.workloadSelector',
  },
  {
    rule: "!has(self.onMissing) || self.onMissing != 'Copy' || has(self.copyLimit)",
    message: 'with onMissing: Copy, say how much may be copied, such as {bytes: 50Gi}',
    reason: 'FieldValueRequired',
    fieldPath: '.copyLimit',
  },
  {
    rule: "!has(self.copyLimit) || (has(self.onMissing) && self.onMissing == 'Copy')",
    message: 'limits copies, which only onMissing: Copy makes',
    reason: 'FieldValueForbidden',
    fieldPath: '.copyLimit',
  },
  {
    rule: "!has(self.preference) || !has(self.onMissing) || self.onMissing != 'Copy'",
    message:
      'is a wish, for which no work waits, so that nothing would ever be copied; keep onMissing: Copy or preference',
    reason: 'FieldValueForbidden',
    fieldPath: '.preference',
  },
);

/**
 * The demand side of data, as a PersistentVolumeClaim is for storage. Any part of it may change;
 * it is then bound anew. Its workload may come before or after it. Several claims for one workload
 * are met together: it runs where all of the data is.
 */
export const DataSourceClaim = defineKind({
  group: 'datadependency.volcano.sh',
  version: 'v1alpha1',
  kind: 'DataSourceClaim',
  plural: 'datasourceclaims',
  scope: 'Namespaced',
  shortNames: ['dsc'],
  doc: 'A request for data by workloads of the same namespace, which then run only where the data is.',
  spec,
  // No default for the phase: the server drops the status of a new object, so the default would
  // not show before the controller has written, and the controller writes the phase itself.
  status: object('What the claim got.', {
    phase: optional(
      oneOf('Whether the data was found. A claim that has no phase yet is pending.', [
        'Pending',
        'Bound',
      ]),
    ),
    boundDataSource: optional(string('The metadata.name of the DataSource that was found.')),
    copy: optional(claimCopy()),
    copied: optional(copiedInAll()),
    conditions: optional(
      conditions<'DataSourceClaim'>('What is known about the claim, and why it waits.'),
    ),
  }),
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', doc: 'Pending or Bound.' },
    {
      name: 'Bound To',
      type: 'string',
      path: '.status.boundDataSource',
      doc: 'The DataSource that was found.',
    },
    {
      name: 'Workload',
      type: 'string',
      path: '.spec.workload.name',
      doc: 'The workload that needs the data.',
    },
    { name: 'System', type: 'string', path: '.spec.system', doc: 'The data system.', priority: 1 },
    {
      name: 'Type',
      type: 'string',
      path: '.spec.dataSourceType',
      doc: 'The category of data.',
      priority: 1,
    },
    {
      name: 'Data',
      type: 'string',
      path: '.spec.dataSourceName',
      doc: 'The data that is asked for.',
      priority: 1,
    },
  ],
  otherSpellings: { 'status.boundDataSource': ['boundTo'] },
  normalise: inOwnNamespace,
});
export type DataSourceClaim = StoredObjectOf<typeof DataSourceClaim>;
export type DataSourceClaimWritten = WrittenObjectOf<typeof DataSourceClaim>;
export type DataSourceClaimSpec = DataSourceClaim['spec'];
export type DataSourceClaimStatus = NonNullable<DataSourceClaim['status']>;
export type ClaimedWorkload = NonNullable<DataSourceClaimSpec['workload']>;
