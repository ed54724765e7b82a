import assert from 'node:assert/strict';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { ApiError } from '@perigee/kube/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { servedResources } from '../../src/crd/served-resources.ts';
import { WebhookClient } from '../../src/webhook/webhook-client.ts';
import { setUpApi } from '../registry/registry-fixture.ts';
import { CA_BUNDLE, startWebhook } from '../webhook/webhook-server.ts';

const GROUP = 'net.example.com';

export interface Endpoint extends KubeObject {
  readonly spec: { readonly [name: string]: unknown };
  readonly status?: JsonObject;
}

const kindIn = (version: string): ResourceKind<Endpoint, WrittenObject & JsonObject> => ({
  group: GROUP,
  version,
  kind: 'Endpoint',
  plural: 'endpoints',
  scope: 'Namespaced',
});

/** The same kind in both versions: one has `hostPort`, the other `host` and `port`. */
export const V1 = kindIn('v1');
export const V2 = kindIn('v2');

const text = { type: 'string' };

const version = (name: string, spec: JsonObject, storage: boolean): JsonObject => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { ...spec, n: { type: 'integer' } } },
        status: { type: 'object', properties: { r: { type: 'integer' } } },
      },
    },
  },
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.r' },
  },
});

export const endpointCrd = (conversion: JsonObject, stored = 'v1'): JsonObject => ({
  metadata: { name: `endpoints.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: {
      plural: 'endpoints',
      singular: 'endpoint',
      kind: 'Endpoint',
      listKind: 'EndpointList',
    },
    conversion,
    versions: [
      version('v1', { hostPort: text, extra: { ...text, default: 'one' } }, stored === 'v1'),
      version(
        'v2',
        { host: text, port: text, extra: text, two: { ...text, default: 'two' } },
        stored === 'v2',
      ),
    ],
  },
});

const specIn = (apiVersion: string, { two, hostPort, host, port, ...spec }: JsonObject) => {
  if (apiVersion.endsWith('/v2')) {
    const [name, number] = String(hostPort).split(':');
    return hostPort === undefined ? spec : { ...spec, host: name, port: number };
  }
  return host === undefined && port === undefined ? spec : { ...spec, hostPort: `${host}:${port}` };
};

/** The object as a good webhook converts it. */
export const convertEndpoint = (object: JsonObject, apiVersion: string): JsonObject => ({
  ...object,
  apiVersion,
  ...(isJsonObject(object.spec) ? { spec: specIn(apiVersion, object.spec) } : {}),
});

/** The answer to a review with the objects as `convert` makes them. */
export const reviewed = (
  { apiVersion, kind, request }: JsonObject,
  convert = convertEndpoint,
): JsonObject => {
  const { uid, desiredAPIVersion, objects } = request as JsonObject;
  const convertedObjects = (objects as readonly JsonObject[]).map((object) =>
    convert(object, String(desiredAPIVersion)),
  );
  return {
    apiVersion,
    kind,
    response: { uid, result: { status: 'Success' }, convertedObjects },
  };
};

/** An API that serves endpoints in two versions, with a webhook that converts them. */
export const setUpConversion = async (stored = 'v1') => {
  const api = await setUpApi();
  const { clock, registry } = api;
  const webhook = await startWebhook((review) => reviewed(review));
  const webhooks = new WebhookClient({ clock });
  const serve = (storage: string, url = webhook.url) => {
    const client = { url, caBundle: CA_BUNDLE };
    const conversion = {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: client },
    };
    const crd = endpointCrd(conversion, storage);
    for (const resource of servedResources(crd, { clock, webhooks })) {
      registry.resources.serve(resource);
    }
  };
  serve(stored);
  /** How many objects each review had that the webhook got since it was last asked. */
  const reviews = (): readonly number[] =>
    webhook.calls
      .splice(0)
      .map(({ body }) => ((body.request as JsonObject).objects as readonly JsonObject[]).length);
  return {
    ...api,
    ...webhook,
    serve,
    reviews,
    [Symbol.asyncDispose]: async () => {
      webhooks[Symbol.dispose]();
      await webhook[Symbol.asyncDispose]();
    },
  };
};

export const endpoint = (name: string, spec: JsonObject, meta: object = {}) =>
  ({ metadata: { name, namespace: 'a', ...meta }, spec }) as never;

export const ref = (name: string) => ({ name, namespace: 'a' });

/** Fails with this code and message. */
export const refusedWith = (code: number, message: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, code);
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  return true;
};
