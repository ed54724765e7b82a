import type { JsonObject } from '@perigee/schema/json';
import { SPEC_NAMES, STATUS_NAMES } from '../profile/profile-names.ts';
import { jsonSchemaOf } from './json-schema.ts';

export const refTo = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const NAME: JsonObject = {
  type: 'string',
  description: 'Lower-case letters, digits and dashes, at most 48 of them.',
  pattern: '^[a-z0-9]([-a-z0-9]{0,46}[a-z0-9])?$',
};

const ID: JsonObject = {
  type: 'string',
  format: 'uuid',
  description: 'Given by the server, and never used twice.',
};

const LABELS: JsonObject = {
  type: 'object',
  description: 'Words by which clusters can be selected.',
  additionalProperties: { type: 'string', maxLength: 63 },
};

const PROFILE_PARTS: JsonObject = {
  cluster_id: ID,
  cluster_name: NAME,
  cluster_labels: LABELS,
  cluster_spec: refTo('ClusterSpec'),
  cluster_status: refTo('ClusterStatus'),
};

const text = (description: string): JsonObject => ({ type: 'string', description });

const object = (
  description: string,
  properties: JsonObject,
  required: readonly string[],
): JsonObject => ({ type: 'object', description, required, properties });

const around = (name: string): JsonObject =>
  object('A cluster.', { cluster_profile: refTo(name) }, ['cluster_profile']);

/** The request and response bodies of the REST API. */
export const schemas = (): JsonObject => ({
  ClusterName: NAME,
  ClusterId: ID,
  ClusterSpec: jsonSchemaOf(SPEC_NAMES),
  ClusterStatus: jsonSchemaOf(STATUS_NAMES),
  NewClusterProfile: object(
    'A cluster to register.',
    { cluster_name: NAME, cluster_labels: LABELS, cluster_spec: refTo('ClusterSpec') },
    ['cluster_name', 'cluster_spec'],
  ),
  ClusterProfile: object('A cluster that is registered.', PROFILE_PARTS, [
    'cluster_id',
    'cluster_name',
    'cluster_spec',
    'cluster_status',
  ]),
  KnownClusterProfile: object(
    'What is to be said of a cluster from now on: what it leaves out goes, but for labels. Its status counts for nothing.',
    PROFILE_PARTS,
    ['cluster_spec'],
  ),
  NewCluster: around('NewClusterProfile'),
  KnownCluster: around('KnownClusterProfile'),
  Cluster: around('ClusterProfile'),
  ClusterList: object(
    'Clusters in the order of their names.',
    {
      clusters: { type: 'array', items: refTo('ClusterProfile') },
      continue: text('Leads to the next page; absent on the last one.'),
      remaining: {
        type: 'integer',
        minimum: 0,
        description: 'How many clusters come after this page.',
      },
    },
    ['clusters'],
  ),
  Unregistered: object(
    'A cluster that is no longer registered.',
    {
      deleted: text('What the request called it: its id or its name.'),
      cluster_id: ID,
      cluster_name: NAME,
      outcome: {
        type: 'string',
        enum: ['removed', 'leaving'],
        description: 'It leaves as long as somebody still cleans up after it.',
      },
    },
    ['deleted', 'cluster_id', 'cluster_name', 'outcome'],
  ),
  Problem: object(
    'What went wrong, as RFC 9457 has it.',
    {
      type: text('Always about:blank.'),
      title: text('The words for the code.'),
      status: { type: 'integer', description: 'The code.' },
      detail: text('What is wrong, and what to do.'),
      reason: text('A word for programs, such as NameTaken.'),
      errors: {
        type: 'array',
        description: 'What is wrong with which field or parameter.',
        items: object('One of them.', { field: text('Where.'), detail: text('What.') }, [
          'field',
          'detail',
        ]),
      },
    },
    ['type', 'title', 'status', 'detail'],
  ),
});
