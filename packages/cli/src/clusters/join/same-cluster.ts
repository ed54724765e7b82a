import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { isNotServed } from '@perigee/kube/errors';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';

/** Annotation on a record: the uid of the cluster's `kube-system` when it joined. */
export const CLUSTER_UID = 'globalscheduler.com/cluster-uid';

const refuse = (name: string, other: string): never => {
  throw new CommandError(
    EXIT.conflict,
    `the same cluster is registered as ${other}: its work would count twice. Unregister that one first, or leave it at that, instead of joining it as ${name}`,
  );
};

/** Refuses to join a cluster under a second name. The control plane checks that, too, but only later. */
export const refuseSameCluster = async (
  plane: Client,
  name: string,
  uid: string,
): Promise<void> => {
  for await (const { items } of listPages(plane, ClusterRecord)) {
    for (const { metadata, status } of items) {
      const { clusterID } = (status ?? {}) as { readonly clusterID?: string };
      const recordUid = clusterID || metadata.annotations?.[CLUSTER_UID];
      if (metadata.name !== name && recordUid === uid) refuse(name, metadata.name);
    }
  }
  try {
    for await (const { items } of listPages(plane, MemberCluster)) {
      for (const { metadata, spec } of items) {
        if (metadata.name !== name && spec.id === uid) refuse(name, metadata.name);
      }
    }
  } catch (error) {
    if (!isNotServed(error)) throw error;
  }
};
