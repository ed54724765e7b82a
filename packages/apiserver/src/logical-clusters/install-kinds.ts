import { toCrd } from '@perigee/api/kind/crd';
import type { Kind } from '@perigee/api/kind/define-kind';
import { isConflict } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { sameJson } from '@perigee/schema/same-json';
import { servedAs } from '../client/served-as.ts';
import { defaultCrd } from '../crd/default-crd.ts';
import { type CrdWorld, reconcileCrd } from '../crd-controller/reconcile-crd.ts';
import { keyOf, tableOf } from '../registry/registry.ts';

const ATTEMPTS = 5;

/** In a running server, the controller may reconcile the same definition concurrently. */
const settle = async (world: CrdWorld, name: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await reconcileCrd(world, name);
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
};

/** Installs the definitions of kinds, or brings them up to date, and serves them. */
export const installKinds = async (
  world: CrdWorld,
  kinds: readonly Kind[],
  fieldManager: string,
): Promise<void> => {
  const { registry, client } = world;
  const install = async (kind: Kind): Promise<void> => {
    const name = `${kind.plural}.${kind.group}`;
    const body = toCrd(kind);
    const ref = { name };
    const apply = { type: 'apply', body, fieldManager, force: true } as const;
    // A definition may have been under deletion: the deletion has to finish first.
    await settle(world, name);
    const table = tableOf(registry, servedAs(registry, CustomResourceDefinition, 'get'));
    const present = registry.store.get(table, keyOf(undefined, name))?.object;
    // Usually it is unchanged since the last start. An apply would validate all of it again.
    if (present !== undefined && sameJson(present.spec, defaultCrd(body).spec)) return;
    await client.patch(CustomResourceDefinition, ref, apply);
    await settle(world, name);
  };
  for (const kind of kinds) await install(kind);
};
