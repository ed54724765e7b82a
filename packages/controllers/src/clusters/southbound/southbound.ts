import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Finding } from '@perigee/scheduling/clusters/inventory/finding';
import type { ChangeListener } from '../../members/change-listeners.ts';

/** Where the control plane serves a cluster that it hosts itself, and how others get in. */
export interface OpenedCluster {
  readonly apiEndpoint?: string;
  readonly secretRef?: { readonly namespace: string; readonly name: string };
  /** How it runs pods, as `podsAreRun` writes it. */
  readonly pods?: string;
}

/** What the inventory needs of clusters of one type. Nothing of it deploys anything in a cluster. */
export interface Southbound {
  /**
   * Whether this process makes and removes the execution targets of such clusters. Clusters that take no
   * Kubernetes objects have none, and those that another process hosts get theirs from it.
   */
  readonly keepsTargets: boolean;
  /**
   * Provides what the control plane itself has to provide. Called again and again; the same each time.
   * Nothing comes back when it cannot: `look` then tells why.
   */
  open?(record: ClusterRecord): Promise<OpenedCluster | undefined>;
  /** Looks whether the cluster is well, and what it has. Fails only when the signal is aborted. */
  look(
    record: ClusterRecord,
    target: MemberCluster | undefined,
    options: { readonly signal: AbortSignal },
  ): Promise<Finding>;
  /** Takes back what `open` provided, when the record goes. It does not matter whether there is any. */
  close?(name: string): Promise<void>;
  /** Lets go of what it keeps of a cluster whose record is gone. */
  forget?(name: string): void;
  /** Told when there may be something new to see in a cluster, such as other credentials. */
  onChange(listener: ChangeListener): Disposable;
}

/** The southbound of each type of cluster. */
export type Southbounds = { readonly [type in ClusterRecord['spec']['type']]: Southbound };
