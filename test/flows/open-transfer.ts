import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createAuthority, issueCertificate } from '@perigee/kube/pki/certificate-authority';
import { scratch } from '../../packages/mover/test/support/trees.ts';

const YEAR = 365 * 86_400_000;
export const PIECE = 8 * 2 ** 20;
export const sha256 = (bytes: string | Buffer): string =>
  createHash('sha256').update(bytes).digest('hex');

const validity = { from: Date.now() - YEAR, until: Date.now() + YEAR };
const authority = createAuthority('transfer', validity);
const pair = () => issueCertificate(authority, { commonName: 'mover', usage: 'server', validity });

/** Two folders, as if they were disks of two clusters, and what a transfer between them needs. */
export const openTransfer = () => {
  const root = scratch();
  const at = (name: string) => join(root.path, name);
  const keys = pair();
  const token = randomBytes(32).toString('base64url');
  writeFileSync(at('key'), keys.key, { mode: 0o600 });
  writeFileSync(at('cert'), keys.cert);
  writeFileSync(at('token'), token, { mode: 0o600 });
  mkdirSync(at('a'));
  mkdirSync(at('b'));
  const { fingerprint256 } = new X509Certificate(keys.cert);
  const pinnedCertificate = fingerprint256.replaceAll(':', '').toLowerCase();
  return {
    at,
    token,
    toServe: (fields: object = {}): string =>
      JSON.stringify({
        serve: {
          trees: [{ kind: 'local', root: at('a'), path: 'tree' }],
          keyFile: at('key'),
          certificateFile: at('cert'),
          tokens: [sha256(token)],
          ...fields,
        },
      }),
    toPull: (port: number, fields: object = {}): string =>
      JSON.stringify({
        from: {
          kind: 'peer',
          url: `https://127.0.0.1:${port}/0`,
          tokenFile: at('token'),
          pinnedCertificate,
          ...fields,
        },
        to: { kind: 'local', root: at('b'), path: 'tree' },
        parallelism: 2,
        progressSeconds: 0.05,
        flush: false,
      }),
    [Symbol.dispose]: () => root[Symbol.dispose](),
  };
};

export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
