import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { builtinTable } from './table.ts';

let types: ReadonlyMap<string, string> | undefined;

/** Kinds of requests and replies that clients speak of in whatever group they work with. */
const COMMON_KINDS = [
  'DeleteOptions',
  'List',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
  'Status',
];

const readTypes = (): ReadonlyMap<string, string> => {
  const table = builtinTable();
  const typeNames = new Map<string, string>();
  const add = (apiVersion: string, kind: string, type: string): void => {
    if (table.types[type] !== undefined) typeNames.set(`${apiVersion}/${kind}`, type);
  };
  const packages = new Map<string, string>();
  for (const { type, kind, ...resource } of table.resources) {
    const apiVersion = apiVersionOf(resource);
    packages.set(apiVersion, type.slice(0, -kind.length));
    add(apiVersion, kind, type);
    add(apiVersion, `${kind}List`, `${type}List`);
  }
  for (const { subresources = [] } of table.resources) {
    for (const { kind, ...subresource } of subresources) {
      const apiVersion = apiVersionOf(subresource);
      add(apiVersion, kind, `${packages.get(apiVersion) ?? ''}${kind}`);
    }
  }
  return typeNames;
};

/** The built-in type of a kind, or nothing if it is not built in. */
export const typeOfKind = (apiVersion: string, kind: string): string | undefined => {
  types ??= readTypes();
  return (
    types.get(`${apiVersion}/${kind}`) ??
    (COMMON_KINDS.includes(kind) ? `meta.v1.${kind}` : undefined)
  );
};
