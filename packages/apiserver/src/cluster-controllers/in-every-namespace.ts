import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { ApiError, isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';

/** An object that every namespace is to have. */
export interface NamespaceFixture {
  /** The name of the controller that sees to it. */
  readonly controller: string;
  readonly kind: ResourceKind;
  readonly name: string;
  /** Maps the present object to the desired one; returns the very same object if nothing changes. */
  readonly shape: (object: WrittenObject) => WrittenObject;
}

/** Enqueues the namespace of each changed object of this name, without caching the others. */
const changesOf = ({ kind, name, shape }: NamespaceFixture): Source => ({
  kinds: [],
  start: ({ informers, enqueue }) => {
    const recheck = ({ metadata: { namespace } }: KubeObject) => {
      if (namespace !== undefined) enqueue({ name: namespace });
    };
    const recheckIfWrong = (object: KubeObject) => {
      if (shape(object) !== object) recheck(object);
    };
    return informers
      .for(kind, { fieldSelector: `metadata.name=${name}` })
      .addHandler({ onAdd: recheckIfWrong, onUpdate: recheckIfWrong, onDelete: recheck });
  },
});

/** The namespace is deleted or terminating: creation is neither possible nor needed. */
const hasEnded = (error: unknown): boolean =>
  isNotFound(error) ||
  (error instanceof ApiError &&
    (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating'));

const create = async (client: Client, kind: ResourceKind, object: WrittenObject): Promise<void> => {
  try {
    await client.create(kind, object);
  } catch (error) {
    if (!isAlreadyExists(error) && !hasEnded(error)) throw error;
  }
};

/** Creates an object in every namespace, and restores it after changes and deletions. */
export const inEveryNamespace = (fixture: NamespaceFixture): ControllerDefinition => {
  const { controller, kind, name, shape } = fixture;
  return defineController({
    name: controller,
    for: Namespace,
    when: (now, before) => now !== undefined && before === undefined,
    watches: [changesOf(fixture)],
    concurrency: 32,
    needsLeader: false,
    async reconcile(ref, { client, cache }) {
      const namespace = cache(Namespace).get(ref);
      if (namespace === undefined || namespace.metadata.deletionTimestamp) return undefined;
      const presentObject = await getOrUndefined(client, kind, { namespace: ref.name, name });
      if (presentObject === undefined) {
        await create(client, kind, shape({ metadata: { namespace: ref.name, name } }));
        return undefined;
      }
      const desiredObject = shape(presentObject);
      if (desiredObject !== presentObject) await client.update(kind, desiredObject);
      return undefined;
    },
  });
};
