import { int64, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, immutable, optional, withDefault } from '@perigee/schema/structural/schema';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { clusterRecordStatus } from './cluster-record-status.ts';
import { dataTransfer } from './data-transfer.ts';
import {
  cpuCapacity,
  distinct,
  eipCapacity,
  flavorFields,
  geoLocation,
  hostAddress,
  memCapacity,
  operatorFields,
  regionFields,
  storageFields,
} from './inventory-fragments.ts';
import { statusFromWord } from './status-word.ts';

/**
 * The record of a cluster in the inventory. Its identity, the `cluster_id` of the REST API, is
 * `metadata.uid`: a UUID that every object has, that nobody can choose and that is never used twice.
 * It is cluster-scoped because the execution target that follows from it, one to one and under the
 * same name, is.
 */
export const ClusterRecord = defineKind({
  group: 'globalscheduler.com',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Cluster',
  shortNames: ['gcluster'],
  categories: ['globalscheduler'],
  doc: 'A cluster that is known to the control plane: where it is, what it has, who schedules to it. Its id is metadata.uid.',
  spec: object('What the administrator says about the cluster.', {
    type: withDefault(
      'kubernetes',
      immutable(
        oneOf(
          'What runs there: a Kubernetes API server, a virtual member of this control plane, or OpenStack.',
          ['kubernetes', 'virtual', 'openstack'],
        ),
        'a cluster cannot become one of another type; unregister it and register it again',
      ),
    ),
    ipAddress: optional(hostAddress('The IP address or host name of the cluster.')),
    apiEndpoint: optional(
      check(
        string('The URL of its API server, when that is not what the kubeconfig says.', {
          maxLength: 2048,
        }),
        {
          rule: "self.matches('^https?://[^@ ]+$')",
          message: 'must be an http or https URL without credentials, which belong in secretRef',
        },
      ),
    ),
    secretRef: optional(
      object(
        'The Secret with the credentials: the key kubeconfig, or token and caBundle. Credentials never stand in the record itself.',
        {
          namespace: string('The namespace of the Secret.', { minLength: 1, maxLength: 63 }),
          name: string('The name of the Secret.', { minLength: 1, maxLength: 253 }),
        },
      ),
    ),
    geoLocation: optional(geoLocation('Where on earth the cluster is.')),
    region: optional(object('Where the provider counts the cluster to.', regionFields)),
    operator: optional(object('Who operates the cluster.', operatorFields)),
    flavors: optional(
      check(
        list('The machine sizes on offer.', object('One machine size.', flavorFields), {
          maxItems: 128,
        }),
        distinct('flavorID'),
      ),
    ),
    storage: optional(
      check(
        list('The storage on offer.', object('One kind of storage.', storageFields), {
          maxItems: 16,
        }),
        distinct('typeID'),
      ),
    ),
    eipCapacity: optional(eipCapacity()),
    cpuCapacity: optional(cpuCapacity()),
    memCapacity: optional(memCapacity()),
    serverPrice: optional(
      int64('What a server costs, in the unit that the whole fleet uses.', { minimum: 0 }),
    ),
    dataTransfer: optional(dataTransfer()),
    homeScheduler: optional(
      string(
        'The scheduler that the administrator wishes for. The one that is in charge stands in status.homeScheduler.',
        { maxLength: 253 },
      ),
    ),
    homeDispatcher: optional(
      string('The dispatcher that the administrator wishes for.', { maxLength: 253 }),
    ),
  }),
  status: clusterRecordStatus(),
  columns: [
    { name: 'Region', type: 'string', path: '.spec.region.region', doc: 'The region.' },
    { name: 'AZ', type: 'string', path: '.spec.region.availabilityZone', doc: 'The zone.' },
    { name: 'City', type: 'string', path: '.spec.geoLocation.city', doc: 'The city.' },
    { name: 'Phase', type: 'string', path: '.status.phase', doc: 'The state.' },
    {
      name: 'Home',
      type: 'string',
      path: '.status.homeScheduler',
      doc: 'The scheduler in charge.',
    },
    // From `status.capacity`, which members of every type report; `spec` need not have these amounts.
    { name: 'CPU', type: 'string', path: '.status.capacity.cpu', doc: 'CPU cores it has.' },
    { name: 'Mem', type: 'string', path: '.status.capacity.memory', doc: 'Memory it has.' },
    {
      name: 'Why',
      type: 'string',
      path: '.status.conditions[?(@.type=="Ready")].reason',
      doc: 'The reason of its phase.',
      priority: 1,
    },
    { name: 'Type', type: 'string', path: '.spec.type', doc: 'What runs there.', priority: 1 },
    {
      name: 'Declared-CPU',
      type: 'integer',
      path: '.spec.cpuCapacity',
      doc: 'CPU cores as the record says.',
      priority: 1,
    },
    {
      name: 'Declared-Mem',
      type: 'integer',
      path: '.spec.memCapacity',
      doc: 'Memory in GiB as the record says.',
      priority: 1,
    },
    { name: 'Address', type: 'string', path: '.spec.ipAddress', doc: 'The address.', priority: 1 },
    {
      name: 'Country',
      type: 'string',
      path: '.spec.geoLocation.country',
      doc: 'The country.',
      priority: 1,
    },
    {
      name: 'Operator',
      type: 'string',
      path: '.spec.operator.operator',
      doc: 'The operator.',
      priority: 1,
    },
    { name: 'EIP', type: 'integer', path: '.spec.eipCapacity', doc: 'Public IPs.', priority: 1 },
    { name: 'Price', type: 'integer', path: '.spec.serverPrice', doc: 'Per server.', priority: 1 },
    { name: 'Seen', type: 'date', path: '.status.lastSeenTime', doc: 'Last answer.', priority: 1 },
    { name: 'ID', type: 'string', path: '.metadata.uid', doc: 'The cluster id.', priority: 1 },
  ],
  selectableFields: [
    '.spec.type',
    '.spec.region.region',
    '.spec.region.availabilityZone',
    '.spec.geoLocation.city',
    '.spec.geoLocation.country',
    '.spec.operator.operator',
    '.status.phase',
    '.status.homeScheduler',
  ],
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z0-9]([-a-z0-9]{0,46}[a-z0-9])?$')",
      message:
        'the name must be lower-case letters, digits and dashes, at most 48 of them, because it becomes part of a namespace',
      fieldPath: '.metadata',
    },
  ],
  otherSpellings: {
    'spec.ipAddress': ['ipAdrress', 'ipaddress'],
    'spec.geoLocation': ['GeoLocation', 'geolocation'],
    'spec.region': ['Region'],
    'spec.region.availabilityZone': ['AvailabilityZone', 'availabilityzone'],
    'spec.operator': ['Operator'],
    'spec.flavors[].flavorID': ['FlavorID', 'flavorid'],
    'spec.flavors[].totalCapacity': ['TotalCapacity', 'totalcapacity'],
    'spec.storage[].typeID': ['TypeID', 'typeid'],
    'spec.storage[].storageCapacity': ['StorageCapacity', 'storagecapacity'],
    'spec.eipCapacity': ['EipCapacity', 'eipcapacity'],
    'spec.cpuCapacity': ['CPUCapacity', 'cpucapacity'],
    'spec.memCapacity': ['MemCapacity', 'memcapacity'],
    'spec.serverPrice': ['ServerPrice', 'serverprice'],
    'spec.homeScheduler': ['HomeScheduler', 'homescheduler'],
    'spec.homeDispatcher': ['HomeDispatcher', 'HomeDispatcher ', 'homedispatcher'],
  },
  normalise: statusFromWord({
    Created: 'Pending',
    Updated: 'Pending',
    Pending: 'Pending',
    Ready: 'Ready',
    Down: 'NotReady',
    Offline: 'NotReady',
    NotReady: 'NotReady',
    Unreachable: 'Unreachable',
    Unknown: 'Unknown',
  }),
});
export type ClusterRecord = StoredObjectOf<typeof ClusterRecord>;
export type ClusterWritten = WrittenObjectOf<typeof ClusterRecord>;
