import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { startAdmissionServer } from '@perigee/admission/webhook/admission-server';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { createAuthority, issueCertificate } from '@perigee/kube/pki/certificate-authority';
import { openRestServer } from '@perigee/registration/server/rest-server';

/** All that two sides could agree on in TLS 1.2 but what decrypts and checks in one step. */
const TWO_STEPS = 'ALL:!AESGCM:!CHACHA20:!AESCCM:!aNULL:!eNULL:@SECLEVEL=0';
/** Those whose old conversations can be read by who gets the key. */
const NOT_FORWARD_SECRET = 'kRSA:@SECLEVEL=0';

/** The suite on which both sides agree; or the word of who did not. */
const agreement = async (url: string, options: object): Promise<string> => {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ...options });
  const refusal = once(socket, 'error').then(([error]) => `refused: ${error.code}`);
  const agreed = once(socket, 'secureConnect').then(() => socket.getCipher().standardName);
  const outcome = await Promise.race([agreed, refusal]);
  socket.destroy();
  return outcome;
};

const checkSuites = async (what: string, url: string, names: readonly string[] = []) => {
  for (const name of ['', ...names]) {
    const servername = name === '' ? {} : { servername: name };
    const with12 = (ciphers: string) =>
      agreement(url, { ...servername, ciphers, maxVersion: 'TLSv1.2', minVersion: 'TLSv1' });
    assert.match(await with12(TWO_STEPS), /^refused: .*HANDSHAKE_FAILURE/, `${what} ${name}`);
    assert.match(await with12(NOT_FORWARD_SECRET), /^refused/, `${what} ${name}`);
    assert.match(await with12('ALL:@SECLEVEL=0'), /_(GCM|POLY1305)_/, `${what} ${name}`);
    const old = { ...servername, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' };
    assert.match(await agreement(url, { ...old, ciphers: 'ALL:@SECLEVEL=0' }), /^refused/);
    assert.match(await agreement(url, servername), /^TLS_AES_.*_GCM_/, `${what} ${name}`);
  }
};

test('no listener agrees to a suite with CBC, without forward secrecy, or to an old TLS', async () => {
  await using api = await startEmbeddedServer({ clock, access: 'rbac' });
  await checkSuites('the API server', api.url, ['localhost', 'member1.localhost', 'x.localhost']);
  const validity = { from: clock.now() - 60_000, until: clock.now() + 3_600_000 };
  const authority = createAuthority('tests', validity);
  const tls = issueCertificate(authority, { commonName: 'one', usage: 'server', validity });
  await using webhook = await startAdmissionServer({ clock, tls, isAllowed: async () => false });
  await checkSuites('the webhook', webhook.url);
  const logger = createLogger({ clock, level: 'error' });
  await using rest = await openRestServer({ config: { server: api.url }, clock, logger, tls });
  await checkSuites('the REST API', rest.url);
});
