import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import type { Progress } from './progress.ts';

/** What a control plane has, and what its controllers do. */
export interface Features {
  /** How many virtual member clusters it brings along, beside those of its inventory. */
  readonly members: number;
  /** How many nodes each of them has. */
  readonly nodes: number;
  /** Which controllers run, such as `*,-scheduler`; none when empty. */
  readonly controllers: string;
  /** Whether work leaves clusters that are lost: brings a policy along that taints them. */
  readonly failover: boolean;
  /** Whether work that names no queue is in the default one. */
  readonly queueAll: boolean;
  /** Whether queues take back what others use beyond what they deserve. */
  readonly preemption: boolean;
  /** After which time small work does not pass the first of a queue any more, such as `5m`. */
  readonly reserveAfter: string;
  /** How Schedulers, if there are any, share the clusters out. */
  readonly sharding: ShardingName;
  /** Whether pods may run as processes of this machine: in all members, in those named, or in none. */
  readonly runProcesses: boolean | readonly string[];
  /** The namespaces whose pods may run as processes; those of all when empty. */
  readonly processNamespaces: readonly string[];
  /** Folders of this machine, with all that is in them, that these pods may mount; none when empty. */
  readonly hostPaths: readonly string[];
  /** An image with the mover, for data operations in members that are real clusters; the usual one when empty. */
  readonly moverImage: string;
  /** A store that data goes through between clusters that do not reach each other, as s3://bucket/folder?…; none when empty. */
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

/** What one process can host. */
export const LIMITS: { readonly members: Limit; readonly nodes: Limit } = {
  members: [0, 500],
  nodes: [0, 10_000],
};

export interface PerigeeOptions extends Partial<Features> {
  /** The folder of the data; without it nothing is kept. */
  readonly data?: string;
  /** Where to listen on 127.0.0.1; a free port unless given. */
  readonly port?: number;
  /** The real one unless given. */
  readonly clock?: Clock;
  /** Warnings and errors to the standard error unless given. */
  readonly logger?: Logger;
  /** Runs Schedulers for the server of a kubeconfig. They run in this process unless given. */
  readonly schedulers?: (kubeconfig: string) => SchedulerProcesses & AsyncDisposable;
  /** Told what is done, for whoever waits. */
  readonly onProgress?: (progress: Progress) => void;
}
