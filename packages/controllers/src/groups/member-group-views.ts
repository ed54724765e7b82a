import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { controllerOf } from '@perigee/api/values/owner-references';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { SourceContext } from '@perigee/kube/controller/source';
import { Informer } from '@perigee/kube/informer/informer';
import { isSilence } from '../members/is-silence.ts';
import type { MemberClients } from '../members/member-clients.ts';

/** Who a group belongs to, or a workload: kind, namespace and name, which are the same in all clusters. */
interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** For indexes. */
export const workloadKey = ({ apiVersion, kind, namespace = '', name }: Workload): string =>
  `${apiVersion} ${kind} ${namespace}/${name}`;

const ownerKeys = (group: PodGroup): readonly string[] => {
  const owner = controllerOf(group);
  const { namespace } = group.metadata;
  if (owner === undefined || namespace === undefined) return [];
  return [workloadKey({ ...owner, namespace })];
};

interface View {
  readonly client: Client;
  informer?: Informer<PodGroup>;
}

const BY_OWNER = 'owner';

export interface MemberGroupViewsOptions extends Pick<SourceContext, 'failed' | 'settled'> {
  readonly members: MemberClients;
  readonly clock: Clock;
  /** Told of the workloads whose groups changed, by their keys. */
  readonly onChange: (workload: string) => void;
}

/** The groups of pods in all members that know the kind, each watched once. */
export class MemberGroupViews implements AsyncDisposable {
  readonly #options: MemberGroupViewsOptions;
  readonly #views = new Map<string, View>();

  constructor(options: MemberGroupViewsOptions) {
    this.#options = options;
  }

  /** The groups of a workload in a member, as far as they are known. */
  groupsOf(cluster: string, workload: string): readonly PodGroup[] {
    return this.#views.get(cluster)?.informer?.byIndex(BY_OWNER, workload) ?? [];
  }

  /** Begins, renews or ends the view of a member. */
  look(name: string, cluster: MemberCluster | undefined): void {
    const client = cluster && this.#options.members.clientFor(cluster);
    const view = this.#views.get(name);
    if (view?.client === client) return;
    this.#views.delete(name);
    void view?.informer?.stop();
    if (client === undefined) return;
    const opened: View = { client };
    this.#views.set(name, opened);
    void this.#open(name, opened);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const views = [...this.#views.values()];
    this.#views.clear();
    await Promise.all(views.map(({ informer }) => informer?.stop()));
  }

  async #open(name: string, view: View): Promise<void> {
    const { client } = view;
    const { clock, failed, settled, onChange } = this.#options;
    const what = `the groups of pods in ${name}`;
    try {
      const kinds = await client.discover();
      const isServed = kinds.some(
        ({ group, plural }) => group === PodGroup.group && plural === PodGroup.plural,
      );
      settled(what);
      if (!isServed || this.#views.get(name) !== view) return;
    } catch (error) {
      // It is looked at again when something is heard of its Cluster.
      if (this.#views.get(name) === view) this.#views.delete(name);
      // That it does not answer is told by its Cluster, and is no fault of this controller.
      if (!isSilence(error)) failed(what, error);
      return;
    }
    const informer = new Informer({ client, clock, kind: PodGroup });
    informer.addIndexer(BY_OWNER, ownerKeys);
    const tell = (group: PodGroup): void => {
      for (const key of ownerKeys(group)) onChange(key);
    };
    informer.addHandler({ onAdd: tell, onUpdate: tell, onDelete: tell });
    view.informer = informer;
    informer.start();
  }
}
