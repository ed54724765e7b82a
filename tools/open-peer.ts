import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { HttpTransport } from '@perigee/kube/client/http-transport';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';

const peerConfig = () =>
  loadClusterConfig({
    env: {},
    kubeconfig: process.env.PERIGEE_TEST_KUBECONFIG ?? '',
    clock: realClock,
  });

/** A client of the throw-away kube-apiserver of PERIGEE_TEST_KUBECONFIG, where its user may do everything. */
export const openPeer = async (): Promise<Client & AsyncDisposable> =>
  createHttpClient(await peerConfig(), { clock: realClock });

interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  readonly type?: string;
  readonly body?: unknown;
}

/** The same server for requests that no client makes. */
export const openRawPeer = async () => {
  const config = await peerConfig();
  const { authorization, certificate } = (await config.credentials?.()) ?? {};
  const deadPeerAfterMs = Number.POSITIVE_INFINITY;
  const transport = new HttpTransport(config, { clock: realClock, deadPeerAfterMs });
  return {
    send: async (request: PeerRequest): Promise<Response> => {
      const { method, path, accept = 'application/json', type = 'application/json' } = request;
      const headers = {
        accept,
        'content-type': type,
        ...(authorization === undefined ? {} : { authorization }),
      };
      const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
      const whole = { method, path, headers, ...body };
      const answer = await transport.send('requests', whole, certificate);
      const warnings = [answer.headers.warning ?? []].flat().join(', ');
      return new Response(await answer.body.text(), {
        status: answer.statusCode,
        headers: warnings === '' ? {} : { warning: warnings },
      });
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
};
