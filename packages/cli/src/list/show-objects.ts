import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ApiClient } from '@perigee/kube/client/api-client';
import type { WatchEvent } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { present } from '@perigee/schema/present';
import { formatStructured } from '../output/structured-output.ts';
import { eachNamed, throwFailures } from './each-named.ts';
import { keepWatching } from './keep-watching.ts';
import type { ListRequest } from './list-request.ts';
import type { Selection } from './selection.ts';
import { qualifiedName } from './with-resource.ts';

/** Removes `managedFields`, which fill pages and interest few. */
const withoutManagedFields = ({ metadata, ...object }: KubeObject): object => {
  const { managedFields: _, ...visibleMetadata } = metadata;
  const { apiVersion, kind, ...rest } = object;
  return { apiVersion, kind, metadata: visibleMetadata, ...rest };
};

const formatOne = async (
  output: ListRequest['output'],
  resource: ResourceKind,
  object: KubeObject,
): Promise<string> =>
  output === 'name'
    ? `${qualifiedName(resource, object.metadata.name)}\n`
    : ((await formatStructured(output, withoutManagedFields(object))) ?? '');

const formatList = async (
  output: ListRequest['output'],
  resource: ResourceKind,
  items: readonly KubeObject[],
): Promise<string> => {
  if (output === 'name') {
    return items.map(({ metadata }) => `${qualifiedName(resource, metadata.name)}\n`).join('');
  }
  const list = { apiVersion: 'v1', kind: 'List', items: items.map(withoutManagedFields) };
  return (await formatStructured(output, list)) ?? '';
};

/** Prints whole objects, or just their names. Returns their number. */
export const showObjects = async (
  client: ApiClient,
  { resource, ...options }: Selection,
  { names, output, watch: isWatched }: ListRequest,
): Promise<number> => {
  const show = (text: string): void => void process.stdout.write(text);
  if (names.length > 0 && !isWatched) {
    const { namespace } = options;
    const scope = present({ namespace });
    const { values: objects, failures } = await eachNamed(names, (name) =>
      client.get(resource, { ...scope, name }),
    );
    const [first] = objects;
    if (names.length === 1 && first) show(await formatOne(output, resource, first));
    else if (first) show(await formatList(output, resource, objects));
    await throwFailures(failures);
    return objects.length;
  }
  if (!isWatched) {
    const { items } = await listAll(client, resource, options);
    show(await formatList(output, resource, items));
    return items.length;
  }
  const versions = new Map<string, string>();
  const showChanged = async (objects: readonly KubeObject[]): Promise<void> => {
    for (const object of objects) {
      const { uid, resourceVersion } = object.metadata;
      if (versions.get(uid) === resourceVersion) continue;
      versions.set(uid, resourceVersion);
      show(await formatOne(output, resource, object));
    }
  };
  const relist = async (): Promise<string> => {
    const list = await listAll(client, resource, options);
    await showChanged(list.items);
    return list.metadata.resourceVersion;
  };
  const watch = (resourceVersion: string) =>
    client.watch(resource, { ...options, resourceVersion });
  const take = async ({ type, object }: WatchEvent<KubeObject>): Promise<string> => {
    if (type !== 'BOOKMARK') await showChanged([object]);
    return object.metadata.resourceVersion;
  };
  return keepWatching({ watch, take, relist }, await relist());
};
