import { ConfigError } from '../errors.ts';
import type { ClusterConfig } from './cluster-config.ts';

/** The server in error messages: its address, its proxy, and the source of the configuration. */
export const describeServer = ({ server, proxyUrl, source }: ClusterConfig): string => {
  const proxy = proxyUrl === undefined ? '' : ` through the proxy ${new URL(proxyUrl).host}`;
  return source === undefined ? server + proxy : `${server}${proxy} (${source})`;
};

/** Throws if a client cannot use the addresses. */
export const checkAddresses = ({ server, proxyUrl, source }: ClusterConfig): void => {
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
  if (proxyUrl !== undefined && !/^(https?|socks5):\/\/[^/]/.test(proxyUrl)) {
    throw new ConfigError(
      `the proxy-url of ${server}${where} is not a URL that can be used: write it as http://host:port`,
    );
  }
};
