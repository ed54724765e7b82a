import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { int32, list, map, object, oneOf, string } from '../../schema/builder.ts';
import { conditions, objectReference } from '../../schema/fragments.ts';
import { check, optional, withDefault } from '../../schema/schema.ts';

export const DataSource = defineKind({
  group: 'datadependency.volcano.sh',
  version: 'v1alpha1',
  kind: 'DataSource',
  plural: 'datasources',
  scope: 'Cluster',
  shortNames: ['dsrc'],
  doc: 'A data asset that exists in some clusters: the supply side of data, as a PersistentVolume is for storage.',
  spec: object('What the data is and where it lives.', {
    system: string('The data system that holds it, such as hive, s3 or hdfs.', {
      minLength: 1,
      maxLength: 253,
    }),
    type: string('The category within the system, such as table, bucket or prefix.', {
      minLength: 1,
      maxLength: 253,
    }),
    name: string('The identifier of the data within the system.', {
      minLength: 1,
      maxLength: 1024,
    }),
    locality: check(
      object('The clusters where the data is available.', {
        clusterNames: optional(
          list('The clusters, by name.', string('The name of a cluster.'), { maxItems: 10000 }),
        ),
      }),
    ),
    attributes: optional(
      map(
        'Further facts that claims can select by, such as format: parquet.',
        string('The value.'),
      ),
    ),
    reclaimPolicy: withDefault(
      'Retain',
      oneOf('What happens when the last claim is gone: keep the record, or delete it.', [
        'Retain',
        'Delete',
      ]),
    ),
  }),
  status: object('Who uses the data.', {
    claimRefs: optional(
      list('The claims bound to this data source.', objectReference('A bound claim.')),
    ),
    boundClaims: optional(int32('How many claims are bound.', { minimum: 0 })),
    conditions: optional(conditions('What is known about the data source.')),
  }),
  columns: [
    { name: 'System', type: 'string', path: '.spec.system', doc: 'The data system.' },
    { name: 'Name', type: 'string', path: '.spec.name', doc: 'The identifier of the data.' },
  ],
  otherSpellings: { 'status.claimRefs': ['claimRef'] },
});
export type DataSource = StoredObjectOf<typeof DataSource>;
export type DataSourceWritten = WrittenObjectOf<typeof DataSource>;
