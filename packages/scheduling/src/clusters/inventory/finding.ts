import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';

type Status = NonNullable<ClusterRecord['status']>;
type Phase = NonNullable<Status['phase']>;

type Reason = ReasonOf<'ClusterRecord', 'Ready'>;

/** Why a cluster is not ready, and the phase that follows from it. */
export const TROUBLES = {
  /** Nobody has looked at it yet. */
  NotSeenYet: 'Pending',
  /** It answers, and says that it is not well. */
  ClusterNotReady: 'NotReady',
  /** Nothing answers at its address. */
  ClusterUnreachable: 'Unreachable',
  /** Something answers, but not what should be there. */
  AnswerUnintelligible: 'NotReady',
  /** It does not let the control plane in. */
  CredentialsRejected: 'NotReady',
  /** The record names no Secret. */
  CredentialsMissing: 'NotReady',
  /** The Secret that the record names is not there. */
  SecretMissing: 'NotReady',
  /** The Secret lacks something, or holds what cannot be used. */
  CredentialsInvalid: 'NotReady',
  /** This control plane cannot host the virtual member, or failed to. */
  NotHosted: 'NotReady',
  /** The agent in the cluster no longer reports. */
  AgentSilent: 'Unknown',
} as const satisfies { readonly [reason in Exclude<Reason, 'ClusterReady'>]: Phase };

export type Trouble = keyof typeof TROUBLES;

/** What a cluster has and offers, as it says itself. */
export type Offer = Pick<
  Status,
  'capacity' | 'allocatable' | 'allocated' | 'flavors' | 'storageTypes'
>;

/** What a look at a cluster through its southbound found. */
export type Finding =
  | {
      readonly kind: 'well';
      readonly atMs: number;
      readonly offer?: Offer;
      /** The uid of its namespace kube-system, where that may be seen. */
      readonly clusterID?: string;
    }
  | { readonly kind: 'trouble'; readonly reason: Trouble; readonly message: string }
  /** Nobody can be asked: its agent reports by itself. */
  | { readonly kind: 'reported' };
