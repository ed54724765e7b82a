import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Clock } from '@perigee/kube/clock/clock';
import { type ChangeListener, ChangeListeners } from './change-listeners.ts';
import type { MemberClients } from './member-clients.ts';
import { type MemberObject, MemberView } from './member-view.ts';

export interface MemberInformersOptions {
  readonly members: MemberClients;
  readonly clock: Clock;
}

/** A change of a managed object in a member. `before` is absent for a new object, `now` for a deleted one. */
export interface MemberChange {
  readonly cluster: string;
  readonly now?: MemberObject;
  readonly before?: MemberObject;
}

/**
 * Informers for the objects of Works in members: each kind is watched once per member, however many users it has.
 * Each member has a view of its own, so that an unreachable one blocks nobody.
 */
export class MemberInformers implements AsyncDisposable {
  readonly #options: MemberInformersOptions;
  readonly #views = new Map<string, MemberView>();
  readonly #watchers = new Set<(change: MemberChange) => void>();
  readonly #connected = new ChangeListeners();
  readonly #following: Disposable;

  constructor(options: MemberInformersOptions) {
    this.#options = options;
    this.#following = options.members.onChange((name) => {
      this.#close(name);
      this.#connected.notify(name);
    });
  }

  /** The view of a member; undefined while there is no client for it. */
  viewOf(cluster: MemberCluster): MemberView | undefined {
    const { name } = cluster.metadata;
    const client = this.#options.members.clientFor(cluster);
    const view = this.#views.get(name);
    if (view?.client === client) return view;
    this.#close(name);
    if (client === undefined) return undefined;
    const newView = this.#open(name, client);
    this.#views.set(name, newView);
    return newView;
  }

  /** Drops the watches of a user, such as a Work that is gone. */
  release(cluster: string, user: string): void {
    this.#views.get(cluster)?.keepOnly(user, []);
  }

  onChange(watcher: (change: MemberChange) => void): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** Notifies when the client of a member was added, replaced or removed: all caches of it are then stale. */
  onReconnect(listener: ChangeListener): Disposable {
    return this.#connected.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#following[Symbol.dispose]();
    const views = [...this.#views.values()];
    this.#views.clear();
    await Promise.all(views.map((view) => view[Symbol.asyncDispose]()));
  }

  #open(cluster: string, client: MemberView['client']): MemberView {
    const { clock } = this.#options;
    const notify = (change: Omit<MemberChange, 'cluster'>) => {
      for (const watcher of this.#watchers) watcher({ cluster, ...change });
    };
    const handler = {
      onAdd: (now: MemberObject) => notify({ now }),
      onUpdate: (now: MemberObject, before: MemberObject) => notify({ now, before }),
      onDelete: (before: MemberObject) => notify({ before }),
    };
    return new MemberView({ client, clock, handler });
  }

  #close(cluster: string): void {
    const view = this.#views.get(cluster);
    this.#views.delete(cluster);
    void view?.[Symbol.asyncDispose]();
  }
}
