import type { SecureServerOptions } from 'node:http2';
import { createSecureContext, type SecureContext } from 'node:tls';
import { TLS_SUITES } from '@perigee/kube/listen/tls-suites';
import type { KeyPair } from '@perigee/kube/pki/certificate-authority';
import { present } from '@perigee/schema/present';
import { RecentMap } from '@perigee/schema/recent-map';

/** Certificate of a server, and the authority of its clients' certificates. */
export interface ServerTls extends KeyPair {
  readonly ca?: string;
  /** Certificate for another server name (SNI); undefined to use the default one. */
  readonly certificateFor?: (serverName: string) => KeyPair | undefined;
}

/** A dot or a port, with which a name is the same. */
const ENDING = /\.?(?::\d+)?$/;

/** Clients choose server names. The least recently used one is evicted. */
const MOST_NAMES = 256;

/** Certificates by server name, created on first use. */
export class NamedContexts {
  #contexts = new RecentMap<string, SecureContext>(MOST_NAMES);
  #tls: ServerTls;

  constructor(tls: ServerTls) {
    this.#tls = tls;
  }

  /** Uses another certificate for later connections. */
  renew(tls: ServerTls): void {
    this.#tls = tls;
    this.#contexts = new RecentMap(MOST_NAMES);
  }

  find(serverName: string): SecureContext | undefined {
    const name = serverName.toLowerCase().replace(ENDING, '');
    const cachedContext = this.#contexts.get(name);
    if (cachedContext !== undefined) return cachedContext;
    const context = this.#make(name);
    if (context !== undefined) this.#contexts.set(name, context);
    return context;
  }

  #make(name: string): SecureContext | undefined {
    const { certificateFor, ca } = this.#tls;
    const pair = certificateFor?.(name);
    return pair && createSecureContext({ ...TLS_SUITES, ...pair, ...present({ ca }) });
  }
}

/** A client without a certificate may have a token instead: authentication evaluates certificates later. */
export const tlsOptions = ({ cert, key, ca }: ServerTls) =>
  ca === undefined
    ? { ...TLS_SUITES, cert, key }
    : { ...TLS_SUITES, cert, key, ca, requestCert: true, rejectUnauthorized: false };

/** Options of the listener; server names have certificates of their own. */
export const secureOptions = (tls: ServerTls, contexts: NamedContexts): SecureServerOptions => ({
  ...tlsOptions(tls),
  allowHTTP1: true,
  SNICallback: (serverName, done) => {
    try {
      done(null, contexts.find(serverName));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  },
});
