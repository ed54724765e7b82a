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

/** In a server that runs, its own controller may act on the same definition at the same time. */
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
    // One that somebody deleted before may have been on its way out: what remains of it has to go first.
    await settle(world, name);
    const table = tableOf(registry, servedAs(registry, CustomResourceDefinition, 'get'));
    const present = registry.store.get(table, keyOf(undefined, name))?.object;
    // As a rule it is as the last start left it. To apply it would check all of it once more.
    if (present !== undefined && sameJson(present.spec, defaultCrd(body).spec)) return;
    await client.patch(CustomResourceDefinition, ref, apply);
    await settle(world, name);
  };
  for (const kind of kinds) await install(kind);
};
