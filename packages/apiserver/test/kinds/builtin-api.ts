import { readFileSync } from 'node:fs';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { createObject } from '../../src/registry/create.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { ResourceCatalog } from '../../src/registry/resource-catalog.ts';
import { updateObject } from '../../src/registry/update.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';

const NAMESPACE = 'default';

export const resourceOf = ({ apiVersion, kind }: JsonObject) => {
  const found = serverResources().find(
    ({ group, version, ...resource }) =>
      resource.kind === kind && apiVersion === (group === '' ? version : `${group}/${version}`),
  );
  if (found === undefined) throw new Error(`no built-in kind ${apiVersion} ${kind}`);
  return found;
};

/** The built-in kinds on an empty store, with a namespace that lets everything in. */
export const setUpBuiltinApi = async () => {
  const registry: Registry = {
    store: createMemoryStore(),
    clock: new VirtualClock(),
    resources: new ResourceCatalog(serverResources()),
    cluster: 'root',
  };
  // Recorded objects are called x, unless the case names them.
  const named = (body: JsonObject): JsonObject => ({ metadata: { name: 'x' }, ...body });
  const whereOf = (body: JsonObject) =>
    resourceOf(body).scope === 'Namespaced' ? { namespace: NAMESPACE } : {};
  const create = (body: JsonObject, dryRun = false) =>
    createObject(registry, resourceOf(body), { ...whereOf(body), body: named(body), dryRun });
  const update = (body: JsonObject, dryRun = true) =>
    updateObject(registry, resourceOf(body), {
      ...whereOf(body),
      name: (named(body).metadata as { name: string }).name,
      body: named(body),
      dryRun,
    });
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  return { registry, create, update };
};

/** A file that `tools/record-builtin-kinds.ts` writes. */
export const recordedFile = (name: string): URL => new URL(`./recorded/${name}`, import.meta.url);

/** The lines of a file that was recorded from kube-apiserver. */
export const recorded = <T>(file: string): readonly T[] =>
  readFileSync(recordedFile(file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
