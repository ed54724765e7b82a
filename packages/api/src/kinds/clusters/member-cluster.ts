import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { boolean, list, map, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { defineKind } from '../../kind/define-kind.ts';
import { mapObject, objectAt, without } from '../../kind/reshape.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { labelValue } from '../placement/label-syntax.ts';
import { clusterTaints } from './cluster-taints.ts';
import { clusterStatus } from './member-cluster-status.ts';
import { resourceModels } from './resource-models.ts';
import { defaultResourceModels, standardiseResourceModels } from './standard-resource-models.ts';

const secretReference = (description: string) =>
  object(description, {
    namespace: string('The namespace of the Secret.', { minLength: 1 }),
    name: string('The name of the Secret.', { minLength: 1 }),
  });

const url = (description: string, form: string, message: string) =>
  check(string(description, { maxLength: 2048 }), {
    rule: `self == '' || self.matches('${form}')`,
    message,
  });

const clusterSpec = () =>
  check(
    object('How the cluster is reached, where it is, and what it is like.', {
      id: optional(
        string(
          'What identifies the cluster whatever it is called; found out on registration, usually from the uid of its kube-system namespace.',
          { maxLength: 128000 },
        ),
      ),
      syncMode: oneOf(
        'Push: the control plane reaches into the cluster. Pull: an agent in the cluster fetches its work.',
        ['Push', 'Pull'],
      ),
      apiEndpoint: optional(
        url(
          'The URL of the cluster’s API server.',
          '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#@]+(/[^?#]*)?$',
          'must be a URL such as https://10.0.0.1:6443, without user, query or fragment',
        ),
      ),
      secretRef: optional(
        secretReference('The Secret to log in with: its keys are token and caBundle.'),
      ),
      impersonatorSecretRef: optional(
        secretReference('The Secret to act for other users with: its key is token.'),
      ),
      insecureSkipTLSVerification: optional(
        boolean('True does not check the certificate of the API server. For tests only.'),
      ),
      proxyURL: optional(
        url(
          'The URL of the proxy through which the cluster is reached.',
          '^(http|https|socks5)://',
          'must be a URL that begins with http://, https:// or socks5://',
        ),
      ),
      proxyHeader: optional(
        map(
          'HTTP headers that the proxy wants; several values are separated by commas.',
          string('The value of the header.'),
        ),
      ),
      provider: optional(labelValue('Who runs the cluster, such as the name of a cloud.')),
      region: optional(labelValue('The region that the cluster is in.')),
      zone: optional(labelValue('The earlier form of zones, for one zone.')),
      zones: optional(list('The zones that the nodes are in.', labelValue('A zone.'))),
      taints: optional(clusterTaints('Marks that keep work away from the cluster.')),
      resourceModels: optional(
        resourceModels(
          'Grades of node sizes, by which the room for replicas is estimated. Nine grades are filled in for a new cluster that names none.',
        ),
      ),
    }),
    {
      rule: "!has(self.zone) || self.zone == '' || !has(self.zones) || size(self.zones) == 0",
      message: 'zone is the earlier form of zones; keep zones',
      fieldPath: '.zone',
    },
  );

/** The earlier field wins over zones that nobody touched, as a user who writes it means it. */
const normaliseZones = (spec: JsonObject, old: JsonObject | undefined): JsonObject => {
  const { zone, zones } = spec;
  if (typeof zone !== 'string' || zone === '') return spec;
  const untouched =
    zones === undefined ||
    (Array.isArray(zones) && zones.length === 0) ||
    sameJson(zones, old?.zones);
  return untouched ? { ...without(spec, 'zone'), zones: [zone] } : spec;
};

const normaliseModels = (spec: JsonObject, old: JsonObject | undefined): JsonObject =>
  spec.resourceModels === undefined && old === undefined
    ? { ...spec, resourceModels: defaultResourceModels() }
    : standardiseResourceModels(spec);

export const MemberCluster = defineKind({
  group: 'cluster.karmada.io',
  version: 'v1alpha1',
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Cluster',
  categories: ['karmada-io'],
  doc: 'A member cluster: a place that work can be sent to.',
  spec: clusterSpec(),
  status: clusterStatus(),
  columns: [
    {
      name: 'Version',
      type: 'string',
      path: '.status.kubernetesVersion',
      doc: 'The version of Kubernetes that it runs.',
    },
    { name: 'Mode', type: 'string', path: '.spec.syncMode', doc: 'Push or Pull.' },
    {
      name: 'Ready',
      type: 'string',
      path: '.status.conditions[?(@.type=="Ready")].status',
      doc: 'Whether it can take work.',
    },
    {
      name: 'APIEndpoint',
      type: 'string',
      path: '.spec.apiEndpoint',
      doc: 'The URL of its API server.',
      priority: 1,
    },
  ],
  rules: [
    {
      rule: "size(self.metadata.name) <= 48 && !self.metadata.name.contains('.')",
      message:
        'the name of a cluster must have at most 48 characters and no dots, as it becomes a part of other names',
      fieldPath: '.metadata',
    },
  ],
  normalise: (cluster, old) => {
    const oldSpec = objectAt(old, 'spec');
    return mapObject(cluster, 'spec', (spec) =>
      normaliseModels(normaliseZones(spec, oldSpec), oldSpec),
    );
  },
});
export type MemberCluster = StoredObjectOf<typeof MemberCluster>;
export type ClusterWritten = WrittenObjectOf<typeof MemberCluster>;
export type ClusterSpec = StoredOf<ReturnType<typeof clusterSpec>>;
