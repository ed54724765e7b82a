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

/** The name of the binding of a resource. Kinds of the same name in two API groups share it. */
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
