import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';

type Status = NonNullable<ClusterRecord['status']>;
type Phase = NonNullable<Status['phase']>;

type Reason = ReasonOf<'ClusterRecord', 'Ready'>;

/** The reasons for a cluster that is not ready, with the phase of each. */
export const TROUBLES = {
  /** No probe yet. */
  NotSeenYet: 'Pending',
  /** It answers, and reports itself unhealthy. */
  ClusterNotReady: 'NotReady',
  /** No answer at its address. */
  ClusterUnreachable: 'Unreachable',
  /** The answer is not that of a cluster of its type. */
  AnswerUnintelligible: 'NotReady',
  /** It rejects the control plane's credentials. */
  CredentialsRejected: 'NotReady',
  /** The record names no Secret. */
  CredentialsMissing: 'NotReady',
  /** The Secret that the record names does not exist. */
  SecretMissing: 'NotReady',
  /** The Secret lacks a key or has an unusable value. */
  CredentialsInvalid: 'NotReady',
  /** This control plane cannot host the virtual member, or failed to. */
  NotHosted: 'NotReady',
  /** The agent in the cluster stopped reporting. */
  AgentSilent: 'Unknown',
} as const satisfies { readonly [reason in Exclude<Reason, 'ClusterReady'>]: Phase };

export type Trouble = keyof typeof TROUBLES;

/** Capacity and flavors that a cluster reports. */
export type Offer = Pick<
  Status,
  'capacity' | 'allocatable' | 'allocated' | 'flavors' | 'storageTypes'
>;

/** Result of one probe through a cluster's southbound. */
export type Finding =
  | {
      readonly kind: 'well';
      readonly atMs: number;
      readonly offer?: Offer;
      /** The uid of its kube-system namespace, if it may be read. */
      readonly clusterID?: string;
    }
  | { readonly kind: 'trouble'; readonly reason: Trouble; readonly message: string }
  /** Not probed: an agent reports for it. */
  | { readonly kind: 'reported' };
