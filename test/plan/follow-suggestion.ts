import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { Client } from '@perigee/kube/client/client';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Suggestion } from '@perigee/scheduling/suggest/suggestion';
import { FREED } from './reporting-members.ts';

const ROOM = /room for (\d+) more replicas in the cluster (\w+):.* cpu (\d+)m?/;

/** Ends other work in a cluster, which no write of an object can do. */
const freeRoom = async (client: Client, text: string): Promise<void> => {
  const [, replicas, name = '', cpu] = ROOM.exec(text) ?? [];
  const milli = Number(replicas) * Number(cpu) * (Number(cpu) < 10 ? 1000 : 1);
  const { metadata } = await client.get(MemberCluster, { name });
  const freedCpu = Number(metadata.annotations?.[FREED] ?? 0) + milli;
  const body = { metadata: { annotations: { [FREED]: String(freedCpu) } } };
  await client.patch(MemberCluster, { name }, { type: 'merge', body });
};

/** Follows a suggestion as its reader would. */
export const followSuggestion = async (
  client: Client,
  mapper: RestMapper,
  { target, patch, manifest, text }: Suggestion['changes'][number],
): Promise<void> => {
  if (manifest !== undefined) {
    const { apiVersion, kind } = manifest as KubeObject;
    await client.create(await mapper.byKind(apiVersion, kind), manifest as never);
    return;
  }
  if (target === undefined || patch === undefined) {
    await freeRoom(client, text);
    return;
  }
  const { apiVersion, kind, namespace, name } = target;
  const resource = await mapper.byKind(apiVersion, kind);
  const ref = namespace === undefined ? { name } : { namespace, name };
  await client.patch(resource, ref, { type: 'merge', body: patch });
};
