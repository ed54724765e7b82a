import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClusterConfig } from '@perigee/kube/client/cluster-config';
import { ConfigError } from '@perigee/kube/errors';

/** What a caller showed, and whom to tell of warnings about what is done for them. */
interface Caller {
  readonly authorization: string;
  readonly warn: (text: string) => void;
}

/**
 * Lets one client, with its few connections, do the work of many callers: whatever is done inside `as` goes
 * out with the credentials of that caller, and what is done outside goes out with none.
 */
export class CallerCredentials {
  readonly #caller = new AsyncLocalStorage<Caller>();

  as<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#caller.run(caller, work);
  }

  warn(text: string): void {
    this.#caller.getStore()?.warn(text);
  }

  /** The way to the API server of a configuration, without the credentials that stand in it. */
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
      ...(caBundle === undefined ? {} : { caBundle }),
      ...(tlsServerName === undefined ? {} : { tlsServerName }),
      ...(insecureSkipTlsVerify === undefined ? {} : { insecureSkipTlsVerify }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
      credentials: async (rejected) => {
        const { authorization } = this.#caller.getStore() ?? {};
        // A second token there is not: whoever came with this one has to log in again.
        return rejected ?? (authorization === undefined ? {} : { authorization });
      },
    };
  }
}
