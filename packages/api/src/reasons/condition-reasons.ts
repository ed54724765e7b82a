import type { Condition } from '../meta/condition.ts';
import { bindingReasons } from './binding-reasons.ts';
import { clusterRecordReasons } from './cluster-record-reasons.ts';
import { dataOperationReasons } from './data-operation-reasons.ts';
import { dataSourceClaimReasons, dataSourceReasons } from './data-reasons.ts';
import { datasetReasons } from './dataset-reasons.ts';
import { memberClusterReasons } from './member-cluster-reasons.ts';
import { podGroupReasons } from './pod-group-reasons.ts';
import type { ReasonsOfKind } from './reason.ts';
import { scheduleTriggerReasons } from './schedule-trigger-reasons.ts';
import { schedulerReasons } from './scheduler-reasons.ts';
import { workReasons } from './work-reasons.ts';

/** Per kind, the conditions that Perigee writes, and per condition its reasons. Others do not compile. */
export const conditionReasons = {
  Binding: bindingReasons,
  ClusterRecord: clusterRecordReasons,
  DataOperation: dataOperationReasons,
  Dataset: datasetReasons,
  DataSource: dataSourceReasons,
  DataSourceClaim: dataSourceClaimReasons,
  MemberCluster: memberClusterReasons,
  PodGroup: podGroupReasons,
  ScheduleTrigger: scheduleTriggerReasons,
  Scheduler: schedulerReasons,
  Work: workReasons,
} as const satisfies { readonly [kind: string]: ReasonsOfKind };

type Lists = typeof conditionReasons;

export type ConditionedKind = keyof Lists;

export type ConditionType<K extends ConditionedKind> = keyof Lists[K]['conditions'] & string;

/** The reasons that a condition of a kind may have. */
export type ReasonOf<
  K extends ConditionedKind,
  T extends ConditionType<K>,
> = keyof Lists[K]['conditions'][T] & string;

/** A condition of a kind, with a reason that the list pairs with it. */
export type ConditionOf<K extends ConditionedKind> = {
  [Of in K]: {
    [T in ConditionType<Of>]: Condition & { readonly type: T; readonly reason: ReasonOf<Of, T> };
  }[ConditionType<Of>];
}[K];
