import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Finding } from '@perigee/scheduling/clusters/inventory/finding';
import type { ChangeListener } from '../../members/change-listeners.ts';

/** The address of a cluster that the control plane hosts itself, with the credentials for other processes. */
export interface OpenedCluster {
  readonly apiEndpoint?: string;
  readonly secretRef?: { readonly namespace: string; readonly name: string };
  /** The pod runtime, in the form of `podsAreRun`. */
  readonly pods?: string;
}

/** The inventory's interface to clusters of one type. It deploys nothing in a cluster. */
export interface Southbound {
  /**
   * True if this process creates and deletes the execution targets. Clusters that take no Kubernetes objects have
   * none, and those that another process hosts get theirs from it.
   */
  readonly keepsTargets: boolean;
  /**
   * Provides the cluster, if the control plane hosts it. Idempotent. Undefined if it cannot: `probe` then returns
   * the reason.
   */
  open?(record: ClusterRecord): Promise<OpenedCluster | undefined>;
  /** Probes the health and the capacity of the cluster. Rejects only when the signal is aborted. */
  probe(
    record: ClusterRecord,
    target: MemberCluster | undefined,
    options: { readonly signal: AbortSignal },
  ): Promise<Finding>;
  /** Removes the hosted cluster, if there is one, when the record is deleted. */
  close?(name: string): Promise<void>;
  /** Drops cached state of a cluster whose record is gone. */
  forget?(name: string): void;
  /** Notifies when a probe may have a new result, such as after a change of credentials. */
  onChange(listener: ChangeListener): Disposable;
}

/** The southbound for each type of cluster. */
export type Southbounds = { readonly [type in ClusterRecord['spec']['type']]: Southbound };
