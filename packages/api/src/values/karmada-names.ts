import { safeEncode } from './generated-name.ts';

const EXECUTION_NAMESPACE_PREFIX = 'karmada-es-';

/** The namespace of the control plane that holds the Works of a member cluster. */
export const executionNamespace = (cluster: string): string =>
  `${EXECUTION_NAMESPACE_PREFIX}${cluster}`;

/** The cluster that an execution namespace belongs to; nothing for another namespace. */
export const clusterOfExecutionNamespace = (namespace: string): string | undefined =>
  namespace.startsWith(EXECUTION_NAMESPACE_PREFIX)
    ? namespace.slice(EXECUTION_NAMESPACE_PREFIX.length)
    : undefined;

/** The names of roles may hold colons and capitals, which no custom resource may. */
const withoutColons = (name: string): string => name.replaceAll(':', '.');

/** The name of the binding of a resource, unless another resource has it: see `distinctBindingName`. */
export const bindingName = (kind: string, name: string): string =>
  `${withoutColons(name)}-${kind}`.toLowerCase();

const utf8 = new TextEncoder();

const fnv1a32 = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
};

/** The name of the Work that carries a resource to a cluster; a cluster-scoped one has no namespace. */
export const workName = (kind: string, name: string, namespace = ''): string => {
  const base = withoutColons(name).toLowerCase();
  const hashed = `${namespace === '' ? '' : `${namespace}-`}${base}-${kind}`.toLowerCase();
  return `${base}-${safeEncode(String(fnv1a32(hashed)))}`;
};

/** A resource as bindings name it. */
export interface NamedResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

const groupOf = (apiVersion: string): string => apiVersion.split('/').toReversed()[1] ?? '';

/** Distinguishes resources that share a name: of kinds in two API groups, or names that differ in case only. */
const distinction = ({ apiVersion, kind, name }: NamedResource): string =>
  safeEncode(String(fnv1a32([groupOf(apiVersion), kind, name].join('/'))));

/** True if two resources are the same one, in whatever version of its kind. */
export const isSameResource = (a: NamedResource, b: NamedResource): boolean =>
  groupOf(a.apiVersion) === groupOf(b.apiVersion) &&
  a.kind === b.kind &&
  a.name === b.name &&
  (a.namespace ?? '') === (b.namespace ?? '');

/** The name of the binding of a resource whose `bindingName` is another resource's. */
export const distinctBindingName = (resource: NamedResource): string =>
  `${bindingName(resource.kind, resource.name)}-${distinction(resource)}`;

/** The name of the Work of a resource whose binding is named so. */
export const workNameFor = (resource: NamedResource, binding: string): string => {
  const { kind, name, namespace } = resource;
  const plain = workName(kind, name, namespace);
  return binding === distinctBindingName(resource) ? `${plain}-${distinction(resource)}` : plain;
};
