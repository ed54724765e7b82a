import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Source, SourceContext } from '@perigee/kube/controller/source';
import { Informer } from '@perigee/kube/informer/informer';
import { workloadOfGroup } from '@perigee/scheduling/groups/group-names';
import { isSilence } from '../members/is-silence.ts';
import type { MemberClients } from '../members/member-clients.ts';

/** The owner of a group, identified by kind, namespace and name, which are the same in all clusters. */
interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The index key of a workload. */
export const workloadKey = ({ apiVersion, kind, namespace = '', name }: Workload): string =>
  `${apiVersion} ${kind} ${namespace}/${name}`;

const ownerKeys = (group: PodGroup): readonly string[] => {
  const workload = workloadOfGroup(group);
  const { namespace } = group.metadata;
  return workload === undefined || namespace === undefined
    ? []
    : [workloadKey({ ...workload, namespace })];
};

interface View {
  readonly client: Client;
  informer?: Informer<PodGroup>;
}

const BY_OWNER = 'owner';

export interface GroupSourceOptions {
  /** The kinds that the source needs. */
  readonly kinds: readonly ResourceKind[];
  readonly members: MemberClients;
  readonly clock: Clock;
  /** Returns the callback that gets the keys of workloads whose groups changed. */
  readonly changeHandler: (context: SourceContext) => (workload: string) => void;
}

interface Opened extends Pick<SourceContext, 'failed' | 'settled'>, GroupSourceOptions {
  readonly onChange: (workload: string) => void;
}

/** Watches the PodGroups of all members that serve the kind, once per member, while its source runs. */
export class MemberGroupViews {
  readonly #views = new Map<string, View>();

  /** The cached groups of a workload in a member. */
  groupsOf(cluster: string, workload: string): readonly PodGroup[] {
    return this.#views.get(cluster)?.informer?.byIndex(BY_OWNER, workload) ?? [];
  }

  source(options: GroupSourceOptions): Source {
    return {
      kinds: options.kinds,
      start: (context) => {
        const { informers, failed, settled } = context;
        const sourceOptions: Opened = {
          ...options,
          failed,
          settled,
          onChange: options.changeHandler(context),
        };
        const clusters = informers.for(MemberCluster);
        const refresh = (name: string) =>
          this.#refresh(name, clusters.get({ name }), sourceOptions);
        const refreshCluster = ({ metadata }: MemberCluster) => refresh(metadata.name);
        const stack = new DisposableStack();
        stack.use(options.members.onChange(refresh));
        stack.use(
          clusters.addHandler({
            onAdd: refreshCluster,
            onUpdate: refreshCluster,
            onDelete: refreshCluster,
          }),
        );
        stack.defer(() => this.#close());
        return stack;
      },
    };
  }

  #close(): void {
    for (const { informer } of this.#views.values()) void informer?.stop();
    this.#views.clear();
  }

  /** Opens, reopens or closes the view of a member. */
  #refresh(name: string, cluster: MemberCluster | undefined, options: Opened): void {
    const client = cluster && options.members.clientFor(cluster);
    const view = this.#views.get(name);
    if (view?.client === client) return;
    this.#views.delete(name);
    void view?.informer?.stop();
    if (client === undefined) return;
    const newView: View = { client };
    this.#views.set(name, newView);
    void this.#open(name, newView, options);
  }

  async #open(
    name: string,
    view: View,
    { clock, failed, settled, onChange }: Opened,
  ): Promise<void> {
    const { client } = view;
    const what = `the groups of pods in ${name}`;
    try {
      const kinds = await client.discover();
      const isServed = kinds.some(
        ({ group, plural }) => group === PodGroup.group && plural === PodGroup.plural,
      );
      settled(what);
      if (!isServed || this.#views.get(name) !== view) return;
    } catch (error) {
      // The next event of its Cluster retries.
      if (this.#views.get(name) === view) this.#views.delete(name);
      // An unreachable member is reported by its Cluster's conditions, not as an error of this controller.
      if (!isSilence(error)) failed(what, error);
      return;
    }
    const informer = new Informer({ client, clock, kind: PodGroup });
    informer.addIndexer(BY_OWNER, ownerKeys);
    const notify = (group: PodGroup): void => {
      for (const key of ownerKeys(group)) onChange(key);
    };
    informer.addHandler({ onAdd: notify, onUpdate: notify, onDelete: notify });
    view.informer = informer;
    informer.start();
  }
}
