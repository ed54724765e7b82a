import {
  int32,
  int64,
  list,
  listMap,
  map,
  object,
  oneOf,
  quantity,
  set,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { check, immutable, optional, withDefault } from '@perigee/schema/structural/schema';
import { conditions, objectReference } from '../../fragments/fragments.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { clusterAffinity } from '../placement/cluster-affinity.ts';
import { MAX_CLUSTERS } from '../placement/limits.ts';

/** Claims are bound by these three; another identity is another data source. */
const identity = (description: string, maxLength: number) =>
  immutable(
    string(description, { minLength: 1, maxLength }),
    'system, type and name say which data this is; make another DataSource for other data',
  );

const clusters = (description: string) =>
  set(description, string('The name of a cluster.', { minLength: 1, maxLength: 253 }), {
    maxItems: MAX_CLUSTERS,
  });

const locality = check(
  object(
    'Where the data is. With both fields, it is in the clusters that either of them gives. Clusters that join later count as soon as the affinity selects them.',
    {
      clusterNames: optional(
        clusters(
          'The clusters, by name. An empty list means nowhere yet: work that claims the data waits, and never runs just anywhere.',
        ),
      ),
      clusterAffinity: optional(
        clusterAffinity(
          'The clusters, by a rule. One without any condition selects every cluster.',
        ),
      ),
    },
  ),
  {
    rule: 'has(self.clusterNames) || has(self.clusterAffinity)',
    message: 'say where the data is, by clusterNames or clusterAffinity',
    reason: 'FieldValueRequired',
  },
);

/**
 * The supply side of data, as a PersistentVolume is for storage. Its locality, attributes and
 * reclaim policy may change at any time, and bound claims follow; its identity may not.
 */
export const DataSource = defineKind({
  group: 'datadependency.volcano.sh',
  version: 'v1alpha1',
  kind: 'DataSource',
  plural: 'datasources',
  scope: 'Cluster',
  shortNames: ['dsrc'],
  doc: 'A data asset that exists in some clusters. Workloads that claim it run only there.',
  spec: object('What the data is and where it is.', {
    system: identity('The data system that holds it, such as hive, s3 or hdfs.', 253),
    type: identity('The category within the system, such as table, bucket or prefix.', 253),
    name: identity('The identifier of the data within the system.', 1024),
    locality,
    attributes: optional(
      map('Further facts that claims can ask for, such as format: parquet.', string('The value.')),
    ),
    size: optional(quantity('How much data it is, such as 120Gi.')),
    reclaimPolicy: withDefault(
      'Retain',
      oneOf('What happens when the last claim is gone: keep the record, or delete it.', [
        'Retain',
        'Delete',
      ]),
    ),
  }),
  status: object('Where the data was found to be, and who uses it.', {
    clusters: optional(clusters('The clusters that the locality gives at present, in order.')),
    copies: optional(
      listMap(
        'For data that operations bring to clusters: what is known of each copy.',
        ['cluster'],
        object('A complete copy of the data, as it is now.', {
          cluster: string('The cluster that has it.', { minLength: 1, maxLength: 253 }),
          bytes: optional(int64('How many bytes there are.', { minimum: 0 })),
          files: optional(int64('How many files there are.', { minimum: 0 })),
          digest: optional(string('A checksum of all files and their names.')),
          time: optional(time('When the copy was made.')),
          claim: optional(string('The PersistentVolumeClaim that it is in.')),
          path: optional(string('The directory in that claim; its root when left out.')),
        }),
      ),
    ),
    claimRefs: optional(
      list(
        'The claims bound to this data source: the first 100 by name.',
        objectReference('A bound claim.'),
      ),
    ),
    boundClaims: optional(int32('How many claims are bound, listed or not.', { minimum: 0 })),
    conditions: optional(conditions<'DataSource'>('What is known about the data source.')),
  }),
  columns: [
    { name: 'System', type: 'string', path: '.spec.system', doc: 'The data system.' },
    { name: 'Type', type: 'string', path: '.spec.type', doc: 'The category of the data.' },
    { name: 'Data', type: 'string', path: '.spec.name', doc: 'The identifier of the data.' },
    { name: 'Clusters', type: 'string', path: '.status.clusters', doc: 'Where the data is.' },
    { name: 'Claims', type: 'integer', path: '.status.boundClaims', doc: 'Bound claims.' },
    {
      name: 'Reclaim',
      type: 'string',
      path: '.spec.reclaimPolicy',
      doc: 'What happens when the last claim is gone.',
      priority: 1,
    },
  ],
  otherSpellings: { 'status.claimRefs': ['claimRef'] },
});
export type DataSource = StoredObjectOf<typeof DataSource>;
export type DataSourceWritten = WrittenObjectOf<typeof DataSource>;
export type DataSourceSpec = DataSource['spec'];
export type DataSourceLocality = DataSourceSpec['locality'];
export type DataSourceStatus = NonNullable<DataSource['status']>;
export type DataSourceCopy = NonNullable<DataSourceStatus['copies']>[number];
