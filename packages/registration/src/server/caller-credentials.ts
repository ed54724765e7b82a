import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClusterConfig } from '@perigee/kube/client/cluster-config';
import { ConfigError } from '@perigee/kube/errors';
import { present } from '@perigee/schema/present';

/** The token of a caller, and the sink for the warnings of its requests. */
interface Caller {
  readonly authorization: string;
  readonly warn: (text: string) => void;
}

/**
 * Shares one client with its few connections among many callers: requests inside `as` carry the credentials
 * of that caller, requests outside carry none.
 */
export class CallerCredentials {
  readonly #caller = new AsyncLocalStorage<Caller>();

  as<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#caller.run(caller, work);
  }

  warn(text: string): void {
    this.#caller.getStore()?.warn(text);
  }

  /** The configuration of the API server without its credentials. */
  configFor(config: ClusterConfig): ClusterConfig {
    const { server, caBundle, tlsServerName, insecureSkipTlsVerify, proxyUrl, source } = config;
    if (new URL(server).protocol !== 'https:') {
      const where = source === undefined ? '' : ` (${source})`;
      throw new ConfigError(
        `${server}${where} is reached without TLS, and tokens must not go over that: use an https address`,
      );
    }
    return {
      server,
      ...present({ caBundle, tlsServerName, insecureSkipTlsVerify, proxyUrl }),
      credentials: async (rejectedCredentials) => {
        const { authorization } = this.#caller.getStore() ?? {};
        // A rejected token cannot be refreshed here: the caller has to log in again.
        return rejectedCredentials ?? present({ authorization });
      },
    };
  }
}
