import type { JsonValue } from '@perigee/schema/json';
import type { Impersonation } from '../client/cluster-config.ts';

/** PEM text that stands in a file of its own, or as base64 in the kubeconfig. */
export type PemSource = { readonly path: string } | { readonly base64: string };

/** A program that gives credentials, by the protocol of `client.authentication.k8s.io`. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

export interface KubeconfigContext {
  /** The file in which the entry stands. */
  readonly file: string;
  readonly cluster: string;
  readonly user?: string;
  readonly namespace?: string;
}

export interface KubeconfigCluster {
  readonly file: string;
  readonly server?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority?: PemSource;
  readonly proxyUrl?: string;
  /** Configuration of the cluster's entry for the credential plugin. */
  readonly pluginConfig?: JsonValue;
}

export interface KubeconfigUser {
  readonly file: string;
  readonly clientCertificate?: PemSource;
  readonly clientKey?: PemSource;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecPlugin;
  /** The name of a built-in provider, which Kubernetes has dropped. */
  readonly authProvider?: string;
  readonly impersonate?: Impersonation;
}

type Entries<T> = ReadonlyMap<string, T>;

/** Merged kubeconfig files, with absolute paths. Nothing is checked across entries yet. */
export interface Kubeconfig {
  /** The files that it was read from, in order. */
  readonly files: readonly string[];
  readonly currentContext?: string;
  readonly contexts: Entries<KubeconfigContext>;
  readonly clusters: Entries<KubeconfigCluster>;
  readonly users: Entries<KubeconfigUser>;
}
