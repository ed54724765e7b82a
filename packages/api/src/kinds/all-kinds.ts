import type { Kind } from '../kind/define-kind.ts';
import { DataSource } from './datadependency/data-source.ts';
import { DataSourceClaim } from './datadependency/data-source-claim.ts';
import { DataBackup } from './fluid/data-backup.ts';
import { DataLoad } from './fluid/data-load.ts';
import { DataMigrate } from './fluid/data-migrate.ts';
import { DataProcess } from './fluid/data-process.ts';
import { Dataset } from './fluid/dataset.ts';
import { Cluster as InventoryCluster } from './globalscheduler/cluster.ts';
import { Scheduler } from './globalscheduler/scheduler.ts';
import { Cluster } from './karmada/cluster.ts';
import { ClusterOverridePolicy } from './karmada/cluster-override-policy.ts';
import { ClusterPropagationPolicy } from './karmada/cluster-propagation-policy.ts';
import { ClusterResourceBinding } from './karmada/cluster-resource-binding.ts';
import { OverridePolicy } from './karmada/override-policy.ts';
import { PropagationPolicy } from './karmada/propagation-policy.ts';
import { ResourceBinding } from './karmada/resource-binding.ts';
import { ResourceInterpreterCustomization } from './karmada/resource-interpreter-customization.ts';
import { ScheduleTrigger } from './karmada/schedule-trigger.ts';
import { Work } from './karmada/work.ts';
import { WorkloadRebalancer } from './karmada/workload-rebalancer.ts';
import { Job } from './volcano/job.ts';
import { PodGroup } from './volcano/pod-group.ts';
import { Queue } from './volcano/queue.ts';

/** Every kind of the language. What is not here has no CRD and is not admitted. */
export const allKinds: readonly Kind[] = [
  InventoryCluster,
  Scheduler,
  Cluster,
  PropagationPolicy,
  ClusterPropagationPolicy,
  OverridePolicy,
  ClusterOverridePolicy,
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
  Queue,
  PodGroup,
  Job,
];
