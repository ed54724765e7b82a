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

/** After all built-in versions. Versions of definitions are ordered by name. */
const PRIORITIES = { groupPriorityMinimum: 1000, versionPriority: 100 };

const groupOf = (name: string): string => name.slice(name.indexOf('.') + 1);

/**
 * Creates the APIServices of the versions that definitions of these groups serve, and deletes those of withdrawn
 * ones.
 */
export const keepApiServices = async (
  client: Client,
  groups: ReadonlySet<string>,
): Promise<void> => {
  if (groups.size === 0) return;
  const definitions = await client.list(CustomResourceDefinition);
  const servedVersions = new Map<string, { readonly group: string; readonly version: string }>(
    definitions.items
      .map(({ metadata, spec }) => ({ group: groupOf(metadata.name), versions: spec.versions }))
      .filter(({ group }) => groups.has(group))
      .flatMap(({ group, versions }) =>
        (versions as readonly { name: string; served: boolean }[])
          .filter((version) => version.served)
          .map(({ name }) => [`${name}.${group}`, { group, version: name }] as const),
      ),
  );
  const { items } = await client.list(ApiService, { labelSelector: `${AUTOMANAGED}=true` });
  const present = new Set(
    items.filter(({ spec }) => groups.has(spec?.group ?? '')).map(({ metadata }) => metadata.name),
  );
  for (const [name, version] of servedVersions) {
    if (present.has(name)) continue;
    await ensure(client, ApiService, localApiService(version, PRIORITIES, 'true'));
  }
  for (const name of present) {
    if (!servedVersions.has(name)) await client.delete(ApiService, { name }).catch(ignoreNotFound);
  }
};

/** Keeps an APIService for every version that custom resource definitions serve. */
export const apiServiceController = (client: Client): ControllerDefinition =>
  defineController({
    name: 'api-services',
    for: CustomResourceDefinition,
    reconcile: async ({ name }) => {
      await keepApiServices(client, new Set([groupOf(name)]));
      return undefined;
    },
  });
