import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { ApiResource } from '@perigee/kube/client/discovery';
import { findByKind } from '@perigee/kube/client/resource-lookup';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { meantByWord } from '../list/with-resource.ts';
import { formatStructured } from '../output/structured-output.ts';
import { formatTable } from '../output/table.ts';
import { terminalOf } from '../output/terminal.ts';

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

/**
 * On narrower terminals only the first three columns, which users type, are shown: the others would be cut to
 * nothing.
 */
const ROOM_FOR_ALL = 120;
const TYPED = 3;

const byGroupAndName = (a: ApiResource, b: ApiResource): number =>
  a.group.localeCompare(b.group) || a.plural.localeCompare(b.plural);

/** Each resource in the version that its group prefers, or else in the first that has it. */
const inOneVersionEach = (resources: readonly ApiResource[]): readonly ApiResource[] => {
  const resourceByKey = new Map<string, ApiResource>();
  for (const resource of resources) {
    const key = `${resource.plural}.${resource.group}`;
    if (resource.preferred || !resourceByKey.has(key)) resourceByKey.set(key, resource);
  }
  return [...resourceByKey.values()];
};

const find = async (
  command: Command,
  name: string | undefined,
): Promise<readonly ApiResource[]> => {
  await using client = await connect(command);
  if (name !== undefined) {
    const wordKind = meantByWord(name);
    const discoveredResource =
      wordKind && findByKind(await client.discover(), apiVersionOf(wordKind), wordKind.kind);
    return [discoveredResource ?? (await new RestMapper(client).byName(name))];
  }
  return inOneVersionEach(await client.discover()).toSorted(byGroupAndName);
};

/** Shows all kinds that the server serves, or one of them. */
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
  const terminal = terminalOf(process.stdout);
  const isNarrow = !isWide && name === undefined && (terminal.width ?? ROOM_FOR_ALL) < ROOM_FOR_ALL;
  const table = () => {
    const rows = [header, ...resources.map((resource) => row(resource, isWide))];
    const visibleRows = isNarrow ? rows.map((cells) => cells.slice(0, TYPED)) : rows;
    return formatTable(visibleRows, { isWide, terminal });
  };
  const text = await formatStructured(output, resources);
  process.stdout.write(text ?? (output === 'name' ? names() : table()));
};
