import type { Client } from '@perigee/kube/client/client';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { ClusterUsage } from '@perigee/scheduling/clusters/status/cluster-usage';
import { newPodShapes } from '@perigee/scheduling/clusters/status/pod-usage';
import { ChangeListeners } from '../../members/change-listeners.ts';
import { MemberUsage } from './member-usage.ts';

const NONE: ReadonlyMap<string, string> = new Map();

/** The counts of all members. A member is watched from the first call of `of` on. */
export class MemberUsages {
  readonly #usages = new Map<string, MemberUsage>();
  readonly #shapes = newPodShapes();
  readonly #whenCounted = new ChangeListeners();
  readonly #whenChanged = new ChangeListeners();

  /** Notifies after the first full count of a member. */
  onCounted(listener: (cluster: string) => void): Disposable {
    return this.#whenCounted.add(listener);
  }

  /** Notifies of every change of a member's count. */
  onChange(listener: (cluster: string) => void): Disposable {
    return this.#whenChanged.add(listener);
  }

  /** The count of a member that is watched already. */
  counted(cluster: string): ClusterUsage | undefined {
    return this.#usages.get(cluster)?.counted;
  }

  /** Starts watching a member and returns its count; undefined until everything has been counted once. */
  of(
    cluster: string,
    client: Client,
    { clock, logger }: Pick<ReconcileContext, 'clock' | 'logger'>,
  ): ClusterUsage | undefined {
    const presentUsage = this.#usages.get(cluster);
    if (presentUsage?.client === client) return presentUsage.counted;
    this.close(cluster);
    const usage = new MemberUsage({
      client,
      clock,
      logger,
      shapes: this.#shapes,
      onCounted: () => this.#whenCounted.notify(cluster),
      onChange: () => this.#whenChanged.notify(cluster),
    });
    this.#usages.set(cluster, usage);
    return usage.counted;
  }

  /** Objects of a member that are not counted, with the reason. */
  unreadOf(cluster: string): ReadonlyMap<string, string> {
    return this.#usages.get(cluster)?.unread ?? NONE;
  }

  close(cluster: string): void {
    const usage = this.#usages.get(cluster);
    if (usage === undefined) return;
    usage[Symbol.dispose]();
    this.#usages.delete(cluster);
    this.#whenChanged.notify(cluster);
  }

  closeAll(): void {
    for (const cluster of [...this.#usages.keys()]) this.close(cluster);
  }
}
