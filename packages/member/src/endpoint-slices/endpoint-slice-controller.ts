import type { JsonObject } from '@perigee/api/json';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { isNotFound } from '@perigee/kube/errors';
import { ENDPOINT_SLICE } from '../kinds/endpoint-slice.ts';
import { POD, type Pod } from '../kinds/pod.ts';
import { SERVICE, type Service } from '../kinds/service.ts';
import { controlledBy, controllerIndex } from '../owned/controller-index.ts';
import { makeSlices } from './make-slices.ts';

const selects = ({ spec }: Service, { metadata }: Pod): boolean => {
  const wanted = Object.entries(spec?.selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => metadata.labels?.[key] === value);
};

const servicesOf = (pod: Pod, caches: Caches) =>
  caches(SERVICE)
    .listNamespace(pod.metadata.namespace ?? '')
    .filter((service) => selects(service, pod))
    .map(({ metadata: { namespace = '', name } }) => ({ namespace, name }));

/** Tells where the pods of each service with a selector are reached. */
export const endpointSliceController = (): ControllerDefinition =>
  defineController({
    name: 'endpointslice-controller',
    for: SERVICE,
    concurrency: 4,
    indexes: [controllerIndex(ENDPOINT_SLICE)],
    watches: [watch(POD, { map: servicesOf })],
    reconcile: async (ref, { cache, client }) => {
      const service = cache(SERVICE).get(ref);
      if (service?.spec?.selector === undefined || service.spec.type === 'ExternalName') {
        return undefined;
      }
      const pods = cache(POD)
        .listNamespace(ref.namespace ?? '')
        .filter((pod) => selects(service, pod));
      const wanted = makeSlices(service, pods);
      const present = new Map(
        controlledBy(cache(ENDPOINT_SLICE), service).map((slice) => [slice.metadata.name, slice]),
      );
      for (const slice of wanted) {
        const { name = '' } = slice.metadata;
        const old = present.get(name);
        present.delete(name);
        const { endpoints, ports } = slice;
        if (old === undefined) await client.create(ENDPOINT_SLICE, slice);
        else if (
          !sameJson(
            { endpoints, ports } as unknown as JsonObject,
            { endpoints: old.endpoints, ports: old.ports } as unknown as JsonObject,
          )
        ) {
          await client.update(ENDPOINT_SLICE, { ...old, ...slice, metadata: old.metadata });
        }
      }
      for (const { metadata } of present.values()) {
        const { name, namespace = '' } = metadata;
        await client.delete(ENDPOINT_SLICE, { name, namespace }).catch((error) => {
          if (!isNotFound(error)) throw error;
        });
      }
      return undefined;
    },
  });
