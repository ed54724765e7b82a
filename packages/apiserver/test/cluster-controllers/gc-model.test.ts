import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import fc from 'fast-check';
import { setUpCollector } from './collector-fixture.ts';

interface Link {
  /** Index among the objects that there are, or ever were; of one that never was if there are fewer. */
  readonly owner: number;
  readonly blocking: boolean;
}

type Step =
  | { readonly do: 'create'; readonly namespace: 'a' | 'b'; readonly links: readonly Link[] }
  | { readonly do: 'adopt'; readonly object: number; readonly links: readonly Link[] }
  | { readonly do: 'delete'; readonly object: number; readonly policy: 'Background' | 'Foreground' }
  | { readonly do: 'orphan'; readonly object: number }
  | { readonly do: 'settle' };

const links = fc.uniqueArray(fc.record({ owner: fc.nat(5), blocking: fc.boolean() }), {
  maxLength: 2,
  selector: ({ owner }) => owner,
});
const object = fc.nat(5);
const namespace = fc.nat(9).map((n): 'a' | 'b' => (n < 9 ? 'a' : 'b'));
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('create' as const),
        namespace,
        links,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('adopt' as const), object, links }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('delete' as const),
        object,
        policy: fc.constantFrom('Background' as const, 'Foreground' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('orphan' as const), object }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  ),
  { minLength: 6, maxLength: 24 },
);

/** The objects that are left in the end, found by looking at everything again and again. */
class Model {
  readonly #owners = new Map<string, ReadonlySet<string>>();

  put(name: string, owners: readonly string[]): void {
    this.#owners.set(name, new Set(owners));
  }

  has(name: string): boolean {
    return this.#owners.has(name);
  }

  remove(name: string): void {
    this.#owners.delete(name);
  }

  orphan(name: string): void {
    for (const [other, owners] of this.#owners) {
      this.#owners.set(other, owners.difference(new Set([name])));
    }
    this.remove(name);
  }

  settle(): void {
    const isThere = (dependent: string) => (owner: string) =>
      this.has(owner) && owner.split('/')[0] === dependent.split('/')[0];
    for (;;) {
      const lost = [...this.#owners].filter(
        ([name, owners]) => owners.size > 0 && ![...owners].some(isThere(name)),
      );
      if (lost.length === 0) break;
      for (const [name] of lost) this.remove(name);
    }
    for (const [name, owners] of this.#owners) {
      this.#owners.set(name, new Set([...owners].filter(isThere(name))));
    }
  }

  get state(): readonly string[] {
    return [...this.#owners]
      .map(([name, owners]) => [name, ...[...owners].sort()].join(' < '))
      .sort();
  }
}

const play = async (played: readonly Step[]): Promise<void> => {
  await using world = await setUpCollector();
  const { client, settle } = world;
  const model = new Model();
  const objects: KubeObject[] = [];
  const nameOf = ({ metadata: { namespace, name } }: KubeObject) => `${namespace}/${name}`;
  const refOf = ({ metadata: { namespace = '', name } }: KubeObject) => ({ namespace, name });
  const referenceTo = ({ owner, blocking: blockOwnerDeletion }: Link) => {
    const found = objects[owner];
    return found === undefined
      ? {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name: `never${owner}`,
          uid: `never${owner}`,
          blockOwnerDeletion,
        }
      : ownerReferenceTo(found, { blockOwnerDeletion });
  };
  const ownersOf = (links: readonly Link[]) =>
    links.map(({ owner }) => {
      const found = objects[owner];
      return found === undefined ? `never/${owner}` : nameOf(found);
    });
  const rest = async () => {
    await settle();
    model.settle();
    const { items } = await client.list(ConfigMap);
    const left = items.map((item) =>
      [
        nameOf(item),
        ...(item.metadata.ownerReferences ?? [])
          .map(({ uid }) =>
            nameOf(objects.find(({ metadata }) => metadata.uid === uid) as KubeObject),
          )
          .sort(),
      ].join(' < '),
    );
    assert.deepEqual(left.sort(), model.state);
  };

  for (const step of played) {
    const target = 'object' in step ? objects[step.object] : undefined;
    if (step.do === 'create') {
      const name = `o${objects.length}`;
      const owners = ownersOf(step.links);
      const ownerReferences = step.links.map(referenceTo);
      const metadata = { namespace: step.namespace, name, ownerReferences };
      objects.push(await client.create(ConfigMap, { metadata }));
      model.put(`${step.namespace}/${name}`, owners);
    } else if (step.do === 'settle') {
      await rest();
    } else if (target !== undefined) {
      // Existence and owners of an object are decided only when all is at rest.
      if (step.do !== 'delete') await rest();
      if (!model.has(nameOf(target))) continue;
      if (step.do === 'adopt') {
        model.put(nameOf(target), ownersOf(step.links));
        const body = { metadata: { ownerReferences: step.links.map(referenceTo) } };
        await client.patch(ConfigMap, refOf(target), { type: 'merge', body });
      } else if (step.do === 'delete') {
        model.remove(nameOf(target));
        const options = { propagationPolicy: step.policy };
        await client.delete(ConfigMap, refOf(target), options).catch(() => undefined);
      } else {
        model.orphan(nameOf(target));
        await client.delete(ConfigMap, refOf(target), { propagationPolicy: 'Orphan' });
        await rest();
      }
    }
  }
  await rest();
};

test('whatever happens in whatever order, what is left is what the owners say', async () => {
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: 200 });
});
