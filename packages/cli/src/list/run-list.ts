import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { openConnection } from '../connect.ts';
import { EXIT } from '../exit-codes.ts';
import { notify } from '../output/notify.ts';
import type { ListRequest } from './list-request.ts';
import { onlyNamed, type Selection } from './selection.ts';
import { withResource } from './with-resource.ts';

const isTable = ({ output }: ListRequest): boolean => output === 'table' || output === 'wide';

const describeNothing = ({ resource, namespace, ...selectors }: Selection): string => {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const isSelective = Object.keys(selectors).length > 0;
  return `there are no ${resource.plural}${where}${isSelective ? ' that match' : ''}`;
};

/** API servers do not select by uid, so the name is looked up first. */
const nameInsteadOfId = async (client: Client, request: ListRequest): Promise<ListRequest> => {
  const { id } = request;
  if (id === undefined) return request;
  const { getCluster } = await import('@perigee/registration/operations/get-cluster');
  const { metadata } = await getCluster(client, { id });
  return { ...request, names: [metadata.name] };
};

/** Names the selector in the error: only the server can validate it, and its message does not mention it. */
const orSelectorError = async <T>(
  { selector, fieldSelector }: ListRequest,
  show: () => Promise<T>,
): Promise<T> => {
  try {
    return await show();
  } catch (error) {
    const selectors = [
      ...(selector === undefined ? [] : [`-l ${selector}`]),
      ...(fieldSelector === undefined ? [] : [`--field-selector ${fieldSelector}`]),
    ];
    if (!(error instanceof ApiError) || error.code !== 400 || selectors.length === 0) throw error;
    const { CommandError } = await import('../errors.ts');
    const message = `the server does not understand ${selectors.join(' or ')}: ${error.message}`;
    throw new CommandError(EXIT.usage, message);
  }
};

const selectionOf = (
  request: ListRequest,
  resource: ResourceKind,
  usualNamespace: string,
): Selection => {
  const { allNamespaces, namespace = usualNamespace, selector, fieldSelector } = request;
  const isEverywhere = resource.scope === 'Cluster' || allNamespaces === true;
  const all: Selection = {
    resource,
    ...present({
      namespace: isEverywhere ? undefined : namespace,
      labelSelector: selector,
      fieldSelector,
    }),
  };
  const [name] = request.names;
  return request.watch && name !== undefined ? onlyNamed(all, name) : all;
};

/** Shows the requested objects. */
export const runList = async (listRequest: ListRequest, command: Command): Promise<void> => {
  if (listRequest.watch && listRequest.names.length > 1) {
    command.error('error: --watch follows one name or all of a kind, not several names');
  }
  await using connection = await openConnection(command.optsWithGlobals());
  const { client, namespace } = connection;
  const request = await nameInsteadOfId(client, listRequest);
  await withResource(client, request.kind, async (resource) => {
    const selection = selectionOf(request, resource, namespace);
    const rowCount = await orSelectorError(request, async () =>
      isTable(request)
        ? (await import('./show-tables.ts')).showTables(client.caller, selection, request)
        : (await import('./show-objects.ts')).showObjects(client, selection, request),
    );
    if (rowCount === 0 && isTable(request)) {
      notify(describeNothing(selection));
    }
  });
};
