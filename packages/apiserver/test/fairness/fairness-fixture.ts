import type { Clock } from '@perigee/kube/clock/clock';
import { realClock } from '@perigee/kube/clock/real-clock';
import { tableOf } from '../../src/registry/registry.ts';
import { serveApi } from '../http/http-fixture.ts';
import { configMaps } from '../registry/registry-fixture.ts';

/** How the same list is asked for in its different forms. */
export const FORMS: readonly {
  readonly name: string;
  readonly query?: string;
  readonly headers?: { readonly [name: string]: string };
}[] = [
  { name: 'plain' },
  { name: 'compressed', headers: { 'accept-encoding': 'gzip' } },
  { name: 'pretty', query: 'pretty=true' },
  { name: 'YAML', headers: { accept: 'application/yaml' } },
  { name: 'Table', headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } },
  {
    name: 'metadata',
    headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  },
  { name: 'selected', query: 'labelSelector=part%3Done' },
];

/** A clock that counts how often somebody yields, and can do something then. */
const countingClock = () => {
  const counted = { yields: 0, onYield: (): void => {} };
  const clock: Clock = {
    ...realClock,
    yield: () => {
      counted.yields += 1;
      counted.onYield();
      return realClock.yield();
    },
  };
  return { clock, counted };
};

export const nameOf = (at: number): string => `m${String(at).padStart(5, '0')}`;

/** A server that holds so many ConfigMaps of so many bytes, and a clock that counts. */
export const serveMany = async (count: number, size: number) => {
  const { clock, counted } = countingClock();
  const api = await serveApi({ clock });
  const table = tableOf(api.registry, configMaps);
  const put = (name: string, note: string) =>
    api.registry.store.write(table, `a/${name}`, () => ({
      put: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'a', labels: { part: 'one' } },
        data: { note },
      },
    }));
  const remove = (name: string) =>
    api.registry.store.write(table, `a/${name}`, () => ({ remove: true }));
  const note = 'x'.repeat(size);
  await Promise.all(Array.from({ length: count }, (_, at) => put(nameOf(at), note)));
  return { ...api, counted, put, remove };
};
