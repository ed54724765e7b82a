import { ConfigError } from '../errors.ts';
import type { ClusterConfig } from './cluster-config.ts';

/** The server's URL, once it is known to be one that a client can use. */
export const checkedServer = ({ server, source }: ClusterConfig): string => {
  const where = source === undefined ? '' : ` in ${source}`;
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(
      `the server address "${server}"${where} is not a URL: write it as https://host:port`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError(
      `the server address ${url.origin}${where} holds a user name or password: give them as credentials instead`,
    );
  }
  return server;
};
