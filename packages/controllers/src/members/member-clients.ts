import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import { type ChangeListener, ChangeListeners } from './change-listeners.ts';

/** Provides the clients of member clusters. */
export interface MemberClients {
  /** The same client as long as the connection settings are unchanged; undefined while there is none. */
  clientFor(cluster: MemberCluster): Client | undefined;
  /** The reason why there is no client, if it is known. */
  whyNot?(cluster: MemberCluster): string | undefined;
  /** Notifies when the client of a cluster is added, replaced or removed. */
  onChange(listener: ChangeListener): Disposable;
}

/** Members in this process, and the member that an agent runs in. */
export class InProcessMembers implements MemberClients {
  readonly #find: (cluster: MemberCluster) => Client | undefined;
  readonly #listeners = new ChangeListeners();

  constructor(find: (cluster: MemberCluster) => Client | undefined) {
    this.#find = find;
  }

  clientFor(cluster: MemberCluster): Client | undefined {
    return this.#find(cluster);
  }

  onChange(listener: ChangeListener): Disposable {
    return this.#listeners.add(listener);
  }

  /** Call this after a member was started, replaced or stopped. */
  changed(clusterName: string): void {
    this.#listeners.notify(clusterName);
  }
}

/** Combines several sources: the first that has a client wins. */
export const firstOf = (...all: readonly MemberClients[]): MemberClients => ({
  clientFor: (cluster) => {
    for (const members of all) {
      const client = members.clientFor(cluster);
      if (client !== undefined) return client;
    }
    return undefined;
  },
  whyNot: (cluster) => {
    for (const members of all) {
      const why = members.whyNot?.(cluster);
      if (why !== undefined) return why;
    }
    return undefined;
  },
  onChange: (listener) => {
    const stack = new DisposableStack();
    for (const members of all) stack.use(members.onChange(listener));
    return stack;
  },
});
