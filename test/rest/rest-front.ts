import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createAuthority, issueCertificate } from '@perigee/kube/pki/certificate-authority';
import { openRestServer } from '@perigee/registration/server/rest-server';
import { restCaller } from './rest-world.ts';

const validity = { from: clock.now() - 60_000, until: clock.now() + 3_600_000 };
export const authority = createAuthority('test', validity);
export const tls = issueCertificate(authority, {
  commonName: 'rest',
  usage: 'server',
  names: ['127.0.0.1'],
  validity,
});

export interface ApiServerOfFront {
  readonly url: string;
  readonly ca: string;
  /** The token of whoever starts the front, who may do everything; nobody who calls it may profit from that. */
  readonly admin: string;
}

/** The REST API in front of an API server that may be anywhere, as `perigee rest` serves it. */
export const openRestFront = async ({ url: server, ca: caBundle, admin }: ApiServerOfFront) => {
  const credentials = async () => ({ authorization: `Bearer ${admin}` });
  const config = { server, caBundle, credentials };
  const rest = await openRestServer({ config, clock, logger: { error: () => {} }, tls });
  const { call, close } = restCaller(rest.url, authority.cert);
  return {
    call,
    [Symbol.asyncDispose]: async () => {
      close();
      await rest[Symbol.asyncDispose]();
    },
  };
};
