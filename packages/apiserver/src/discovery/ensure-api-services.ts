import type { Client } from '@perigee/kube/client/client';
import { ApiService } from '@perigee/kubernetes/apiregistration/api-service';
import { localApiService } from './local-api-service.ts';

const usual = (groupPriorityMinimum: number) => ({ groupPriorityMinimum, versionPriority: 15 });

/** The built-in versions, with the order in which kube-apiserver has clients prefer them. */
const BUILT_IN = [
  { group: '', version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 },
  { group: 'apps', version: 'v1', ...usual(17_800) },
  { group: 'events.k8s.io', version: 'v1', ...usual(17_750) },
  { group: 'authentication.k8s.io', version: 'v1', ...usual(17_700) },
  { group: 'authorization.k8s.io', version: 'v1', ...usual(17_600) },
  { group: 'autoscaling', version: 'v2', groupPriorityMinimum: 17_500, versionPriority: 30 },
  { group: 'autoscaling', version: 'v1', ...usual(17_500) },
  { group: 'batch', version: 'v1', ...usual(17_400) },
  { group: 'certificates.k8s.io', version: 'v1', ...usual(17_300) },
  { group: 'networking.k8s.io', version: 'v1', ...usual(17_200) },
  { group: 'policy', version: 'v1', ...usual(17_100) },
  { group: 'rbac.authorization.k8s.io', version: 'v1', ...usual(17_000) },
  { group: 'storage.k8s.io', version: 'v1', ...usual(16_800) },
  { group: 'admissionregistration.k8s.io', version: 'v1', ...usual(16_700) },
  { group: 'apiextensions.k8s.io', version: 'v1', ...usual(16_700) },
  { group: 'scheduling.k8s.io', version: 'v1', ...usual(16_600) },
  { group: 'coordination.k8s.io', version: 'v1', ...usual(16_500) },
  { group: 'node.k8s.io', version: 'v1', ...usual(16_300) },
  { group: 'discovery.k8s.io', version: 'v1', ...usual(16_200) },
  { group: 'resource.k8s.io', version: 'v1', groupPriorityMinimum: 16_200, versionPriority: 21 },
  {
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    groupPriorityMinimum: 16_100,
    versionPriority: 21,
  },
];

/** Registers the built-in versions of the API, where they are missing. */
export const ensureApiServices = async (client: Client): Promise<void> => {
  const { items } = await client.list(ApiService);
  const present = new Set(items.map(({ metadata }) => metadata.name));
  const missingServices = BUILT_IN.map(({ group, version, ...priorities }) =>
    localApiService({ group, version }, priorities, 'onstart'),
  ).filter(({ metadata }) => !present.has(metadata.name ?? ''));
  await Promise.all(missingServices.map((service) => client.create(ApiService, service)));
};
