import { METRICS_CONTENT_TYPE, Metrics } from '@perigee/kube/observe/metrics';
import { BACKUP_PATH } from '../backup/backup-path.ts';
import { isProbe } from '../health/probes.ts';
import { exposeMetrics } from '../metrics/expose.ts';
import { openApiForm, PROTOBUF_V2 } from '../openapi/open-api-form.ts';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import type { Registry } from '../registry/registry.ts';
import { methodNotAllowed, notAcceptable, unknownResource } from '../status/request-refusals.ts';
import { PAGE_NOT_FOUND } from '../status/status-body.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { handleProbe } from './handle-probe.ts';
import { sendReply } from './reply.ts';
import type { ServedApi } from './served-api.ts';

/** True if a path is in a group that is built in: clients get a Status for what it lacks. */
const isOfBuiltIns = (path: string, { resources }: Registry): boolean => {
  const [root, name] = path.slice(1).split('/');
  const group = root === 'api' ? '' : root === 'apis' ? name : undefined;
  return resources
    .values()
    .some((resource) => resource.origin === 'built-in' && resource.group === group);
};

/** A client that accepts none of the formats must not get another one by a fallback. */
const checkAccepted = (path: string, accept: string | undefined): void => {
  if (!path.startsWith('/openapi/') || openApiForm(path, accept) !== undefined) return;
  throw notAcceptable(['application/json', ...(path === '/openapi/v2' ? [PROTOBUF_V2] : [])]);
};

const handleMetrics = (exchange: Exchange, registry: Registry): Promise<void> => {
  const { method, metrics } = exchange;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  // The metrics of the server cover all clusters, so members do not show them.
  const visibleMetrics = registry.cluster === ROOT_CLUSTER ? metrics.metrics : new Metrics();
  const text = exposeMetrics(visibleMetrics, registry);
  return sendReply(exchange, { contentType: METRICS_CONTENT_TYPE, parts: [text] });
};

/** Sends a backup, no faster than its reader takes it. */
const handleBackup = (exchange: Exchange, backup: () => AsyncIterable<Buffer>): Promise<void> => {
  if (exchange.method !== 'GET') throw methodNotAllowed();
  return sendReply(exchange, { contentType: 'application/x-ndjson', parts: backup() });
};

/** Serves the failures of the controllers. They concern all clusters, so members do not show them. */
const handleControllers = (
  exchange: Exchange,
  { troubles }: Required<Pick<ServedApi, 'troubles'>>,
): Promise<void> => {
  const { method } = exchange;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  const document = { troubles: troubles.list(), uncounted: troubles.uncounted };
  const parts = [`${JSON.stringify(document)}\n`];
  return sendReply(exchange, { contentType: 'application/json', parts });
};

/** Answers for paths that stand for nothing. */
export const handleUnknown = (registry: Registry, exchange: Exchange): Promise<void> => {
  if (isOfBuiltIns(exchange.path, registry)) throw unknownResource();
  const { code, contentType, body } = PAGE_NOT_FOUND;
  return sendReply(exchange, { code, contentType, parts: [body] });
};

/** Answers for paths that stand for no resource. */
export const handleDocument = (
  { documents, registry, backup, troubles, checks }: ServedApi,
  exchange: Exchange,
): Promise<void> => {
  const { method } = exchange;
  const path = exchange.path.replace(/(?<=.)\/$/, '');
  checkAccepted(path, headerOf(exchange, 'accept'));
  if (isProbe(path)) return handleProbe(exchange, true, checks);
  if (path === BACKUP_PATH && backup !== undefined) return handleBackup(exchange, backup);
  if (path === '/metrics') return handleMetrics(exchange, registry);
  if (path === '/controllers' && troubles !== undefined) {
    return handleControllers(exchange, { troubles });
  }
  const document = documents(path, headerOf(exchange, 'accept'));
  if (document === undefined) return handleUnknown(registry, exchange);
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  const { etag, contentType, body } = document;
  const headers = { etag, vary: 'Accept' };
  const isKnown = headerOf(exchange, 'if-none-match') === etag;
  return isKnown
    ? sendReply(exchange, { code: 304, contentType, headers, parts: [] })
    : sendReply(exchange, { contentType, headers, parts: [body] });
};
