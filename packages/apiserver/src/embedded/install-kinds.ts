import { toCrd } from '@perigee/api/kind/crd';
import type { Kind } from '@perigee/api/kind/define-kind';
import { CustomResourceDefinition } from '../crd-controller/custom-resource-definition.ts';
import { type CrdWorld, reconcileCrd } from '../crd-controller/reconcile-crd.ts';

/** Installs the definitions of kinds, or brings them up to date, and serves them. */
export const installKinds = async (
  world: CrdWorld,
  kinds: readonly Kind[],
  fieldManager: string,
): Promise<void> => {
  const install = async (kind: Kind): Promise<void> => {
    const name = `${kind.plural}.${kind.group}`;
    const body = toCrd(kind);
    const ref = { name };
    const apply = { type: 'apply', body, fieldManager, force: true } as const;
    // One that somebody deleted before may have been on its way out: what remains of it has to go first.
    await reconcileCrd(world, name);
    await world.client.patch(CustomResourceDefinition, ref, apply);
    await reconcileCrd(world, name);
  };
  for (const kind of kinds) await install(kind);
};
