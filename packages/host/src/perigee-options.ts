import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import type { Progress } from './progress.ts';

/** The features of a control plane and of its controllers. */
export interface Features {
  /** Number of virtual members, beside those in the inventory. */
  readonly members: number;
  /** Nodes per virtual member. */
  readonly nodes: number;
  /** Controllers to run, such as `*,-scheduler`; none when empty. */
  readonly controllers: string;
  /** Creates a policy that taints lost clusters, so that work leaves them. */
  readonly failover: boolean;
  /** Puts work that names no queue into the default queue. */
  readonly queueAll: boolean;
  /** Lets queues reclaim capacity that others use beyond their deserved share. */
  readonly preemption: boolean;
  /** Once the head of a queue has waited this long, smaller work no longer passes it, such as `5m`. */
  readonly reserveAfter: string;
  /** The strategy that shares out clusters among Schedulers, if there are any. */
  readonly sharding: ShardingName;
  /** Runs pods as processes of this machine: in all members, in those named, or in none. */
  readonly runProcesses: boolean | readonly string[];
  /** Namespaces whose pods may run as processes; all when empty. */
  readonly processNamespaces: readonly string[];
  /** Folders of this machine that such pods may mount, with everything below; none when empty. */
  readonly hostPaths: readonly string[];
  /** The mover image for data operations in members that are real clusters; the default one when empty. */
  readonly moverImage: string;
  /**
   * Staging store for transfers between clusters that cannot reach each other, as s3://bucket/folder?…;
   * none when empty.
   */
  readonly stagingStore: string;
}

export const DEFAULT_FEATURES: Features = {
  members: 3,
  nodes: 3,
  controllers: '*',
  failover: false,
  queueAll: false,
  preemption: false,
  reserveAfter: '5m',
  sharding: 'sticky-geo',
  runProcesses: false,
  processNamespaces: [],
  hostPaths: [],
  moverImage: '',
  stagingStore: '',
};

type Limit = readonly [least: number, most: number];

/** The largest fleet that one process can host. */
export const LIMITS: { readonly members: Limit; readonly nodes: Limit } = {
  members: [0, 500],
  nodes: [0, 10_000],
};

export interface PerigeeOptions extends Partial<Features> {
  /** The data folder; by default a temporary one, deleted at the end. */
  readonly data?: string;
  /** Port on 127.0.0.1; a free one by default. */
  readonly port?: number;
  /** The real clock by default. */
  readonly clock?: Clock;
  /** Logs warnings and errors to standard error by default. */
  readonly logger?: Logger;
  /** Runs Schedulers for the server of a kubeconfig. By default they run in this process. */
  readonly schedulers?: (kubeconfig: string) => SchedulerProcesses & AsyncDisposable;
  /** Called for each step of the start, so that a CLI can show it. */
  readonly onProgress?: (progress: Progress) => void;
}
