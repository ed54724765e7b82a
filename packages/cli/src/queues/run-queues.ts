import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { listAll } from '@perigee/kube/client/list-all';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { showAndFollow } from '../output/show-and-follow.ts';
import { formatStructured } from '../output/structured-output.ts';
import { formatQueues } from './format-queues.ts';
import { queueOverview } from './queue-overview.ts';
import { whatMayBeRead } from './what-may-be-read.ts';

export interface QueuesOptions {
  readonly output?: string;
  readonly watch?: boolean;
}

/** Shows the tree of queues with their use and backlog. */
export const runQueues = async (
  { output, watch = false }: QueuesOptions,
  command: Command,
): Promise<void> => {
  await using client = await connect(command);
  await showAndFollow(client, watch, async () => {
    const [queues, bindings, clusters] = await Promise.all([
      listAll(client, Queue),
      whatMayBeRead(client, ResourceBinding),
      whatMayBeRead(client, MemberCluster),
    ]);
    const lines = queueOverview(queues.items, bindings, clusters);
    const text =
      (await formatStructured(output, lines)) ??
      formatQueues(lines, { isWide: output === 'wide', now: clock.now() });
    const versions = new Map<ResourceKind, string>([[Queue, queues.metadata.resourceVersion]]);
    return { text, versions };
  });
};
