import { realClock } from '@perigee/kube/clock/real-clock';
import type { JsonObject } from '@perigee/schema/json';
import {
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '../../src/embedded/embedded-server.ts';

/** A whole server, and what it takes to speak to it over HTTP. */
export const startServer = async (options: Partial<EmbeddedServerOptions> = {}) => {
  const server = await startEmbeddedServer({ clock: realClock, ...options });
  const send = async (
    method: string,
    path: string,
    body?: JsonObject,
    contentType = 'application/json',
  ): Promise<{ readonly code: number; readonly body: JsonObject }> => {
    const response = await fetch(server.url + path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': contentType } }),
    });
    const text = await response.text();
    // The 404 of an unknown path is plain text.
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { code: response.status, body: isJson ? (JSON.parse(text) as JsonObject) : { text } };
  };
  /** Resolves when the path answers so; the server's own news wake it up. */
  const until = async (
    path: string,
    isSo: (answer: { code: number; body: JsonObject }) => boolean,
  ) => {
    const { store } = server.registry;
    for (;;) {
      const { revision } = store;
      const answer = await send('GET', path);
      if (isSo(answer)) return answer;
      using changes = store.watch(CRD_TABLE, { since: revision });
      await changes[Symbol.asyncIterator]().next();
    }
  };
  return { ...server, send, until, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

const CRD_TABLE = 'root/apiextensions.k8s.io/customresourcedefinitions';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const conditionsOf = ({ status }: JsonObject): readonly string[] =>
  (
    ((status as JsonObject | undefined)?.conditions as { type: string; status: string }[]) ?? []
  ).map((condition) => `${condition.type}=${condition.status}`);
