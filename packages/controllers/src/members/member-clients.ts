import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import { type ChangeListener, ChangeListeners } from './change-listeners.ts';

/** How member clusters are reached. */
export interface MemberClients {
  /** The same client as long as the way to the cluster stays the same; nothing while there is none. */
  clientFor(cluster: MemberCluster): Client | undefined;
  /** Why there is no way to the cluster, if that is known. */
  whyNot?(cluster: MemberCluster): string | undefined;
  /** Told whenever the way to a cluster comes, changes or goes. */
  onChange(listener: ChangeListener): Disposable;
}

/** Members that live in this process, and the member in which an agent runs. */
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

  /** To be called when a member was started, replaced or ended. */
  changed(clusterName: string): void {
    this.#listeners.tell(clusterName);
  }
}

/** Asks one after another; the first that knows a way to a cluster is taken. */
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
