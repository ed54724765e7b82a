import type { ReasonsOfKind } from './reason.ts';

/** The conditions of a cluster record, and their reasons. */
export const clusterRecordReasons = {
  of: 'Cluster (globalscheduler.com)',
  conditions: {
    Ready: {
      ClusterReady: { means: 'The cluster answers, and says that it is well.' },
      ClusterNotReady: {
        means: 'The cluster answers, and says that it is not well.',
        todo: 'Ask its /readyz?verbose.',
      },
      NotSeenYet: { means: 'Nobody has looked at it yet.' },
      ClusterUnreachable: {
        means: 'Nothing answers at its address.',
        todo: 'Check the address, the network and the certificate that the message names.',
      },
      AnswerUnintelligible: {
        means: 'Something answers, but not what should be there.',
        todo: 'Check the address and the type of the record.',
      },
      CredentialsRejected: {
        means: 'The cluster does not let the control plane in.',
        todo: 'Renew the credentials in the Secret.',
      },
      CredentialsMissing: {
        means: 'The record names no Secret.',
        todo: 'Put the credentials into a Secret, and its name into spec.secretRef.',
      },
      SecretMissing: {
        means: 'The Secret that the record names is not there.',
        todo: 'Create it; the cluster is tried again at once.',
      },
      CredentialsInvalid: {
        means: 'The Secret lacks something, or holds what cannot be used.',
        todo: 'The message names the key.',
      },
      NotHosted: {
        means: 'This control plane cannot host the virtual member, or failed to.',
        todo: 'Virtual members need `perigee up`; the message says what failed.',
      },
      AgentSilent: {
        means: 'The agent in the cluster no longer reports.',
        todo: 'Look after the agent, and the way from it to here.',
      },
    },
    ExecutionTarget: {
      InStep: { means: 'The execution target is as the record says.' },
      NotMadeYet: { means: 'The execution target is still to be made.' },
      OutOfStep: { means: 'The record has changed, and its target is still to follow.' },
      FieldsOfOthers: {
        means: 'Somebody else wrote fields of the target, which stay as they are.',
        todo: 'Change them there, or say the same in the record.',
      },
      CredentialsWithheld: {
        means:
          'Others wrote an address, a proxy or a way around TLS into the target, and the Secret of the record does not go there.',
        todo: 'Remove these fields, or name the Secret in the target, which takes the right to read it.',
      },
      InventoryOnly: {
        means: 'OpenStack clouds take no Kubernetes objects: they are counted, and get no target.',
      },
      Unregistering: {
        means: 'The record goes when all work has left the cluster.',
        todo: 'Nothing, unless the cluster no longer answers.',
      },
    },
    HomeScheduler: {
      HomeAsWished: { means: 'The scheduler that the record wishes for has the cluster.' },
      NoActiveScheduler: {
        means: 'No scheduler is active that could have the cluster.',
        todo: 'Look at the schedulers: `perigee ring`.',
      },
      NoSuchScheduler: {
        means: 'The record wishes for a scheduler that does not exist.',
        todo: 'Create it, or correct spec.homeScheduler.',
      },
      SchedulerNotActive: {
        means: 'The scheduler that the record wishes for is not at work.',
        todo: 'Look at its status: `kubectl describe gscheduler`.',
      },
      WishNotCounted: { means: 'Only the sharding sticky-geo follows wishes.' },
      SchedulerFull: {
        means: 'The scheduler that the record wishes for would have more than its share.',
        todo: 'Add schedulers, or wish for another one.',
      },
      HomeKept: {
        means: 'The cluster had a home already, and clusters do not move for wishes.',
        todo: 'Register it anew to have the wish followed.',
      },
    },
    AmountsKnown: {
      AmountsRefused: {
        means:
          'What the cluster says that it has cannot be; it was left out, and the rest is told.',
        todo: 'The message names the field. Look at what the cluster tells.',
      },
    },
    Unique: {
      SameCluster: {
        means: 'The cluster is known under another name already; nothing is placed under this one.',
        todo: 'Unregister one of the two.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
