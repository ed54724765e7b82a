import { ConfigError } from '../errors.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

/** A context with everything that it refers to. */
export interface ResolvedContext {
  readonly name: string;
  /** Its name in error messages. */
  readonly source: string;
  readonly namespace: string;
  readonly cluster: KubeconfigCluster & { readonly name: string; readonly server: string };
  readonly user?: KubeconfigUser & { readonly name: string };
}

const choice = (names: Iterable<string>): string => {
  const all = [...names];
  return all.length === 0 ? 'it has none' : `it has ${all.join(', ')}`;
};

const checkUser = (user: KubeconfigUser & { readonly name: string }): void => {
  const where = `user "${user.name}" of ${user.file}`;
  if (user.authProvider !== undefined) {
    throw new ConfigError(
      `${where} uses the auth-provider "${user.authProvider}", which Kubernetes has dropped: use the exec plugin of your provider instead`,
    );
  }
  if (user.token !== undefined && (user.username ?? user.password) !== undefined) {
    throw new ConfigError(
      `${where} has both a token and a user name or password: keep one of them`,
    );
  }
  if ((user.clientCertificate === undefined) !== (user.clientKey === undefined)) {
    const [present, missing] = user.clientKey
      ? ['client-key', 'client-certificate']
      : ['client-certificate', 'client-key'];
    throw new ConfigError(`${where} has a ${present} but no ${missing}: add it, or remove both`);
  }
};

/** Finds a context and what it refers to. Pure; everything that is missing or wrong is a `ConfigError`. */
export const resolveContext = (config: Kubeconfig, contextName?: string): ResolvedContext => {
  const files = config.files.join(', ');
  const name = contextName ?? config.currentContext;
  if (name === undefined) {
    throw new ConfigError(
      `${files} has no current context: choose one with --context (${choice(config.contexts.keys())})`,
    );
  }
  const context = config.contexts.get(name);
  if (context === undefined) {
    throw new ConfigError(
      `there is no context "${name}" in ${files}: choose another with --context (${choice(config.contexts.keys())})`,
    );
  }
  const source = `context "${name}" of ${context.file}`;
  const cluster = config.clusters.get(context.cluster);
  if (cluster === undefined) {
    throw new ConfigError(
      `${source} names the cluster "${context.cluster}", which is not in ${files}: add it under clusters, or correct the context`,
    );
  }
  const { server } = cluster;
  if (server === undefined) {
    throw new ConfigError(
      `cluster "${context.cluster}" of ${cluster.file} has no server: add its URL`,
    );
  }
  const resolvedContext = {
    name,
    source,
    namespace: context.namespace ?? 'default',
    cluster: { ...cluster, name: context.cluster, server },
  };
  if (context.user === undefined) return resolvedContext;
  const user = config.users.get(context.user);
  if (user === undefined) {
    throw new ConfigError(
      `${source} names the user "${context.user}", which is not in ${files}: add it under users, or correct the context`,
    );
  }
  const namedUser = { ...user, name: context.user };
  checkUser(namedUser);
  return { ...resolvedContext, user: namedUser };
};
