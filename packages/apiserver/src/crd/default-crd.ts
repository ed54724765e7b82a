import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { readCrd } from './crd.ts';

const withDefaultPort = (conversion: JsonObject): JsonObject => {
  const { webhook } = conversion;
  const clientConfig = isJsonObject(webhook) ? webhook.clientConfig : undefined;
  const service = isJsonObject(clientConfig) ? clientConfig.service : undefined;
  if (!isJsonObject(webhook) || !isJsonObject(clientConfig) || !isJsonObject(service)) {
    return conversion;
  }
  if (service.port !== undefined) return conversion;
  return {
    ...conversion,
    webhook: { ...webhook, clientConfig: { ...clientConfig, service: { ...service, port: 443 } } },
  };
};

/** Fills in what a CRD may leave out. Never changes its input. */
export const defaultCrd = (crd: JsonObject): JsonObject => {
  if (!isJsonObject(crd.spec)) return crd;
  const { names, conversion } = readCrd(crd);
  const writtenNames = isJsonObject(crd.spec.names) ? crd.spec.names : {};
  return {
    ...crd,
    spec: {
      ...crd.spec,
      names: {
        ...writtenNames,
        ...(names.singular === '' && names.kind !== ''
          ? { singular: names.kind.toLowerCase() }
          : {}),
        ...(names.listKind === '' && names.kind !== '' ? { listKind: `${names.kind}List` } : {}),
      },
      conversion: conversion === undefined ? { strategy: 'None' } : withDefaultPort(conversion),
    },
  };
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Prepares a CRD for the store, as a new one or in place of `old`: users do not write its status, and storage
 * versions stay in `storedVersions`.
 */
export const prepareCrd = (crd: JsonObject, old?: JsonObject): JsonObject => {
  const { versions } = readCrd(crd);
  const keptStatus = old === undefined ? {} : isJsonObject(old.status) ? old.status : {};
  const { storedVersions } = readCrd({ status: keptStatus });
  const storage = versions.find((version) => version.storage)?.name;
  const all =
    storage === undefined || storedVersions.includes(storage)
      ? storedVersions
      : [...storedVersions, storage];
  const status = isSame(all, keptStatus.storedVersions)
    ? keptStatus
    : { ...keptStatus, storedVersions: all };
  return { ...crd, status };
};
