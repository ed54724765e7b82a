import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { WebhookError } from '../errors.ts';

/** A service in the cluster, as a configuration refers to it. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Resolves the address of a service. Throws if it has no endpoints. */
export type ResolveService = (
  service: ServiceReference,
) => Promise<{ readonly host: string; readonly port: number }>;

/** Address of a webhook, and the authority of its certificate. */
export interface WebhookAddress {
  readonly url: URL;
  /** Set if the host in the URL is a name of the cluster, which has no DNS entry outside. */
  readonly service?: ServiceReference;
  /** Certificates in PEM to trust, in place of those that the system trusts. */
  readonly ca?: string;
}

/** There is no service network here: services need a resolver. */
export const noServices: ResolveService = ({ namespace, name }) =>
  Promise.reject(
    new WebhookError(
      `the service ${namespace}/${name} cannot be reached from this server: give the webhook a url in its clientConfig, or start the server with resolveService`,
    ),
  );

const caOf = ({ caBundle }: JsonObject): string => {
  const pem = typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString() : '';
  return pem.trim();
};

/** Reads the `clientConfig` of a webhook, which was validated when it was stored. */
export const webhookAddress = (clientConfig: JsonObject): WebhookAddress => {
  const { url, service } = clientConfig;
  const ca = caOf(clientConfig);
  const trust = ca === '' ? {} : { ca };
  if (typeof url === 'string') return { url: new URL(url), ...trust };
  if (!isJsonObject(service)) {
    throw new WebhookError('webhook configuration must have either service or URL');
  }
  const port = typeof service.port === 'number' ? service.port : 443;
  const reference = { namespace: String(service.namespace), name: String(service.name), port };
  const host = `${reference.name}.${reference.namespace}.svc`;
  const path = typeof service.path === 'string' ? service.path : '/';
  return { url: new URL(`https://${host}:${port}${path}`), service: reference, ...trust };
};
