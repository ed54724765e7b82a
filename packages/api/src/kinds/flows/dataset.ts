import { list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, withDefault } from '@perigee/schema/structural/schema';
import { nodeSelector } from '../../fragments/pod-affinity.ts';
import { tolerations } from '../../fragments/pod-tolerations.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { datasetStatus, runtimes } from './dataset-status.ts';
import { backupPlace, encryptOptions, mount, options, user } from './storage-fragments.ts';

export const Dataset = defineKind({
  group: 'data.fluid.io',
  version: 'v1alpha1',
  kind: 'Dataset',
  plural: 'datasets',
  scope: 'Namespaced',
  shortNames: ['dataset'],
  categories: ['fluid'],
  doc: 'Data that belongs together, from one or more storage systems, ready to be mounted by pods.',
  /** A dataset whose runtime holds the data itself needs no fields, so its spec may be missing. */
  spec: withDefault(
    {},
    object('What the data is, and where it may be cached.', {
      mounts: optional(
        list(
          'The storage that the data is in. Left out for runtimes that hold the data themselves.',
          mount('One storage system, or a part of one.'),
          { minItems: 1 },
        ),
      ),
      owner: optional(user('The user that the files belong to.')),
      nodeAffinity: optional(
        object('The nodes that may cache the data; pods that use it follow.', {
          required: optional(nodeSelector('The nodes that are allowed.')),
        }),
      ),
      tolerations: optional(tolerations('The taints that the cache puts up with.')),
      accessModes: optional(
        list(
          'How pods may mount the data; ReadOnlyMany when left out, so writers need ReadWriteMany.',
          oneOf('A way to mount.', [
            'ReadWriteOnce',
            'ReadOnlyMany',
            'ReadWriteMany',
            'ReadWriteOncePod',
          ]),
        ),
      ),
      runtimes: optional(runtimes('The runtimes that serve the dataset.')),
      placement: optional(
        oneOf('Whether the cache has its nodes to itself, which it has when this is empty.', [
          'Exclusive',
          '',
          'Shared',
        ]),
      ),
      dataRestoreLocation: optional(
        object('The backup to start from.', {
          path: optional(
            check(
              string('Where it is: the backupPath of the DataBackup that made it.', {
                maxLength: 4096,
              }),
              backupPlace,
            ),
          ),
          dataset: optional(
            check(
              string('Whose backup it is, as namespace/name; the own one when left out.', {
                maxLength: 317,
              }),
              {
                rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",
                message: 'must be namespace/name',
              },
            ),
          ),
          options: optional(options('Options for this storage.')),
          encryptOptions: optional(encryptOptions('Its credentials.')),
          nodeName: optional(string('For local://, the node that it is on.')),
        }),
      ),
      sharedOptions: optional(options('Options for all mounts.')),
      sharedEncryptOptions: optional(encryptOptions('Options for all mounts with secret values.')),
    }),
  ),
  status: datasetStatus(),
  columns: [
    { name: 'Ufs Total Size', type: 'string', path: '.status.ufsTotal', doc: 'Size of the data.' },
    {
      name: 'Cached',
      type: 'string',
      path: '.status.cacheStates.cached',
      doc: 'How much is cached.',
    },
    {
      name: 'Cache Capacity',
      type: 'string',
      path: '.status.cacheStates.cacheCapacity',
      doc: 'How much could be cached.',
    },
    {
      name: 'Cached Percentage',
      type: 'string',
      path: '.status.cacheStates.cachedPercentage',
      doc: 'Which part is cached.',
    },
    { name: 'Phase', type: 'string', path: '.status.phase', doc: 'The state.' },
    {
      name: 'HCFS URL',
      type: 'string',
      path: '.status.hcfs.endpoint',
      doc: 'Access in the manner of Hadoop.',
      priority: 10,
    },
    {
      name: 'Cache Hit Ratio',
      type: 'string',
      path: '.status.cacheStates.cacheHitRatio',
      doc: 'How often the cache had what was read.',
      priority: 10,
    },
    {
      name: 'Total Files',
      type: 'string',
      path: '.status.fileNum',
      doc: 'The number of files.',
      priority: 11,
    },
  ],
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$')",
      message:
        'the name must be lower-case letters, digits and dashes, begin with a letter and have at most 63 characters, because services are named after it',
      fieldPath: '.metadata',
    },
  ],
});
export type Dataset = StoredObjectOf<typeof Dataset>;
export type DatasetStatus = NonNullable<Dataset['status']>;
export type DatasetWritten = WrittenObjectOf<typeof Dataset>;
