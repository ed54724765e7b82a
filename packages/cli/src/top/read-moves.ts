import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { listPages } from '@perigee/kube/client/list-pages';
import { Event } from '@perigee/kubernetes/core/event';
import { present } from '@perigee/schema/present';
import { Shortlist } from '../status/shortlist.ts';
import type { Move } from './fleet-view.ts';

const CHANGES: { readonly [reason: string]: Move['change'] } = {
  ScheduleBindingSucceed: 'placed',
  EvictWorkloadFromClusterSucceed: 'evicted',
  WorkPreempted: 'preempted',
  DataOperationSucceed: 'data step',
};

/** Karmada's own scheduler tells of the binding as well as of the work; only what it tells of the work is shown. */
const BINDINGS: ReadonlySet<string> = new Set(['ResourceBinding', 'ClusterResourceBinding']);

/** Extracts `{member1:2, member2:1}` from the scheduler's message. */
const RESULT = /Result: (\{.*\})$/;
/** Non-workloads are scheduled with zero replicas, which are not shown. */
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
    ...present({ namespace }),
    name,
    change,
    message: RESULT.exec(message)?.[1]?.replaceAll(WHOLE, '') ?? message,
  };
};

/** The newest Events about moved work or data, and the resource version of the list. */
export const readMoves = async (
  client: Client,
  { namespace, limit }: { readonly namespace?: string; readonly limit: number },
) => {
  const moves = new Shortlist<Move>(limit, (a, b) => Date.parse(b.at) - Date.parse(a.at));
  const versions = new Map<ResourceKind, string>();
  const scope = present({ namespace });
  for (const reason of Object.keys(CHANGES)) {
    const selection = { ...scope, fieldSelector: `reason=${reason}` };
    for await (const { items, metadata } of listPages(client, Event, selection)) {
      for (const event of items) {
        const move = moveOf(event);
        if (move !== undefined) moves.add(move);
      }
      // The first list has the oldest resource version: watching from it misses nothing.
      if (!versions.has(Event)) versions.set(Event, metadata.resourceVersion);
    }
  }
  return { moves: moves.items, versions };
};
