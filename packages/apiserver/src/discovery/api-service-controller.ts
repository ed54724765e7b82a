import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { ApiService } from '@perigee/kubernetes/apiregistration/api-service';
import { AUTOMANAGED, localApiService } from './local-api-service.ts';

/** Behind all that is built in. Among themselves, versions of definitions are ordered by their names. */
const PRIORITIES = { groupPriorityMinimum: 1000, versionPriority: 100 };

const groupOf = (name: string): string => name.slice(name.indexOf('.') + 1);

/** The versions that definitions of the group serve. */
const servedVersions = async (client: Client, group: string): Promise<ReadonlySet<string>> => {
  const { items } = await client.list(CustomResourceDefinition);
  const versions = items
    .filter(({ spec }) => spec.group === group)
    .flatMap(({ spec }) => spec.versions as readonly { name: string; served: boolean }[]);
  return new Set(versions.filter(({ served }) => served).map(({ name }) => name));
};

/** Keeps an APIService for every version that custom resource definitions serve. */
export const apiServiceController = (client: Client): ControllerDefinition =>
  defineController({
    name: 'api-services',
    for: CustomResourceDefinition,
    reconcile: async ({ name }) => {
      const group = groupOf(name);
      const versions = await servedVersions(client, group);
      const { items } = await client.list(ApiService, { labelSelector: `${AUTOMANAGED}=true` });
      const present = items.filter(({ spec }) => spec?.group === group);
      for (const version of versions) {
        if (present.some(({ spec }) => spec?.version === version)) continue;
        const service = localApiService({ group, version }, PRIORITIES, 'true');
        await ensure(client, ApiService, service);
      }
      for (const { metadata, spec } of present) {
        if (versions.has(spec?.version ?? '')) continue;
        await client.delete(ApiService, { name: metadata.name }).catch(ignoreNotFound);
      }
      return undefined;
    },
  });
