import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type { JsonObject } from '@perigee/schema/json';
import { numberIn, objectIn, objectsIn, pick, textIn } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { retainService } from './core.ts';
import { statusesOf } from './generations.ts';
import { healthyIf } from './workload.ts';

const ingressesOf = (object: JsonObject): readonly JsonObject[] =>
  objectsIn(object, 'status', 'loadBalancer', 'ingress');

const hasAddress = (object: JsonObject): boolean =>
  ingressesOf(object).some(
    (entry) => textIn(entry, 'ip') !== '' || textIn(entry, 'hostname') !== '',
  );

/** The load balancer ingresses of all clusters, deduplicated and sorted. */
const jointBalancer = (
  template: JsonObject,
  items: readonly AggregatedStatusItem[],
): JsonObject => {
  const entries = statusesOf(items).flatMap((status) =>
    objectsIn(status, 'loadBalancer', 'ingress'),
  );
  const ingressList = [...new Map(entries.map((entry) => [JSON.stringify(entry), entry]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry);
  return {
    ...template,
    status: { loadBalancer: ingressList.length === 0 ? {} : { ingress: ingressList } },
  };
};

const isBalanced = (object: JsonObject): boolean =>
  textIn(object, 'spec', 'type') === 'LoadBalancer';

export const service: KindInterpreter = {
  apiVersion: 'v1',
  kind: 'Service',
  retain: retainService,
  health: (object) => healthyIf(!isBalanced(object) || hasAddress(object)),
  reflect: (object) =>
    isBalanced(object) && object.status !== undefined
      ? pick(objectIn(object, 'status'), ['loadBalancer'])
      : undefined,
  aggregate: (template, items) =>
    isBalanced(template) ? jointBalancer(template, items) : template,
};

export const ingress: KindInterpreter = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  health: (object) => healthyIf(hasAddress(object)),
  aggregate: jointBalancer,
  dependencies: (object) => {
    const namespace = textIn(object, 'metadata', 'namespace');
    return objectsIn(object, 'spec', 'tls')
      .map((tls) => textIn(tls, 'secretName'))
      .filter((name) => name !== '')
      .map((name) => ({ apiVersion: 'v1', kind: 'Secret', namespace, name }));
  },
};

/** A ServiceImport depends on its derived Service and that one's EndpointSlices. */
export const serviceImport: KindInterpreter = {
  apiVersion: 'multicluster.x-k8s.io/v1alpha1',
  kind: 'ServiceImport',
  dependencies: (object) => {
    const namespace = textIn(object, 'metadata', 'namespace');
    const name = `derived-${textIn(object, 'metadata', 'name')}`;
    const labelSelector = { matchLabels: { 'kubernetes.io/service-name': name } };
    return [
      { apiVersion: 'v1', kind: 'Service', namespace, name },
      { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace, labelSelector },
    ];
  },
};

const sumOf = (items: readonly AggregatedStatusItem[], fields: readonly string[]): JsonObject =>
  Object.fromEntries(
    fields.map((field) => [
      field,
      statusesOf(items).reduce((sum, status) => sum + (numberIn(status, field) ?? 0), 0),
    ]),
  );

const BUDGET = ['disruptionsAllowed', 'expectedPods', 'desiredHealthy', 'currentHealthy'];

export const podDisruptionBudget: KindInterpreter = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  health: ({ status }) => {
    const healthy = numberIn((status ?? {}) as JsonObject, 'currentHealthy') ?? 0;
    return healthyIf(healthy >= (numberIn((status ?? {}) as JsonObject, 'desiredHealthy') ?? 0));
  },
  reflect: ({ status }) =>
    status === undefined ? undefined : pick(status as JsonObject, [...BUDGET, 'disruptedPods']),
  aggregate: (template, items) => {
    const disruptions = items.flatMap(({ clusterName, status }) =>
      Object.entries(objectIn((status ?? {}) as JsonObject, 'disruptedPods')).map(
        ([name, time]) => [`${clusterName}/${name}`, time],
      ),
    );
    const pods = disruptions.length === 0 ? {} : { disruptedPods: Object.fromEntries(disruptions) };
    return { ...template, status: { ...sumOf(items, BUDGET), ...pods } };
  },
};

const SCALED = ['currentReplicas', 'desiredReplicas'];

export const horizontalPodAutoscaler: KindInterpreter = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  reflect: ({ status }) => (status === undefined ? undefined : pick(status as JsonObject, SCALED)),
  aggregate: (template, items) => ({ ...template, status: sumOf(items, SCALED) }),
};
