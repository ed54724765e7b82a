import { createHash } from 'node:crypto';
import { present } from '@perigee/schema/present';
import { RestError } from '../errors.ts';
import { openApiDocument } from '../openapi/open-api-document.ts';
import { getCluster } from '../operations/get-cluster.ts';
import type { KnownIds } from '../operations/known-ids.ts';
import { type ClusterPage, listClusters } from '../operations/list-clusters.ts';
import { registerCluster } from '../operations/register-cluster.ts';
import type { IdentifyCluster } from '../operations/same-cluster.ts';
import { unregisterCluster } from '../operations/unregister-cluster.ts';
import { updateCluster } from '../operations/update-cluster.ts';
import { PROFILE, profilePath } from '../profile/profile-names.ts';
import { readProfile } from '../profile/read-profile.ts';
import { toProfile } from '../profile/to-profile.ts';
import { CLUSTERS, METHODS, OPENAPI, type Route, routeOf } from '../routes.ts';
import {
  hasAlready,
  tagOfCluster,
  tagOfDigest,
  tagOfText,
  versionsWanted,
  wantsNew,
} from './entity-tags.ts';
import { jsonReply, type RestReply, type RestRequest } from './exchange.ts';
import { type CallName, dryRunIn, forceIn, listOptions, refuseUnknown } from './parameters.ts';
import { readJson } from './read-json.ts';

/** Clusters serialised per event-loop turn: about a millisecond of work. */
const SLICE = 100;

/** The JSON of a page and its entity tag, serialised in slices that yield to the event loop in between. */
const textOfPage = async (
  { clusters, ...further }: ClusterPage,
  yieldTurn: () => Promise<void>,
): Promise<{ readonly text: string; readonly tag: string }> => {
  const hash = createHash('sha256');
  const parts: string[] = [];
  const write = (part: string): void => {
    hash.update(part);
    parts.push(part);
  };
  write('{"clusters":[');
  for (let from = 0; from < clusters.length; from += SLICE) {
    if (from > 0) await yieldTurn();
    const profiles = clusters
      .slice(from, from + SLICE)
      .map((one) => JSON.stringify(toProfile(one)));
    write(`${from > 0 ? ',' : ''}${profiles.join(',')}`);
  }
  const rest = JSON.stringify(further);
  write(rest === '{}' ? ']}\n' : `],${rest.slice(1)}\n`);
  return { text: parts.join(''), tag: tagOfDigest(hash) };
};

/** State shared by all requests. */
export interface RestMemory {
  readonly knownIds: KnownIds;
  readonly identify?: IdentifyCluster;
}

interface Call extends RestRequest, RestMemory {}

const identifying = ({ identify }: Call) => present({ identify });

type ClusterRoute = Extract<Route, { readonly kind: 'cluster' }>;

/** The reply, or 304 when the client has the current version. */
const unlessKnown = (request: RestRequest, tag: string, reply: RestReply): RestReply => {
  const headers = { ...reply.headers, etag: tag };
  if (!hasAlready(request, tag)) return { ...reply, headers };
  return { ...reply, code: 304, headers, body: '' };
};

/** `If-None-Match: *` asks for a new record, so an existing identical one is an error. */
const notNew = (name: string): RestError =>
  new RestError(412, {
    reason: 'NameTaken',
    detail: `If-None-Match does not fit: there is a cluster ${name} already`,
  });

const leftOut = (paths: readonly string[]): readonly string[] =>
  paths.map((path) => `unknown field "${profilePath(path)}": it was left out`);

const register = async (request: Call): Promise<RestReply> => {
  const { client, query, signal, knownIds } = request;
  const dryRun = dryRunIn(query);
  const isNewWanted = wantsNew(request);
  const { cluster, warnings } = readProfile(await readJson(request));
  const registration = await registerCluster(client, cluster, {
    signal,
    dryRun,
    ...identifying(request),
  });
  const { outcome, cluster: record, unknownFields } = registration;
  const { name } = record.metadata;
  const isNew = outcome === 'registered';
  if (!isNew && isNewWanted) throw notNew(name);
  const isStored = !(isNew && dryRun);
  if (isStored) knownIds.see(record);
  const reply = jsonReply(
    isNew ? 201 : 200,
    { [PROFILE]: toProfile(record) },
    isStored ? { etag: tagOfCluster(record), location: `${CLUSTERS}/name/${name}` } : {},
  );
  return { ...reply, warnings: [...warnings, ...leftOut(unknownFields)] };
};

const update = async (request: Call, { ref, called }: ClusterRoute): Promise<RestReply> => {
  const { client, query, signal, knownIds } = request;
  const dryRun = dryRunIn(query);
  const versions = versionsWanted(request);
  if (wantsNew(request)) throw notNew(called);
  const { cluster, warnings } = readProfile(await readJson(request), { isKnown: true });
  const updateResult = await updateCluster(client, ref, cluster, {
    signal,
    knownIds,
    dryRun,
    replacesLabels: true,
    ...identifying(request),
    ...present({ versions }),
  });
  const { cluster: record, unknownFields } = updateResult;
  const reply = jsonReply(
    200,
    { [PROFILE]: toProfile(record) },
    dryRun ? {} : { etag: tagOfCluster(record) },
  );
  return { ...reply, warnings: [...warnings, ...leftOut(unknownFields)] };
};

const list = async (request: RestRequest): Promise<RestReply> => {
  const { client, query, signal } = request;
  const page = await listClusters(client, { ...listOptions(query), signal });
  const { text, tag } = await textOfPage(page, request.yieldTurn);
  return unlessKnown(request, tag, { ...jsonReply(200, {}), body: text });
};

const show = async (request: Call, { ref }: ClusterRoute): Promise<RestReply> => {
  const { client, signal, knownIds } = request;
  const cluster = await getCluster(client, ref, { signal, knownIds });
  const reply = jsonReply(200, { [PROFILE]: toProfile(cluster) });
  return unlessKnown(request, tagOfCluster(cluster), reply);
};

const unregister = async (request: Call, { ref, called }: ClusterRoute): Promise<RestReply> => {
  const { client, query, signal, knownIds } = request;
  const versions = versionsWanted(request);
  const { outcome, cluster } = await unregisterCluster(client, ref, {
    signal,
    knownIds,
    force: forceIn(query),
    dryRun: dryRunIn(query),
    ...present({ versions }),
  });
  const { uid, name } = cluster.metadata;
  return jsonReply(200, { deleted: called, cluster_id: uid, cluster_name: name, outcome });
};

const describe = (request: RestRequest): RestReply => {
  const reply = jsonReply(200, openApiDocument());
  return unlessKnown(request, tagOfText(reply.body), reply);
};

const callOf = ({ method }: RestRequest, { kind }: Route): CallName => {
  if (kind === 'openapi') return 'describe';
  if (kind === 'clusters') return method === 'POST' ? 'register' : 'list';
  if (method === 'PUT') return 'update';
  return method === 'DELETE' ? 'unregister' : 'show';
};

const routed = (request: Call, route: Route): RestReply | Promise<RestReply> => {
  const call = callOf(request, route);
  refuseUnknown(request.query, call);
  if (route.kind === 'openapi') return describe(request);
  if (route.kind === 'clusters') return call === 'register' ? register(request) : list(request);
  if (call === 'show') return show(request, route);
  return call === 'update' ? update(request, route) : unregister(request, route);
};

/**
 * Handles a request of the REST API. Throws errors that `problemReply` turns into replies, so that the
 * server can reply to its own failures in the same way.
 */
export const handleRequest = async (
  request: RestRequest,
  memory: RestMemory,
): Promise<RestReply> => {
  const { method, path } = request;
  const route = routeOf(path);
  if (route === undefined) {
    throw new RestError(404, {
      reason: 'UnknownPath',
      detail: `there is nothing at ${path}: see ${CLUSTERS} and ${OPENAPI}`,
    });
  }
  const methods = METHODS[route.kind];
  const allow = methods.join(', ');
  if (method === 'OPTIONS') return { code: 200, headers: { allow }, body: '' };
  if (!methods.includes(method)) {
    throw new RestError(405, {
      reason: 'MethodNotAllowed',
      detail: `${method} is not possible here: use ${allow}`,
      headers: { allow },
    });
  }
  return routed({ ...request, ...memory }, route);
};
