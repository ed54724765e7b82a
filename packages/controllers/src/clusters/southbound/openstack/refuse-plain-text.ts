import { ConfigError } from '@perigee/kube/errors';
import type { OpenStackCredentials } from './openstack-credentials.ts';

const ON_THIS_MACHINE = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Refuses to send passwords and tokens to another machine without TLS, unless the Secret allows it. */
export const refusePlainText = (
  url: string,
  { allowsPlainText, source }: OpenStackCredentials,
): void => {
  const { protocol, hostname, origin } = new URL(url);
  if (protocol === 'https:' || allowsPlainText || ON_THIS_MACHINE.test(hostname)) return;
  throw new ConfigError(
    `${origin} is without TLS, and would be sent credentials in plain text: use https, or put allowPlainText: "true" into ${source}`,
  );
};
