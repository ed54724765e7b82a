import type { Chance } from './chance.ts';
import { makeBodyOf, PROTOBUF, YAML } from './make-body.ts';
import { autoscaler, configMap, deployment, policy, service } from './sent-objects.ts';

/** A request that would be right as it is. */
interface Scenario {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly object?: unknown;
}

const OWN = '/api/v1/namespaces/own';
const APPS = '/apis/apps/v1/namespaces/own/deployments';
const POLICIES = '/apis/policy.karmada.io/v1alpha1/namespaces/own/propagationpolicies';
const SCALERS = '/apis/autoscaling/v2/namespaces/own/horizontalpodautoscalers';
const REVIEWS = '/apis/authorization.k8s.io/v1';
const JSON_TYPE = 'application/json';

/** Everything that can be done with objects of a collection. */
const around = (collection: string, object: { metadata: { name: string } }): Scenario[] => {
  const one = `${collection}/${object.metadata.name}`;
  const sent = { contentType: JSON_TYPE, object };
  const patches = {
    'application/merge-patch+json': { metadata: { labels: { a: 'c', b: null } } },
    'application/strategic-merge-patch+json': {
      metadata: { finalizers: ['example.com/a'], '$deleteFromPrimitiveList/finalizers': ['x'] },
    },
    'application/json-patch+json': [
      { op: 'add', path: '/metadata/labels', value: {} },
      { op: 'copy', from: '/metadata/name', path: '/metadata/labels/n' },
      { op: 'test', path: '/metadata/labels/n', value: object.metadata.name },
    ],
    'application/apply-patch+yaml': object,
  };
  return [
    { method: 'POST', path: collection, ...sent },
    { method: 'POST', path: collection, ...sent },
    { method: 'PUT', path: one, ...sent },
    ...Object.entries(patches).map(([contentType, patch]) => ({
      method: 'PATCH',
      path: `${one}?fieldManager=fuzz&force=true`.replace(
        contentType.includes('apply') ? /$^/ : /&force=true/,
        '',
      ),
      contentType,
      object: patch,
    })),
    { method: 'GET', path: collection },
    { method: 'GET', path: `${collection}?limit=2` },
    { method: 'GET', path: `${collection}?watch=1&timeoutSeconds=1&sendInitialEvents=true` },
    { method: 'GET', path: one },
    {
      method: 'DELETE',
      path: one,
      contentType: JSON_TYPE,
      object: { propagationPolicy: 'Orphan' },
    },
    { method: 'DELETE', path: `${collection}?labelSelector=a%3Db` },
  ];
};

const SCENARIOS: readonly Scenario[] = [
  ...around(`${OWN}/configmaps`, configMap),
  ...around(`${OWN}/configmaps`, configMap),
  ...around(`${OWN}/services`, service),
  ...around(APPS, deployment),
  ...around(APPS, deployment),
  ...around(POLICIES, policy),
  ...around(SCALERS, autoscaler),
  { method: 'GET', path: `${APPS}/d/scale` },
  {
    method: 'PUT',
    path: `${APPS}/d/scale`,
    contentType: JSON_TYPE,
    object: { metadata: { name: 'd', namespace: 'own' }, spec: { replicas: 3 } },
  },
  {
    method: 'POST',
    path: `${REVIEWS}/selfsubjectaccessreviews`,
    contentType: JSON_TYPE,
    object: { spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'own' } } },
  },
  {
    method: 'POST',
    path: `${REVIEWS}/selfsubjectrulesreviews`,
    contentType: JSON_TYPE,
    object: { spec: { namespace: 'own' } },
  },
  {
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    contentType: JSON_TYPE,
    object: {},
  },
  {
    method: 'POST',
    path: `${OWN}/pods/p/eviction`,
    contentType: JSON_TYPE,
    object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
  },
  { method: 'GET', path: '/apis' },
  { method: 'GET', path: '/openapi/v3' },
];

export interface NearlyRight {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body: Buffer;
}

const bodyOf = (chance: Chance, { object, contentType }: Scenario): Buffer => {
  if (object === undefined) return Buffer.alloc(0);
  return makeBodyOf(chance, object, contentType === JSON_TYPE ? 0.5 : 0.4);
};

/** A request that has little wrong with it, and so gets further. */
export const makeNearlyRight = (chance: Chance): NearlyRight => {
  const scenario = chance.pick(SCENARIOS);
  const { method, path, contentType } = scenario;
  if (method === 'POST' && path.endsWith('configmaps') && chance.happens(0.3)) {
    return chance.happens(0.6)
      ? { method, path, contentType: 'application/vnd.kubernetes.protobuf', body: PROTOBUF }
      : { method, path, contentType: 'application/yaml', body: Buffer.from(YAML) };
  }
  const body = bodyOf(chance, scenario);
  return { method, path, body, ...(contentType === undefined ? {} : { contentType }) };
};
