import type { ClusterConfig } from '@perigee/kube/client/cluster-config';
import { HttpTransport } from '@perigee/kube/client/http-transport';
import { LineSplitter } from '@perigee/kube/client/line-splitter';
import { warningTexts } from '@perigee/kube/client/warning-header';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { JsonValue } from '@perigee/schema/json';
import type { Peer, Watching } from './peer.ts';

const LONGEST_EVENT = 2 ** 24;
const PATIENCE_MS = 15_000;
const USER_AGENT = 'differential/1.0';

const jsonOf = (text: string): JsonValue => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
};

/** Collects the events of a stream until the reader has enough. */
const collect = (stream: AsyncIterable<Buffer>, abort: AbortController): Watching => {
  const events: JsonValue[] = [];
  let nextChange = Promise.withResolvers<void>();
  const reading = (async () => {
    const lines = new LineSplitter(LONGEST_EVENT);
    for await (const chunk of stream) {
      events.push(...lines.push(chunk).map(jsonOf));
      nextChange.resolve();
      nextChange = Promise.withResolvers();
    }
  })().catch(() => {});
  return {
    until: async (isLast) => {
      const late = realClock.sleep(PATIENCE_MS, abort.signal).catch(() => {});
      let isLate = false;
      void late.then(() => {
        isLate = true;
      });
      while (!events.some(isLast) && !isLate) await Promise.race([nextChange.promise, late]);
      return [...events];
    },
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await reading;
    },
  };
};

/** A server that is reached over HTTP, whichever it is. */
export const openHttpPeer = async (name: string, config: ClusterConfig): Promise<Peer> => {
  const transport = new HttpTransport(config, {
    clock: realClock,
    deadPeerAfterMs: Number.POSITIVE_INFINITY,
  });
  const { authorization, certificate } = (await config.credentials?.()) ?? {};
  const headers = {
    accept: 'application/json',
    'user-agent': USER_AGENT,
    ...(authorization ? { authorization } : {}),
  };
  return {
    name,
    send: async ({ method, path, contentType, body }) => {
      const request = {
        method,
        path,
        headers: { ...headers, ...(contentType ? { 'content-type': contentType } : {}) },
        ...(body === undefined ? {} : { body }),
      } as const;
      try {
        const answer = await transport.send('requests', request, certificate);
        const text = await answer.body.text();
        const warnings = warningTexts(answer.headers.warning);
        return { status: answer.statusCode, warnings, body: jsonOf(text) };
      } catch (error) {
        // A server that hangs up says something too: it must do so on both sides.
        return { status: 0, warnings: [], body: String(error) };
      }
    },
    watch: async (path) => {
      const abort = new AbortController();
      const request = { method: 'GET', path, headers, signal: abort.signal } as const;
      const answer = await transport.send('watches', request, certificate);
      return collect(answer.body, abort);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
};
