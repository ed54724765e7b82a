import type { JsonObject, JsonValue } from '@perigee/schema/json';
import {
  type BadRequest,
  CONFIG_MAPS,
  configMap,
  DEPLOYMENTS,
  deployment,
  JSON_TYPE,
  PODS,
  SERVICES,
  WIDGETS,
  widget,
} from './bad-request.ts';

const create = (name: string, path: string, body: JsonObject): BadRequest => ({
  name,
  method: 'POST',
  path,
  headers: JSON_TYPE,
  body,
});

const update = (name: string, path: string, body: JsonObject): BadRequest => ({
  ...create(name, path, body),
  method: 'PUT',
});

const remove = (name: string, path: string, body: JsonValue | Buffer): BadRequest => ({
  name,
  method: 'DELETE',
  path,
  headers: JSON_TYPE,
  body,
});

const pod = (spec: JsonObject) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x' },
  spec,
});

const service = (spec: JsonObject) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'x' },
  spec,
});

const options = (rest: JsonObject) => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...rest });
const MAP = `${CONFIG_MAPS}/present`;

/** Objects that their schema or rules refuse, and deletions that may not be. */
export const OBJECT_REQUESTS: readonly BadRequest[] = [
  create('a label that is a number', CONFIG_MAPS, configMap({ name: 'x', labels: { a: 1 } })),
  create('labels that are a list', CONFIG_MAPS, configMap({ name: 'x', labels: [] })),
  create('metadata that is a string', CONFIG_MAPS, configMap('x')),
  create('metadata that is null', CONFIG_MAPS, configMap(null)),
  create('a name that is a number', CONFIG_MAPS, configMap({ name: 1 })),
  create('a bad label', CONFIG_MAPS, configMap({ name: 'x', labels: { 'a b': 'c' } })),
  create('a bad value of a label', CONFIG_MAPS, configMap({ name: 'x', labels: { a: 'c d' } })),
  create('a bad annotation', CONFIG_MAPS, configMap({ name: 'x', annotations: { 'a b': '' } })),
  create('a bad finalizer', CONFIG_MAPS, configMap({ name: 'x', finalizers: ['nope'] })),
  create('a bad owner', CONFIG_MAPS, configMap({ name: 'x', ownerReferences: [{}] })),
  create('a bad time', CONFIG_MAPS, configMap({ name: 'x', deletionTimestamp: 'soon' })),
  create('data that is a list', CONFIG_MAPS, configMap({ name: 'x' }, { data: [] })),
  create('data that is a number', CONFIG_MAPS, configMap({ name: 'x' }, { data: { a: 1 } })),
  create('a bad key', CONFIG_MAPS, configMap({ name: 'x' }, { data: { 'a b': '' } })),
  create(
    'bytes that are no base64',
    CONFIG_MAPS,
    configMap({ name: 'x' }, { binaryData: { a: '*' } }),
  ),
  create(
    'an immutable that is a string',
    CONFIG_MAPS,
    configMap({ name: 'x' }, { immutable: 'no' }),
  ),
  create('replicas that are a string', DEPLOYMENTS, deployment('x', { replicas: '1' })),
  create('replicas below zero', DEPLOYMENTS, deployment('x', { replicas: -1 })),
  create(
    'a selector that does not match',
    DEPLOYMENTS,
    deployment('x', { selector: { matchLabels: { b: 'c' } } }),
  ),
  create('no selector', DEPLOYMENTS, deployment('x', { selector: {} })),
  create('a bad strategy', DEPLOYMENTS, deployment('x', { strategy: { type: 'Nope' } })),
  create(
    'a bad surge',
    DEPLOYMENTS,
    deployment('x', { strategy: { rollingUpdate: { maxSurge: 'x%' } } }),
  ),
  create('a spec that is a list', DEPLOYMENTS, { ...deployment('x'), spec: [] }),
  create('no containers', PODS, pod({ containers: [] })),
  create('containers that are an object', PODS, pod({ containers: {} })),
  create('a container that is a string', PODS, pod({ containers: ['x'] })),
  create('a container without anything', PODS, pod({ containers: [{}] })),
  create(
    'a quantity that is none',
    PODS,
    pod({ containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 'x' } } }] }),
  ),
  create(
    'a port that is too high',
    PODS,
    pod({ containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 70000 }] }] }),
  ),
  create(
    'a bad policy',
    PODS,
    pod({ containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Nope' }),
  ),
  create('a service without ports', SERVICES, service({})),
  create('a service with a bad port', SERVICES, service({ ports: [{ port: 0 }] })),
  create('a service of a bad type', SERVICES, service({ type: 'Nope', ports: [{ port: 1 }] })),
  create('a port that is a string', SERVICES, service({ ports: [{ port: 'x' }] })),
  create('a Widget without a spec', WIDGETS, widget({ name: 'x' }, {})),
  create('a Widget with a spec that is a string', WIDGETS, widget({ name: 'x' }, 'x')),
  create('a Widget that is too large', WIDGETS, widget({ name: 'x' }, { size: 101 })),
  create('a Widget that is too small', WIDGETS, widget({ name: 'x' }, { size: 0 })),
  create('a Widget with a size that is a string', WIDGETS, widget({ name: 'x' }, { size: '1' })),
  create('a Widget with a size that is a fraction', WIDGETS, widget({ name: 'x' }, { size: 1.5 })),
  create('a Widget with a size that is null', WIDGETS, widget({ name: 'x' }, { size: null })),
  create(
    'a Widget of an unknown color',
    WIDGETS,
    widget({ name: 'x' }, { size: 1, color: 'blue' }),
  ),
  create('a Widget with a bad code', WIDGETS, widget({ name: 'x' }, { size: 1, code: 'ABCDEF' })),
  create(
    'a Widget with a tag twice',
    WIDGETS,
    widget({ name: 'x' }, { size: 1, tags: ['a', 'a'] }),
  ),
  create(
    'a Widget with a part twice',
    WIDGETS,
    widget({ name: 'x' }, { size: 1, parts: [{ name: 'a' }, { name: 'a' }] }),
  ),
  create(
    'a Widget with too many parts',
    WIDGETS,
    widget({ name: 'x' }, { size: 1, parts: ['a', 'b', 'c'].map((name) => ({ name })) }),
  ),
  create(
    'a Widget that breaks its rule',
    WIDGETS,
    widget({ name: 'x' }, { size: 1, low: 2, high: 1 }),
  ),
  create('a Widget with metadata that is a string', WIDGETS, widget('x')),
  create(
    'a Widget with a label that is a number',
    WIDGETS,
    widget({ name: 'x', labels: { a: 1 } }),
  ),
  create('a Widget with a bad label', WIDGETS, widget({ name: 'x', labels: { 'a b': 'c' } })),
  create('a Widget with a bad time', WIDGETS, widget({ name: 'x', creationTimestamp: 'soon' })),
  create('a Widget with bad managed fields', WIDGETS, widget({ name: 'x', managedFields: 'x' })),
  update(
    'sealed data',
    `${CONFIG_MAPS}/sealed`,
    configMap({ name: 'sealed' }, { data: { k: 'w' }, immutable: true }),
  ),
  update(
    'a sealed map unsealed',
    `${CONFIG_MAPS}/sealed`,
    configMap({ name: 'sealed' }, { data: { k: 'v' } }),
  ),
  update(
    'another selector',
    `${DEPLOYMENTS}/present`,
    deployment('present', {
      selector: { matchLabels: { app: 'y' } },
      template: {
        metadata: { labels: { app: 'y' } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    }),
  ),
  update('scale with another kind', `${DEPLOYMENTS}/present/scale`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'present' },
  }),
  update('scale below zero', `${DEPLOYMENTS}/present/scale`, {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'present' },
    spec: { replicas: -1 },
  }),
  remove('delete nothing', `${CONFIG_MAPS}/absent`, Buffer.from('')),
  remove('delete no Widget', `${WIDGETS}/absent`, Buffer.from('')),
  remove(
    'delete another UID',
    MAP,
    options({ preconditions: { uid: '00000000-0000-0000-0000-000000000000' } }),
  ),
  remove('delete an old version', MAP, options({ preconditions: { resourceVersion: '1' } })),
  remove(
    'delete another UID of a Widget',
    `${WIDGETS}/present`,
    options({ preconditions: { uid: 'x' } }),
  ),
  remove('delete with broken options', MAP, Buffer.from('{"kind":')),
  remove('delete with a list of options', MAP, []),
  remove('delete with a string', MAP, 'x'),
  remove('delete with another kind', MAP, { kind: 'ConfigMap', apiVersion: 'v1' }),
  remove('delete with a bad policy', MAP, options({ propagationPolicy: 'Nope' })),
  remove(
    'delete with two policies',
    MAP,
    options({ propagationPolicy: 'Orphan', orphanDependents: true }),
  ),
  remove('delete with a grace that is a string', MAP, options({ gracePeriodSeconds: 'x' })),
  remove('delete with a grace that is a fraction', MAP, options({ gracePeriodSeconds: 1.5 })),
  remove('delete with preconditions that are a list', MAP, options({ preconditions: [] })),
  remove('delete with a UID that is a number', MAP, options({ preconditions: { uid: 1 } })),
  remove('delete with a bad dry run', MAP, options({ dryRun: ['x'] })),
  remove('delete with a dry run that is a string', MAP, options({ dryRun: 'All' })),
  { name: 'delete with a bad dry run in the query', method: 'DELETE', path: `${MAP}?dryRun=x` },
  {
    name: 'delete with a bad policy in the query',
    method: 'DELETE',
    path: `${MAP}?propagationPolicy=x`,
  },
  {
    name: 'delete with a bad grace in the query',
    method: 'DELETE',
    path: `${MAP}?gracePeriodSeconds=x`,
  },
  {
    name: 'delete with options in plain text',
    method: 'DELETE',
    path: MAP,
    headers: { 'content-type': 'text/plain' },
    body: Buffer.from('{}'),
  },
  {
    name: 'delete with broken protobuf',
    method: 'DELETE',
    path: MAP,
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    body: Buffer.from('hello'),
  },
  remove('delete a collection with a bad policy', CONFIG_MAPS, options({ propagationPolicy: 'x' })),
];
