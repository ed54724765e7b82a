import { once } from 'node:events';
import { createSecureServer, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '../packages/kube/test/support/certificates.ts';
import { type Address, LISTED_PODS } from './client-protocol.ts';
import { podOf } from './pod.ts';

/** An API server that costs next to nothing: every answer is made before the first request. */
const authority = createAuthority();
const { cert, key } = authority.issue({
  commonName: 'server',
  usage: 'server',
  names: ['127.0.0.1'],
});

const pod = Buffer.from(JSON.stringify(podOf(0)));
const list = Buffer.from(
  JSON.stringify({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '1' },
    items: Array.from({ length: LISTED_PODS }, (_, at) => podOf(at)),
  }),
);
const event = `${JSON.stringify({ type: 'MODIFIED', object: podOf(0) })}\n`;
const EVENTS_PER_WRITE = 20;
const events = Buffer.from(event.repeat(EVENTS_PER_WRITE));

const sendEvents = async (response: Http2ServerResponse, count: number): Promise<void> => {
  for (let sentCount = 0; sentCount < count; sentCount += EVENTS_PER_WRITE) {
    if (!response.write(events)) await once(response, 'drain');
  }
  response.end();
};

const server = createSecureServer({ allowHTTP1: true, cert, key }, (request, response) => {
  const url = new URL(request.url, 'https://server');
  response.setHeader('content-type', 'application/json');
  if (url.searchParams.has('watch')) {
    // The number of events rides in a parameter that every client passes on as it is.
    const count = Number(url.searchParams.get('resourceVersion'));
    sendEvents(response, count).catch(() => response.end());
  } else {
    response.end(url.pathname.endsWith('/pods') ? list : pod);
  }
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address: Address = {
  server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ca: authority.cert,
};
process.send?.(address);
process.once('disconnect', () => process.exit());
