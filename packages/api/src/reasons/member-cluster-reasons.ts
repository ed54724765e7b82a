import type { ReasonsOfKind } from './reason.ts';

/** The conditions of an execution target, and their reasons. */
export const memberClusterReasons = {
  of: 'Cluster (cluster.karmada.io)',
  conditions: {
    Leftovers: {
      ObjectsLeft: {
        means: 'An earlier registration of the cluster left objects there that no Work names.',
        todo: 'Let a policy place them there again, which takes them over, or delete them in the cluster.',
      },
    },
    Drained: {
      WorkLeaving: {
        means: 'The cluster is being removed, and goes when its work has moved elsewhere.',
      },
      WorkStays: {
        means: 'The cluster is to be removed, and some of its work cannot go anywhere else.',
        todo: 'The message says which work and why: let it go elsewhere, delete it, or remove the cluster by force (`perigee unregister --force`).',
      },
    },
    Ready: {
      ClusterReady: { means: 'The cluster answers, and says that it is well.' },
      ClusterNotReady: {
        means: 'The cluster answers, and says that it is not well.',
        todo: 'Ask its /readyz?verbose.',
      },
      ClusterNotReachable: {
        means: 'Nothing answers at its address.',
        todo: 'Check the address, the network and the certificate that the message names.',
      },
      StatusCollectionFailed: {
        means: 'The cluster is there, but its nodes and pods could not be read.',
        todo: 'Check what the credentials may read.',
      },
      ClusterStatusNeverUpdated: {
        means: 'The agent of a pulling cluster never reported.',
        todo: 'Start `perigee agent` in it.',
      },
      ClusterStatusUnknown: {
        means: 'The agent of a pulling cluster no longer reports.',
        todo: 'Look after the agent, and the way from it to here.',
      },
    },
    CompleteAPIEnablements: {
      Complete: { means: 'All API groups of the cluster are known.' },
      Partial: {
        means: 'Some API groups did not answer; what was known of them is kept.',
        todo: 'Look after the aggregated APIs that the message names.',
      },
      Empty: { means: 'No API group could be read.', todo: 'Check what the credentials may read.' },
    },
    Unique: {
      SameCluster: {
        means: 'The cluster is known under another name already; nothing is placed under this one.',
        todo: 'Unregister one of the two.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
