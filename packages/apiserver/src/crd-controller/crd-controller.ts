import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { servedAs } from '../client/served-as.ts';
import { isCrdConditionTrue, readCrd } from '../crd/crd.ts';
import { tableOf } from '../registry/registry.ts';
import { crdJson } from './crd-json.ts';
import { type CrdWorld, reconcileCrd } from './reconcile-crd.ts';

const WAITING = 'group in which names are waited for';

const groupOf = ({ spec }: CustomResourceDefinition): string => String(spec.group);

const namesOf = (crd: CustomResourceDefinition | undefined): string =>
  JSON.stringify(crd?.status?.acceptedNames);

const hasItsNames = (crd: CustomResourceDefinition): boolean =>
  isCrdConditionTrue(readCrd(crdJson(crd)), 'NamesAccepted');

/** Reconciles the served resources and the status of the definitions. */
export const crdController = (world: CrdWorld): ControllerDefinition =>
  defineController({
    name: 'custom-resources',
    for: CustomResourceDefinition,
    needsLeader: false,
    indexes: [
      index(CustomResourceDefinition, WAITING, (crd) => (hasItsNames(crd) ? [] : [groupOf(crd)])),
    ],
    watches: [
      // A freed name may be one that another definition waits for.
      watch(CustomResourceDefinition, {
        when: (now, before) => before !== undefined && namesOf(now) !== namesOf(before),
        map: (crd, caches) =>
          caches(CustomResourceDefinition)
            .byIndex(WAITING, groupOf(crd))
            .map(({ metadata: { name } }) => ({ name })),
      }),
    ],
    reconcile: ({ name }) => reconcileCrd(world, name),
  });

/** Serves the accepted definitions at the start: a restart leaves no gap. */
export const serveStoredCrds = ({ registry, customResources }: CrdWorld): void => {
  const crds = servedAs(registry, CustomResourceDefinition, 'list');
  for (const { object } of registry.store.range(tableOf(registry, crds)).entries) {
    customResources.show(object);
  }
};
