import { ApiError } from '@perigee/kube/errors';
import { hostProblem } from '@perigee/kube/listen/host-problem';
import { present } from '@perigee/schema/present';
import { ANONYMOUS } from '../access/access.ts';
import { BACKUP_PATH } from '../backup/backup-path.ts';
import { type Subresource, subresourcesOf } from '../discovery/subresources.ts';
import { requestLabels } from '../metrics/request-labels.ts';
import { isConnection } from '../openapi/connect-path-item.ts';
import { allowsVerb } from '../registry/allows-verb.ts';
import type { Registry } from '../registry/registry.ts';
import { isWatch } from '../request/query.ts';
import { type RequestTarget, requestTarget } from '../request/request-target.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest, methodNotAllowed, unknownResource } from '../status/request-refusals.ts';
import { proxiedApi, proxiedPath } from './cluster-proxy.ts';
import type { Exchange } from './exchange.ts';
import { handleDelete, handleDeleteCollection } from './handle-delete.ts';
import { handleDocument, handleUnknown } from './handle-document.ts';
import { handleExtension } from './handle-extension.ts';
import { handlePodLog } from './handle-pod-log.ts';
import { handleGet, handleList } from './handle-read.ts';
import { handleWatch } from './handle-watch.ts';
import { handleCreate, handlePatch, handleUpdate } from './handle-write.ts';
import { factsOf } from './http-facts.ts';
import { locateCluster } from './locate-cluster.ts';
import { sendStatus, statusOf } from './reply.ts';
import type { ServedApi } from './served-api.ts';

/** Runs an exchange, and measures it. */
const measure = async (
  { registry }: ServedApi,
  exchange: Exchange,
  work: () => Promise<void>,
): Promise<void> => {
  const { method, path, query, metrics, response } = exchange;
  const watches = method === 'GET' && isWatch(query);
  const finish = metrics.begin(method, watches);
  const labels = requestLabels(method, path, watches, registry.resources);
  using _ = watches ? metrics.watching(labels) : undefined;
  try {
    await work();
  } finally {
    finish(response.statusCode, labels);
  }
};

type Handler = (
  api: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: RequestTarget & { readonly name: string },
) => Promise<void>;

const HANDLERS: { readonly [verb: string]: Handler } = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

/** The subresource of a pod that is a stream rather than an object. */
const LOG = 'log';

/** Verb of a request to an object, to a collection, or to a path that is no resource. */
const verbOf = ({ method, query }: Exchange, target: RequestTarget | undefined): string => {
  if (target === undefined) return method.toLowerCase();
  const isOne = target.name !== undefined;
  switch (method) {
    case 'GET':
      if (isWatch(query) && target.subresource === undefined) return 'watch';
      return isOne ? 'get' : 'list';
    case 'POST':
      return isOne && target.subresource === undefined ? '' : 'create';
    case 'PUT':
      return isOne ? 'update' : '';
    case 'PATCH':
      return isOne ? 'patch' : '';
    case 'DELETE':
      return isOne ? 'delete' : 'deletecollection';
    default:
      return '';
  }
};

const offers = (resource: ServedResource, verb: string, part: Subresource | undefined) =>
  part === undefined ? allowsVerb(resource, verb) : part.verbs.includes(verb);

/** Nothing runs here that a stream could lead to. Logs have a handler of their own. */
const isServedPart = (part: Subresource | undefined): part is Subresource =>
  part !== undefined && !isConnection(part);

const isServed = ({ scope }: ServedResource, { namespace, name }: RequestTarget): boolean =>
  name !== '' && !(scope === 'Cluster' && namespace !== undefined);

/** The part of an object that a path names; undefined when it names the object itself. */
const partOf = (resource: ServedResource, target: RequestTarget): Subresource | undefined => {
  if (target.subresource === undefined) return undefined;
  const part = subresourcesOf(resource).find(({ name }) => name === target.subresource);
  if (!isServedPart(part)) throw unknownResource();
  return part;
};

const handleResource = (
  api: ServedApi,
  exchange: Exchange,
  target: RequestTarget,
  verb: string,
): Promise<void> => {
  const resource = api.registry.resources.find(target);
  if (resource === undefined || !isServed(resource, target)) {
    return handleUnknown(api.registry, exchange);
  }
  const part = partOf(resource, target);
  const { name = '', namespace } = target;
  const isNowhere = resource.scope === 'Namespaced' && namespace === undefined;
  if (isNowhere && name !== '') return handleUnknown(api.registry, exchange);
  const handler = part?.name === LOG && verb === 'get' ? handlePodLog : HANDLERS[verb];
  if (handler === undefined || !offers(resource, verb, part)) throw methodNotAllowed();
  if (isNowhere && verb === 'create') throw methodNotAllowed();
  if (resource.deprecation !== undefined) exchange.warnings.push(resource.deprecation);
  return handler(api, exchange, resource, name === '' ? (target as never) : { ...target, name });
};

/** The API for its user, with admission of all writes. */
const seenBy = (api: ServedApi, { user, warnings, audit }: Exchange, verb: string): ServedApi => {
  const { admit } = api;
  const caller = {
    user: user ?? ANONYMOUS,
    warn: (text: string) => void warnings.push(text),
    annotate: (key: string, value: string) => audit?.annotate(key, value),
  };
  const registry = { ...api.registry, caller };
  if (admit === undefined || user === undefined) return { ...api, registry };
  const refuse: Registry['admit'] = (resource, write) => admit({ user, verb }, resource, write);
  return { ...api, registry: { ...registry, admit: refuse } };
};

const route = async (api: ServedApi, exchange: Exchange): Promise<void> => {
  const { path, request } = exchange;
  const extension = api.extensions?.find(({ prefixes }) =>
    prefixes.some((prefix) => path.startsWith(prefix)),
  );
  if (extension !== undefined) return handleExtension(api, exchange, extension);
  const target = requestTarget(path);
  const verb = verbOf(exchange, target);
  exchange.audit?.wants(verb, target, api.registry.cluster);
  if (api.authorize !== undefined) {
    const { cluster } = api.registry;
    const about = {
      verb,
      cluster,
      headers: request.headers,
      ...present({ target }),
    };
    const user = await api.authorize({ ...factsOf(exchange), ...about });
    exchange.user = user ?? ANONYMOUS;
  }
  const proxyPath = proxiedPath(api, target, path);
  if (proxyPath !== undefined) {
    const member = proxiedApi(api, exchange, proxyPath.cluster);
    return route(member, { ...exchange, path: proxyPath.path });
  }
  const { flow, audit, user = ANONYMOUS } = exchange;
  audit?.isFrom(user);
  // The reader decides how long these take.
  const isEndless = target?.subresource === LOG || path === BACKUP_PATH;
  const turn = { user, cluster: api.registry.cluster, verb: isEndless ? 'watch' : verb, exchange };
  return flow.run(turn, async () =>
    target === undefined
      ? handleDocument(api, exchange)
      : handleResource(seenBy(api, exchange, verb), exchange, target, verb),
  );
};

const sendFailure = async (api: ServedApi, exchange: Exchange, error: unknown): Promise<void> => {
  const { response, signal, method, path } = exchange;
  if (signal.aborted) return void response.destroy();
  if (!(error instanceof ApiError)) api.logger?.error('a request failed', { error, method, path });
  if (response.headersSent) return void response.destroy();
  await sendStatus(exchange, statusOf(error));
};

/** Handles one request to any cluster of the server. */
export const handleExchange = async (root: ServedApi, exchange: Exchange): Promise<void> => {
  try {
    const problem = hostProblem(exchange.request.rawHeaders);
    if (problem !== undefined) throw badRequest(problem);
    const [api, inside] = locateCluster(root, exchange);
    await measure(api, inside, () =>
      route(api, inside).catch((error: unknown) => sendFailure(api, inside, error)),
    );
  } catch (error) {
    await sendFailure(root, exchange, error);
  }
};
