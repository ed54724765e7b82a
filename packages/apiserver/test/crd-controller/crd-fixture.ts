import assert from 'node:assert/strict';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import type { JsonObject } from '@perigee/schema/json';
import { crdController, serveStoredCrds } from '../../src/crd-controller/crd-controller.ts';
import { CustomResources } from '../../src/crd-controller/custom-resources.ts';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { at, setUpApi, type Thing } from '../registry/registry-fixture.ts';

const crds = serverResources().find(({ plural }) => plural === CustomResourceDefinition.plural);
assert.ok(crds);

/** The kind that `widgetCrd` defines. */
export const Widget: ResourceKind<Thing, never> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

export const WIDGETS = { name: 'widgets.example.com' };

/** An API on which a controller acts on definitions. */
export const setUpCrds = async () => {
  const api = await setUpApi();
  const { client, clock, registry } = api;
  registry.resources.serve(crds);
  const customResources = new CustomResources(registry.resources);
  const world = { registry, client, customResources };
  const lines: string[] = [];
  const logger = createLogger({ clock, level: 'error', write: (line) => lines.push(line) });
  serveStoredCrds(world);
  const manager = new Manager({ client, clock, logger, controllers: [crdController(world)] });
  await manager.start();

  const settle = () => clock.advance(0);
  const define = async (crd: JsonObject) => {
    const created = await client.create(CustomResourceDefinition, crd as never);
    await settle();
    return created;
  };
  const change = async (spec: JsonObject) => {
    const body = { spec };
    await client.patch(CustomResourceDefinition, WIDGETS, { type: 'merge', body });
    await settle();
  };
  const conditions = async (ref = WIDGETS): Promise<readonly string[]> => {
    const { status } = await client.get(CustomResourceDefinition, ref);
    const all = (status?.conditions ?? []) as { type: string; status: string; reason: string }[];
    return all.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  };
  const widget = (name: string, meta: object = {}) =>
    client.create(Widget, { metadata: { ...at(name), ...meta }, spec: { size: 1 } } as never);
  return {
    ...api,
    lines,
    settle,
    define,
    change,
    conditions,
    makeWidget: widget,
    [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
  };
};
