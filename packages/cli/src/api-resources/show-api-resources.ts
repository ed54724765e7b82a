import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { ApiResource } from '@perigee/kube/client/discovery';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { formatStructured } from '../output/structured.ts';
import { formatTable } from '../output/table.ts';

export interface ApiResourcesOptions {
  readonly output?: string;
}

const HEADER = ['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND'];

const row = (resource: ApiResource, isWide: boolean): readonly string[] => [
  resource.plural,
  resource.shortNames.join(','),
  apiVersionOf(resource),
  String(resource.scope === 'Namespaced'),
  resource.kind,
  ...(isWide ? [resource.verbs.join(','), resource.categories.join(',')] : []),
];

const byGroupAndName = (a: ApiResource, b: ApiResource): number =>
  a.group.localeCompare(b.group) || a.plural.localeCompare(b.plural);

/** Each resource in the version that its group prefers, or else in the first that has it. */
const inOneVersionEach = (resources: readonly ApiResource[]): readonly ApiResource[] => {
  const chosen = new Map<string, ApiResource>();
  for (const resource of resources) {
    const key = `${resource.plural}.${resource.group}`;
    if (resource.preferred || !chosen.has(key)) chosen.set(key, resource);
  }
  return [...chosen.values()];
};

const find = async (
  command: Command,
  name: string | undefined,
): Promise<readonly ApiResource[]> => {
  await using client = await connect(command);
  if (name !== undefined) return [await new RestMapper(client).byName(name)];
  return inOneVersionEach(await client.discover()).toSorted(byGroupAndName);
};

/** Shows all kinds that the server serves, or the one that is named. */
export const showApiResources = async (
  name: string | undefined,
  { output }: ApiResourcesOptions,
  command: Command,
): Promise<void> => {
  const resources = await find(command, name);
  const isWide = output === 'wide';
  const header = isWide ? [...HEADER, 'VERBS', 'CATEGORIES'] : HEADER;
  const names = () =>
    resources.map(({ plural, group }) => `${group ? `${plural}.${group}` : plural}\n`).join('');
  const table = () =>
    formatTable([header, ...resources.map((resource) => row(resource, isWide))], { isWide });
  const text = await formatStructured(output, resources);
  process.stdout.write(text ?? (output === 'name' ? names() : table()));
};
