import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { Event } from '@perigee/kubernetes/core/event';
import { Shortlist } from '../status/shortlist.ts';
import type { Move } from './fleet-view.ts';

const CHANGES: { readonly [reason: string]: Move['change'] } = {
  ScheduleBindingSucceed: 'placed',
  EvictWorkloadFromClusterSucceed: 'evicted',
  WorkPreempted: 'preempted',
  DataOperationSucceed: 'data step',
};

/** Decisions are told of the work and of its binding; the work is what users know. */
const BINDINGS: ReadonlySet<string> = new Set(['ResourceBinding', 'ClusterResourceBinding']);

/** `{member1:2, member2:1}` out of the sentence that the scheduler says. */
const RESULT = /Result: (\{.*\})$/;
/** Work that goes to a cluster as a whole has no replicas there. */
const WHOLE = /:0(?=[,}])/g;

const moveOf = (event: Event): Move | undefined => {
  const { involvedObject, reason = '', message = '' } = event;
  const { kind = '', namespace, name = '' } = involvedObject;
  const change = CHANGES[reason];
  if (change === undefined || BINDINGS.has(kind)) return undefined;
  const at =
    event.series?.lastObservedTime ??
    event.lastTimestamp ??
    event.eventTime ??
    event.metadata.creationTimestamp;
  return {
    at,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    change,
    message: RESULT.exec(message)?.[1]?.replaceAll(WHOLE, '') ?? message,
  };
};

/** The newest events that tell of work or data in another place, and the version that they were read at. */
export const readMoves = async (
  client: Client,
  { namespace, limit }: { readonly namespace?: string; readonly limit: number },
) => {
  const moves = new Shortlist<Move>(limit, (a, b) => Date.parse(b.at) - Date.parse(a.at));
  const versions = new Map<ResourceKind, string>();
  const scope = namespace === undefined ? {} : { namespace };
  for (const reason of Object.keys(CHANGES)) {
    const selection = { ...scope, fieldSelector: `reason=${reason}` };
    for await (const { items, metadata } of listPages(client, Event, selection)) {
      for (const event of items) {
        const move = moveOf(event);
        if (move !== undefined) moves.add(move);
      }
      // The first of the lists is the oldest: what happens after it is news.
      if (!versions.has(Event)) versions.set(Event, metadata.resourceVersion);
    }
  }
  return { moves: moves.kept, versions };
};
