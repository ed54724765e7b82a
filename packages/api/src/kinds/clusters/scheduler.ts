import { isJsonObject } from '@perigee/schema/json';
import {
  int32,
  int64,
  intOrString,
  list,
  object,
  oneOf,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { node, optional } from '@perigee/schema/structural/schema';
import { conditions, observedGeneration } from '../../fragments/fragments.ts';
import { defineKind, type Normaliser } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { clusterUnion } from './cluster-union.ts';
import { geoLocation, hostAddress } from './inventory-fragments.ts';
import { statusFromWord } from './status-word.ts';

/** Upstream writes the port as a string: both forms pass, and the number is stored. */
const portNumber = (description: string) =>
  node<number, number | string>({
    ...intOrString(description).openapi,
    minimum: 1,
    maximum: 65_535,
    pattern: '^[0-9]{1,5}$',
  });

const phaseFromWord = statusFromWord({
  Pending: 'Pending',
  Active: 'Active',
  Delete: 'Draining',
  Draining: 'Draining',
  Unavailable: 'Unavailable',
});

const normalise: Normaliser = (input, old) => {
  const object = phaseFromWord(input, old);
  if (!isJsonObject(object.spec)) return object;
  const { cluster: _computed, union: _alsoComputed, ...spec } = object.spec;
  const { portNumber: port } = spec;
  const isDigits = typeof port === 'string' && /^[0-9]+$/.test(port);
  return { ...object, spec: isDigits ? { ...spec, portNumber: Number(port) } : spec };
};

const clusterNames = (description: string) =>
  list(description, string('The name of a cluster.', { maxLength: 253 }), { maxItems: 50_000 });

/**
 * A scheduler and its share of the clusters. Which clusters it has is computed, never configured:
 * `status.clusters.desired` is what the sharding gives it, `inUse` what it has taken over and not yet
 * let go. A cluster changes hands only once the old home has dropped it from `inUse`.
 */
export const Scheduler = defineKind({
  group: 'globalscheduler.com',
  version: 'v1',
  kind: 'Scheduler',
  plural: 'schedulers',
  scope: 'Cluster',
  shortNames: ['gscheduler'],
  categories: ['globalscheduler'],
  doc: 'A scheduler that takes charge of a share of the clusters.',
  spec: object('What the administrator says about the scheduler.', {
    location: optional(geoLocation('Where on earth the scheduler runs.')),
    tag: optional(
      string('A word to tell schedulers apart, such as their number.', { maxLength: 63 }),
    ),
    ipAddress: optional(hostAddress('The IP address or host name that it answers on.')),
    portNumber: optional(portNumber('The port that it answers on.')),
  }),
  status: object('What the scheduler has, and how it is.', {
    phase: optional(
      oneOf(
        'Pending until it runs, Active while it takes clusters, Draining while it gives them away, Unavailable when its lease has run out.',
        ['Pending', 'Active', 'Draining', 'Unavailable'],
      ),
    ),
    conditions: optional(conditions<'Scheduler'>('What is known about the scheduler.')),
    observedGeneration: optional(observedGeneration()),
    leaseName: optional(
      string('The Lease that the scheduler renews as its sign of life.', { maxLength: 253 }),
    ),
    epoch: optional(
      int64('Grows with every change of the desired clusters; the newest number is in force.', {
        minimum: 0,
      }),
    ),
    sharding: optional(
      oneOf('How clusters are shared out, as the control plane was told.', [
        'sticky-geo',
        'rendezvous',
        'ring',
      ]),
    ),
    restarts: optional(
      int32('How often its process ended without being asked to, since it last ran for long.', {
        minimum: 0,
      }),
    ),
    lastExit: optional(
      object('How its process last ended without being asked to.', {
        reason: string('What it said, or the code that it ended with.', { maxLength: 1024 }),
        time: time('When that was.'),
        nextStartTime: optional(time('When it is started again.')),
      }),
    ),
    clusterCount: optional(int32('How many clusters are desired.', { minimum: 0 })),
    clusters: optional(
      object('The clusters of this scheduler.', {
        desired: optional(clusterNames('The clusters that it shall be in charge of.')),
        inUse: optional(clusterNames('The clusters that it is in charge of now.')),
      }),
    ),
    union: optional(clusterUnion('What the desired clusters offer, taken together.')),
  }),
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', doc: 'The state.' },
    { name: 'Clusters', type: 'integer', path: '.status.clusterCount', doc: 'Clusters it has.' },
    { name: 'City', type: 'string', path: '.spec.location.city', doc: 'Where it runs.' },
    { name: 'Tag', type: 'string', path: '.spec.tag', doc: 'Its tag.' },
    { name: 'CPU', type: 'integer', path: '.status.union.cpuCapacity', doc: 'Cores in total.' },
    { name: 'Mem', type: 'integer', path: '.status.union.memCapacity', doc: 'GiB in total.' },
    { name: 'Address', type: 'string', path: '.spec.ipAddress', doc: 'Its address.', priority: 1 },
    { name: 'Port', type: 'integer', path: '.spec.portNumber', doc: 'Its port.', priority: 1 },
    { name: 'Epoch', type: 'integer', path: '.status.epoch', doc: 'The epoch.', priority: 1 },
    { name: 'Lease', type: 'string', path: '.status.leaseName', doc: 'The lease.', priority: 1 },
  ],
  otherSpellings: {
    'spec.ipAddress': ['ipaddress'],
    'spec.portNumber': ['portnumber'],
  },
  movedFields: {
    'spec.cluster': 'It is not kept: the clusters are computed and stand in status.clusters.',
    'spec.union': 'It is not kept: the union is computed and stands in status.union.',
  },
  normalise,
});
export type Scheduler = StoredObjectOf<typeof Scheduler>;
export type SchedulerWritten = WrittenObjectOf<typeof Scheduler>;
