import type { KubeObject, OwnerReference, WrittenMeta } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { Client } from '@perigee/kube/client/client';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { blocking } from './collector-fixture.ts';

type Policy = 'Background' | 'Foreground' | 'Orphan';

export interface Scenario {
  readonly name: string;
  readonly play: (stage: Stage) => Promise<void>;
  /** The objects that are left in the end, each with its owners; a cross marks deletion. */
  readonly left: readonly string[];
  /** The objects that kube-controller-manager 1.36 leaves, if others. */
  readonly leftOnKubernetes?: readonly string[];
  /** The reasons of the events that are told. */
  readonly events?: readonly string[];
}

const Autoscaler: ResourceKind = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  scope: 'Namespaced',
};

const nobody: OwnerReference = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'nobody',
  uid: '00000000-0000-4000-8000-000000000000',
};

/** The place of a scenario: two namespaces of its own, and names of its own beyond them. */
export class Stage {
  readonly #client: Client;
  readonly #prefix: string;

  constructor(client: Client, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  async open(): Promise<void> {
    for (const name of ['a', 'b']) {
      await this.#client.create(Namespace, { metadata: { name: this.#prefix + name } });
    }
  }

  add(name: string, ownerReferences: readonly OwnerReference[] = [], more: WrittenMeta = {}) {
    const metadata = { name, namespace: `${this.#prefix}a`, ownerReferences, ...more };
    return this.#client.create(ConfigMap, { metadata });
  }

  addElsewhere(name: string): Promise<KubeObject> {
    return this.add(name, [], { namespace: `${this.#prefix}b` });
  }

  addToCluster(name: string, ownerReferences: readonly OwnerReference[] = []) {
    return this.#client.create(ClusterRole, {
      metadata: { name: this.#prefix + name, ownerReferences },
    });
  }

  addAutoscaler(name: string): Promise<KubeObject> {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
    const object = {
      metadata: { name, namespace: `${this.#prefix}a` },
      spec: { maxReplicas: 2, scaleTargetRef },
    };
    return this.#client.create(Autoscaler, object);
  }

  async adopt(name: string, ownerReferences: readonly OwnerReference[]): Promise<void> {
    const body = { metadata: { ownerReferences } };
    await this.#client.patch(ConfigMap, this.#ref(name), { type: 'merge', body });
  }

  end(name: string, propagationPolicy: Policy): Promise<void> {
    return this.#client.delete(ConfigMap, this.#ref(name), { propagationPolicy });
  }

  endInCluster(name: string): Promise<void> {
    return this.#client.delete(ClusterRole, { name: this.#prefix + name });
  }

  async left(): Promise<readonly string[]> {
    const maps = await this.#client.list(ConfigMap, { namespace: `${this.#prefix}a` });
    const roles = await this.#client.list(ClusterRole);
    const own = roles.items.filter(({ metadata }) => metadata.name.startsWith(this.#prefix));
    return [...maps.items, ...own]
      .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
      .map(({ metadata: { name, ownerReferences = [], deletionTimestamp } }) =>
        [deletionTimestamp ? `${name} †` : name, ...ownerReferences.map((owner) => owner.name)]
          .map((text) => text.replace(this.#prefix, ''))
          .join(' < '),
      )
      .sort();
  }

  async events(): Promise<readonly string[]> {
    const { items } = await this.#client.list(Event);
    const isOwn = (text = '') => text.startsWith(this.#prefix);
    return items
      .filter(({ involvedObject: { namespace, name } }) => isOwn(namespace) || isOwn(name))
      .map(({ reason }) => String(reason))
      .sort();
  }

  #ref(name: string) {
    return { name, namespace: `${this.#prefix}a` };
  }
}

const chain = async (stage: Stage): Promise<void> => {
  const top = await stage.add('top');
  const middle = await stage.add('middle', [blocking(top)]);
  await stage.add('bottom', [blocking(middle)]);
};

const circle = async (stage: Stage): Promise<void> => {
  const one = await stage.add('one');
  const two = await stage.add('two', [blocking(one)]);
  await stage.adopt('one', [blocking(two)]);
};

const twoOwners = async (stage: Stage): Promise<void> => {
  const one = await stage.add('one');
  const two = await stage.add('two');
  await stage.add('child', [blocking(one), blocking(two)]);
};

const HOLD = { finalizers: ['example.com/hold'] };

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a chain, in the background',
    left: [],
    play: async (stage) => {
      await chain(stage);
      await stage.end('top', 'Background');
    },
  },
  {
    name: 'a chain, in the foreground',
    left: [],
    play: async (stage) => {
      await chain(stage);
      await stage.end('top', 'Foreground');
    },
  },
  {
    name: 'a chain whose beginning orphans',
    left: ['bottom < middle', 'middle'],
    play: async (stage) => {
      await chain(stage);
      await stage.end('top', 'Orphan');
    },
  },
  {
    name: 'a chain whose middle wants to orphan',
    left: ['bottom'],
    play: async (stage) => {
      const top = await stage.add('top');
      const middle = await stage.add('middle', [blocking(top)], { finalizers: ['orphan'] });
      await stage.add('bottom', [blocking(middle)]);
      await stage.end('top', 'Background');
    },
  },
  {
    name: 'two owners of which one goes',
    left: ['child < two', 'two'],
    play: async (stage) => {
      await twoOwners(stage);
      await stage.end('one', 'Background');
    },
  },
  {
    name: 'two owners of which one waits',
    left: ['child < two', 'two'],
    play: async (stage) => {
      await twoOwners(stage);
      await stage.end('one', 'Foreground');
    },
  },
  {
    name: 'an owner that waits for one that is held',
    left: ['child † < top', 'top †'],
    play: async (stage) => {
      const top = await stage.add('top');
      await stage.add('child', [blocking(top)], HOLD);
      await stage.end('top', 'Foreground');
    },
  },
  {
    name: 'an owner whom nobody keeps',
    left: ['child † < top'],
    play: async (stage) => {
      const top = await stage.add('top');
      await stage.add('child', [ownerReferenceTo(top)], HOLD);
      await stage.end('top', 'Foreground');
    },
  },
  {
    name: 'an owner that never was',
    left: ['other', 'some < other'],
    play: async (stage) => {
      await stage.add('child', [nobody]);
      const other = await stage.add('other');
      await stage.add('some', [nobody, ownerReferenceTo(other)]);
    },
  },
  {
    name: 'an owner whose name another has now',
    left: ['owner'],
    play: async (stage) => {
      const owner = await stage.add('owner');
      await stage.end('owner', 'Background');
      await stage.add('owner');
      await stage.add('child', [ownerReferenceTo(owner)]);
    },
  },
  {
    name: 'an owner by another name',
    left: ['owner'],
    play: async (stage) => {
      const owner = await stage.add('owner');
      await stage.add('child', [{ ...ownerReferenceTo(owner), name: 'else' }]);
    },
  },
  {
    name: 'an owner in another namespace',
    left: [],
    events: ['OwnerRefInvalidNamespace'],
    play: async (stage) => {
      const owner = await stage.addElsewhere('owner');
      await stage.add('child', [ownerReferenceTo(owner)]);
    },
  },
  {
    name: 'an owner in a namespace, of an object in none',
    left: ['owner', 'role < owner'],
    events: ['OwnerRefInvalidNamespace'],
    play: async (stage) => {
      const owner = await stage.add('owner');
      await stage.addToCluster('role', [ownerReferenceTo(owner)]);
    },
  },
  {
    name: 'an owner that waits, of an object in no namespace',
    left: ['role < owner'],
    leftOnKubernetes: ['owner †', 'role < owner'],
    events: ['OwnerRefInvalidNamespace'],
    play: async (stage) => {
      const owner = await stage.add('owner');
      await stage.addToCluster('role', [blocking(owner)]);
      await stage.end('owner', 'Foreground');
    },
  },
  {
    name: 'an owner of the whole cluster',
    left: [],
    play: async (stage) => {
      const role = await stage.addToCluster('role');
      await stage.add('child', [ownerReferenceTo(role)]);
      await stage.addToCluster('part', [ownerReferenceTo(role)]);
      await stage.endInCluster('role');
    },
  },
  {
    name: 'an owner of a kind that is not served',
    left: ['child < nobody < nobody'],
    play: async (stage) => {
      const gadget = { ...nobody, apiVersion: 'example.com/v1', kind: 'Gadget' };
      await stage.add('child', [gadget, { ...nobody, uid: 'x' }]);
    },
  },
  {
    name: 'an owner in a version that is not served',
    left: ['child < owner', 'owner'],
    play: async (stage) => {
      const owner = await stage.add('owner');
      await stage.add('child', [{ ...ownerReferenceTo(owner), apiVersion: 'v7' }]);
    },
  },
  {
    name: 'an owner in another version',
    left: ['child < scaler'],
    play: async (stage) => {
      const scaler = await stage.addAutoscaler('scaler');
      await stage.add('child', [{ ...ownerReferenceTo(scaler), apiVersion: 'autoscaling/v1' }]);
    },
  },
  { name: 'owners that own each other', left: ['one < two', 'two < one'], play: circle },
  {
    name: 'owners that own each other, in the background',
    left: [],
    play: async (stage) => {
      await circle(stage);
      await stage.end('one', 'Background');
    },
  },
  {
    name: 'owners that own each other, in the foreground',
    left: [],
    play: async (stage) => {
      await circle(stage);
      await stage.end('one', 'Foreground');
    },
  },
  {
    name: 'an object that owns itself',
    left: [],
    leftOnKubernetes: ['self † < self'],
    play: async (stage) => {
      const self = await stage.add('self');
      await stage.adopt('self', [blocking(self)]);
      await stage.end('self', 'Foreground');
    },
  },
];
