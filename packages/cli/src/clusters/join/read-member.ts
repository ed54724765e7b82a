import type { Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { ApiError } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Node } from '@perigee/kubernetes/core/node';
import { notify } from '../../output/notify.ts';
import { type MemberFacts, memberFacts, type NodeOfMember } from './member-facts.ts';

/** The identity of a cluster, whatever its name: the uid of its namespace `kube-system`. */
export const clusterUid = async (client: Client): Promise<string> =>
  (await client.get(Namespace, { name: 'kube-system' })).metadata.uid;

/** Reads the facts of a cluster from its nodes; none when these credentials may not list nodes. */
export const readFacts = async (member: Client): Promise<MemberFacts> => {
  const nodes: NodeOfMember[] = [];
  try {
    for await (const { items } of listPages(member, Node)) nodes.push(...(items as NodeOfMember[]));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 403) throw error;
    notify('warning: these credentials may not list nodes, so little is known of the cluster');
  }
  return memberFacts(nodes);
};
