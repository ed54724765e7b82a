import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ApiClient } from '@perigee/kube/client/api-client';
import { listAll } from '@perigee/kube/client/list-all';
import { formatStructured } from '../output/structured.ts';
import { eachNamed, throwFailures } from './each-named.ts';
import type { ListRequest } from './list-request.ts';
import type { Selection } from './selection.ts';
import { qualifiedName } from './with-resource.ts';

/** Who wrote which field fills pages, and says nothing to most people. */
const withoutManagedFields = ({ metadata, ...object }: KubeObject): object => {
  const { managedFields: _, ...shown } = metadata;
  const { apiVersion, kind, ...rest } = object;
  return { apiVersion, kind, metadata: shown, ...rest };
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

/** Shows whole objects, or just their names. Tells how many there were. */
export const showObjects = async (
  client: ApiClient,
  { resource, ...options }: Selection,
  { names, output, watch }: ListRequest,
): Promise<number> => {
  const show = (text: string): void => void process.stdout.write(text);
  if (names.length > 0 && !watch) {
    const { namespace } = options;
    const scope = namespace === undefined ? {} : { namespace };
    const { found, failures } = await eachNamed(names, (name) =>
      client.get(resource, { ...scope, name }),
    );
    const [first] = found;
    if (names.length === 1 && first) show(await formatOne(output, resource, first));
    else if (first) show(await formatList(output, resource, found));
    await throwFailures(failures);
    return found.length;
  }
  const { items, metadata } = await listAll(client, resource, options);
  if (!watch) {
    show(await formatList(output, resource, items));
    return items.length;
  }
  for (const item of items) show(await formatOne(output, resource, item));
  const { resourceVersion } = metadata;
  for await (const event of client.watch(resource, { ...options, resourceVersion })) {
    if (event.type !== 'BOOKMARK') show(await formatOne(output, resource, event.object));
  }
  return items.length;
};
