import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, List, ListOptions } from '../client/client.ts';
import { listAll } from '../client/list-all.ts';
import type { Clock } from '../clock/clock.ts';
import { deadlineAfter } from '../clock/deadline.ts';
import type { Selection } from './selection.ts';

interface Source<T extends KubeObject> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ResourceKind<T>;
  readonly selection: Selection;
}

const LONGEST_PAGE_MS = 120_000;

/** All objects as they were at one moment. A page that does not arrive fails the list. */
export const listSnapshot = <T extends KubeObject>(
  { client, clock, kind, selection }: Source<T>,
  signal: AbortSignal,
): Promise<List<T>> => {
  const list = async <K extends ResourceKind>(of: K, options?: ListOptions) => {
    using deadline = deadlineAfter(clock, LONGEST_PAGE_MS, signal);
    return await client.list(of, { ...options, signal: deadline.signal });
  };
  return listAll({ list }, kind, selection);
};
