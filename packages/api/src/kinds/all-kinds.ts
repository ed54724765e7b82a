import type { Kind } from '../kind/define-kind.ts';
import { ClusterRecord } from './clusters/cluster-record.ts';
import { ClusterRoom } from './clusters/cluster-room.ts';
import { ClusterTaintPolicy } from './clusters/cluster-taint-policy.ts';
import { MemberCluster } from './clusters/member-cluster.ts';
import { Scheduler } from './clusters/scheduler.ts';
import { DataSource } from './data/data-source.ts';
import { DataSourceClaim } from './data/data-source-claim.ts';
import { DataBackup } from './flows/data-backup.ts';
import { DataLoad } from './flows/data-load.ts';
import { DataMigrate } from './flows/data-migrate.ts';
import { DataProcess } from './flows/data-process.ts';
import { Dataset } from './flows/dataset.ts';
import { runtimeKinds } from './flows/runtimes.ts';
import { Job } from './groups/job.ts';
import { PodGroup } from './groups/pod-group.ts';
import { ClusterOverridePolicy } from './placement/cluster-override-policy.ts';
import { ClusterPropagationPolicy } from './placement/cluster-propagation-policy.ts';
import { ClusterResourceBinding } from './placement/cluster-resource-binding.ts';
import { OverridePolicy } from './placement/override-policy.ts';
import { PropagationPolicy } from './placement/propagation-policy.ts';
import { ResourceBinding } from './placement/resource-binding.ts';
import { ResourceInterpreterCustomization } from './placement/resource-interpreter-customization.ts';
import { ScheduleTrigger } from './placement/schedule-trigger.ts';
import { Work } from './placement/work.ts';
import { WorkloadRebalancer } from './placement/workload-rebalancer.ts';
import { Queue } from './queues/queue.ts';

/** Every kind of the language. What is not here has no CRD and is not admitted. */
export const allKinds: readonly Kind[] = [
  ClusterRecord,
  Scheduler,
  MemberCluster,
  ClusterRoom,
  PropagationPolicy,
  ClusterPropagationPolicy,
  OverridePolicy,
  ClusterOverridePolicy,
  ClusterTaintPolicy,
  ScheduleTrigger,
  ResourceBinding,
  ClusterResourceBinding,
  Work,
  WorkloadRebalancer,
  ResourceInterpreterCustomization,
  DataSource,
  DataSourceClaim,
  Dataset,
  DataLoad,
  DataMigrate,
  DataBackup,
  DataProcess,
  ...runtimeKinds,
  Queue,
  PodGroup,
  Job,
];
