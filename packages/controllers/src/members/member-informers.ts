import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Clock } from '@perigee/kube/clock/clock';
import { type ChangeListener, ChangeListeners } from './change-listeners.ts';
import type { MemberClients } from './member-clients.ts';
import { type MemberObject, MemberView } from './member-view.ts';

export interface MemberInformersOptions {
  readonly members: MemberClients;
  readonly clock: Clock;
}

/** A change of a managed object in a member cluster. There is no `before` when it is new, no `now` when it is gone. */
export interface MemberChange {
  readonly cluster: string;
  readonly now?: MemberObject;
  readonly before?: MemberObject;
}

/**
 * What the control plane sees of its members: for each of them the kinds that Works carry there, each
 * watched once, whoever asks. Views are apart, so that a member which does not answer holds up nobody.
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
      this.#connected.tell(name);
    });
  }

  /** The view of a member; nothing while there is no way to it. */
  viewOf(cluster: MemberCluster): MemberView | undefined {
    const { name } = cluster.metadata;
    const client = this.#options.members.clientFor(cluster);
    const view = this.#views.get(name);
    if (view?.client === client) return view;
    this.#close(name);
    if (client === undefined) return undefined;
    const opened = this.#open(name, client);
    this.#views.set(name, opened);
    return opened;
  }

  /** The user, such as a Work, is gone. */
  release(cluster: string, user: string): void {
    this.#views.get(cluster)?.keepOnly(user, []);
  }

  onChange(watcher: (change: MemberChange) => void): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** Told when the way to a member came, changed or went: what was seen of it has to be looked at anew. */
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
    const tell = (change: Omit<MemberChange, 'cluster'>) => {
      for (const watcher of this.#watchers) watcher({ cluster, ...change });
    };
    const handler = {
      onAdd: (now: MemberObject) => tell({ now }),
      onUpdate: (now: MemberObject, before: MemberObject) => tell({ now, before }),
      onDelete: (before: MemberObject) => tell({ before }),
    };
    return new MemberView({ client, clock, handler });
  }

  #close(cluster: string): void {
    const view = this.#views.get(cluster);
    this.#views.delete(cluster);
    void view?.[Symbol.asyncDispose]();
  }
}
