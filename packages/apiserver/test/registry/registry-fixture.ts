import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ApiError } from '@perigee/kube/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { checkDnsLabel } from '@perigee/schema/values/names';
import { createInProcessClient } from '../../src/client/in-process-client.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { ResourceCatalog } from '../../src/registry/resource-catalog.ts';
import type { ServedResource } from '../../src/resource/served-resource.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { StoreOptions } from '../../src/store/store-options.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const objectOf = (properties: { [name: string]: StructuralSchema }): StructuralSchema => ({
  type: 'object',
  properties,
});

const served = (
  kind: string,
  plural: string,
  rest: Partial<ServedResource> & Pick<ServedResource, 'schema'>,
): ServedResource => {
  const { group = '', version = 'v1' } = rest;
  return {
    group,
    version,
    kind,
    plural,
    scope: 'Namespaced',
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    verbs: VERBS,
    origin: 'built-in',
    storage: { group, version, plural },
    hasStatus: false,
    columns: [],
    strategy: {},
    ...rest,
  };
};

export const namespaces = served('Namespace', 'namespaces', {
  scope: 'Cluster',
  schema: objectOf({
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  }),
  hasStatus: true,
  strategy: { hasGeneration: false, checkName: checkDnsLabel, returnsDeleted: true },
});

export const configMaps = served('ConfigMap', 'configmaps', {
  schema: objectOf({
    data: { type: 'object', additionalProperties: { type: 'string' } },
    immutable: { type: 'boolean' },
  }),
  strategy: { hasGeneration: false },
});

export const widgets = served('Widget', 'widgets', {
  group: 'shop.example.com',
  version: 'v1',
  origin: 'crd',
  hasStatus: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer', minimum: 1 },
          colour: { type: 'string', default: 'red' },
          replicas: { type: 'integer' },
        },
      },
      status: {
        type: 'object',
        properties: {
          phase: { type: 'string' },
          replicas: { type: 'integer' },
          selector: { type: 'string' },
        },
      },
    },
  },
  columns: [
    { name: 'Size', type: 'integer', path: '.spec.size', doc: 'How large it is.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', doc: 'Time since creation.' },
  ],
  strategy: { selectableFields: ['spec.colour'] },
});

/** A kind with a grace period, as pods have. */
export const tasks = served('Task', 'tasks', {
  schema: objectOf({ spec: objectOf({ grace: { type: 'integer' } }) }),
  strategy: {
    graceSeconds: ({ spec }) => ((spec as { grace?: number } | undefined)?.grace ?? 30) as number,
  },
});

export interface Thing extends KubeObject {
  readonly spec?: { readonly [name: string]: JsonValue | undefined };
  readonly status?: { readonly [name: string]: JsonValue | undefined };
  readonly data?: { readonly [name: string]: string };
}

type WrittenThing = WrittenObject & {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly data?: { readonly [name: string]: string };
};

type ThingKind = ResourceKind<Thing, WrittenThing>;

export const Namespace = namespaces as ThingKind;
export const ConfigMap = configMaps as ThingKind;
export const Widget = widgets as ThingKind;
export const Task = tasks as ThingKind;

/** An API with a few kinds on a store in memory, and a namespace to work in. */
export const setUpApi = async (options: StoreOptions = {}) => {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const registry: Registry = {
    store: createMemoryStore(options),
    clock,
    resources: new ResourceCatalog([namespaces, configMaps, widgets, tasks]),
    cluster: 'root',
  };
  const client = createInProcessClient(registry, { onWarning: (text) => warnings.push(text) });
  await client.create(Namespace, { metadata: { name: 'a' } });
  const widget = (name: string, spec: JsonObject = { size: 1 }, meta: object = {}) =>
    client.create(Widget, { metadata: { name, namespace: 'a', ...meta }, spec });
  return { clock, registry, client, warnings, widget };
};

/** The fields of a refusal that `assert.rejects` compares. */
export const refused =
  (code: number, reason: string, message?: string | RegExp) =>
  (error: unknown): boolean =>
    error instanceof ApiError &&
    error.code === code &&
    error.reason === reason &&
    (message === undefined ||
      (typeof message === 'string' ? error.message === message : message.test(error.message)));

export const at = (name: string, namespace = 'a') => ({ name, namespace });
