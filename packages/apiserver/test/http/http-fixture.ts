import type { Clock } from '@perigee/kube/clock/clock';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { JsonObject } from '@perigee/schema/json';
import { createInProcessClient } from '../../src/client/in-process-client.ts';
import { describeApi } from '../../src/http/api-documents.ts';
import { type ApiServerOptions, openApiServer } from '../../src/http/api-server.ts';
import type { ServedApi } from '../../src/http/served-api.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { ResourceCatalog } from '../../src/registry/resource-catalog.ts';
import type { ServedResource } from '../../src/resource/served-resource.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { StoreOptions } from '../../src/store/store-options.ts';
import { configMaps, Namespace, namespaces, widgets } from '../registry/registry-fixture.ts';

export const WIDGETS = '/apis/shop.example.com/v1/namespaces/a/widgets';
export const CONFIG_MAPS = '/api/v1/namespaces/a/configmaps';

interface Given {
  readonly clock?: Clock;
  readonly resources?: readonly ServedResource[];
  readonly store?: StoreOptions;
  readonly server?: Partial<ApiServerOptions>;
  readonly api?: Partial<ServedApi>;
}

export interface Answer {
  readonly code: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject;
}

const parsed = (text: string): JsonObject => {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
};

/** An API server that listens on this machine, and what it takes to speak to it. */
export const serveApi = async (given: Given = {}) => {
  const { clock = realClock } = given;
  const resources = new ResourceCatalog(given.resources ?? [namespaces, configMaps, widgets]);
  const registry: Registry = {
    store: createMemoryStore(given.store),
    clock,
    resources,
    cluster: 'root',
  };
  const client = createInProcessClient(registry);
  await client.create(Namespace, { metadata: { name: 'a' } });
  const server = await openApiServer({ clock, ...given.server });
  const { address: serverAddress } = server;
  const documents = describeApi(resources, { serverAddress, version: 'v1.36.0+test' });
  server.serve({ registry, documents, ...given.api });

  const call = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(server.url + path, { method, ...init });
    const text = await response.text();
    return { code: response.status, headers: response.headers, text, body: parsed(text) };
  };
  const send = (method: string, path: string, body: unknown, contentType = 'application/json') =>
    call(method, path, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': contentType },
    });
  return {
    registry,
    client,
    server,
    call,
    send,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

export const widgetBody = (name: string, spec: JsonObject = { size: 1 }): JsonObject => ({
  apiVersion: 'shop.example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});
