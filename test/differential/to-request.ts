import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { poolOf } from './kinds/all-pools.ts';
import { type KindPool, resourcePath, withChanges } from './kinds/kind-pool.ts';
import { type Memory, metadataOf } from './memory.ts';
import { type Operation, UID, VERSION } from './operation.ts';
import type { PeerRequest } from './peer.ts';

const CONTENT_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** Objects without a namespace carry the name of the sequence, to tell them from others. */
export const objectName = (pool: KindPool, namespace: string, slot: string): string =>
  pool.isNamespaced ? slot : `${namespace}-${slot}`;

const nameOf = (operation: Operation, pool: KindPool, memory: Memory, namespace: string): string =>
  (operation.slot === 'g' ? memory.generatedName(operation.kind) : undefined) ??
  objectName(pool, namespace, operation.slot);

const leastOf = (pool: KindPool, namespace: string, name: string): JsonObject => ({
  apiVersion: pool.apiVersion,
  kind: pool.kind,
  metadata: {
    name,
    ...(pool.isNamespaced ? { namespace } : { labels: { run: namespace } }),
  },
  ...pool.least,
});

const scaleOf = (pool: KindPool, namespace: string, name: string): JsonObject => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, ...(pool.isNamespaced ? { namespace } : {}) },
});

const versionOf = (object: JsonObject | undefined): string =>
  String(metadataOf(object).resourceVersion ?? '');

const bodyOf = (
  operation: Operation,
  pool: KindPool,
  memory: Memory,
  where: readonly [namespace: string, name: string],
): JsonObject => {
  const { verb, base, version, subresource, changes = [], generatesName } = operation;
  const lastAnswers = memory.seen(operation);
  const least = subresource === 'scale' ? scaleOf(pool, ...where) : leastOf(pool, ...where);
  if (verb === 'create') {
    const { name, ...metadata } = metadataOf(least);
    const namedMetadata = generatesName
      ? { ...metadata, generateName: `${name}-` }
      : { name, ...metadata };
    return withChanges({ ...least, metadata: namedMetadata }, changes);
  }
  if (verb === 'apply') {
    const { apiVersion, kind, metadata } = least;
    const isWhole = base === 'least' && subresource === undefined;
    return withChanges(isWhole ? least : { apiVersion, kind, metadata }, changes);
  }
  const isSeen = base !== 'least' && subresource !== 'scale';
  const start = (isSeen && (base === 'first' ? lastAnswers?.first : lastAnswers?.live)) || least;
  const { resourceVersion: _, ...metadata } = metadataOf(start);
  const requestVersion =
    version === 'first' ? versionOf(lastAnswers?.first) : versionOf(lastAnswers?.live);
  const isNamed = version !== 'none' && requestVersion !== '';
  const whole = {
    ...start,
    metadata: { ...metadata, ...(isNamed ? { resourceVersion: requestVersion } : {}) },
  };
  return withChanges(whole, changes);
};

const METHODS: { readonly [verb in Operation['verb']]: string } = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
  'delete-collection': 'DELETE',
  get: 'GET',
  list: 'GET',
};

const queryOf = (operation: Operation, pool: KindPool, namespace: string): string => {
  const query = { ...operation.query };
  const isCollection = operation.verb === 'list' || operation.verb === 'delete-collection';
  if (isCollection && !pool.isNamespaced) {
    const { labelSelector } = query;
    query.labelSelector = [`run=${namespace}`, labelSelector ?? []].flat().join(',');
  }
  const text = new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
};

/** Servers quote bodies in errors: they must read the same, in whatever order each wrote its fields. */
const sortKeys = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
};

const contentTypeOf = ({ verb, patchType = 'json' }: Operation): string => {
  if (verb === 'apply') return 'application/apply-patch+yaml';
  return verb === 'patch' ? CONTENT_TYPES[patchType] : 'application/json';
};

/** The request that the operation is for a server that has said these things. */
export const toRequest = (operation: Operation, memory: Memory, namespace: string): PeerRequest => {
  const pool = poolOf(operation.kind);
  const { verb, subresource } = operation;
  const name = nameOf(operation, pool, memory, namespace);
  const isCollection = verb === 'create' || verb === 'list' || verb === 'delete-collection';
  const object = isCollection ? '' : `/${encodeURIComponent(name)}`;
  const below = subresource === undefined ? '' : `/${subresource}`;
  const path = `${resourcePath(pool, namespace)}${object}${below}${queryOf(operation, pool, namespace)}`;
  const method = METHODS[verb];
  const isWrite = verb === 'create' || verb === 'update' || verb === 'apply';
  const body = isWrite
    ? bodyOf(operation, pool, memory, [namespace, name])
    : (operation.patch ?? operation.body);
  if (body === undefined) return { method, path };
  const live = memory.seen(operation)?.live;
  const text = JSON.stringify(sortKeys(body))
    .replaceAll(UID, String(metadataOf(live).uid ?? ''))
    .replaceAll(VERSION, versionOf(live) || '1');
  const repeated =
    operation.repeats && isJsonObject(body)
      ? text.replace('{', `{"apiVersion":${JSON.stringify(pool.apiVersion)},`)
      : text;
  return { method, path, contentType: contentTypeOf(operation), body: repeated };
};
