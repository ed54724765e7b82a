import { refOf } from '@perigee/kube/client/ref-of';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Pod } from '@perigee/kubernetes/core/pod';
import { Service } from '@perigee/kubernetes/core/service';
import { EndpointSlice } from '@perigee/kubernetes/discovery/endpoint-slice';
import { sameJson } from '@perigee/schema/same-json';
import { controlledBy, controllerIndex } from '../owned/controller-index.ts';
import { makeSlices } from './make-slices.ts';

const selects = ({ spec }: Service, { metadata }: Pod): boolean => {
  const selectorEntries = Object.entries(spec?.selector ?? {});
  return (
    selectorEntries.length > 0 &&
    selectorEntries.every(([key, value]) => metadata.labels?.[key] === value)
  );
};

const servicesOf = (pod: Pod, caches: Caches) =>
  caches(Service)
    .listNamespace(pod.metadata.namespace ?? '')
    .filter((service) => selects(service, pod))
    .map(({ metadata: { namespace = '', name } }) => ({ namespace, name }));

/** Keeps the EndpointSlices of each service with a selector. */
export const endpointSliceController = (): ControllerDefinition =>
  defineController({
    name: 'endpointslice-controller',
    for: Service,
    concurrency: 4,
    indexes: [controllerIndex(EndpointSlice)],
    watches: [watch(Pod, { map: servicesOf })],
    reconcile: async (ref, { cache, client }) => {
      const service = cache(Service).get(ref);
      if (service?.spec?.selector === undefined || service.spec.type === 'ExternalName') {
        return undefined;
      }
      const pods = cache(Pod)
        .listNamespace(ref.namespace ?? '')
        .filter((pod) => selects(service, pod));
      const wantedSlices = makeSlices(service, pods);
      const present = new Map(
        controlledBy(cache(EndpointSlice), service).map((slice) => [slice.metadata.name, slice]),
      );
      for (const slice of wantedSlices) {
        const { name = '' } = slice.metadata;
        const old = present.get(name);
        present.delete(name);
        const { endpoints, ports } = slice;
        if (old === undefined) await client.create(EndpointSlice, slice);
        else if (!sameJson({ endpoints, ports }, { endpoints: old.endpoints, ports: old.ports })) {
          await client.update(EndpointSlice, { ...old, ...slice, metadata: old.metadata });
        }
      }
      for (const slice of present.values()) {
        await client.delete(EndpointSlice, refOf(slice)).catch(ignoreNotFound);
      }
      return undefined;
    },
  });
