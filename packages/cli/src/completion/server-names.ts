import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { resourcePath, withQuery } from '@perigee/kube/client/resource-path';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadKubeconfig } from '@perigee/kube/kubeconfig/load-kubeconfig';
import { present } from '@perigee/schema/present';
import { openConnection } from '../connect.ts';
import { readServerTable } from '../list/server-table.ts';
import { withResource } from '../list/with-resource.ts';
import type { NameSource } from './name-source.ts';

/** Time limit of a request: users do not wait longer after pressing Tab. */
const PATIENCE_MS = 2_000;
const MOST_NAMES = 500;
const ACCEPT = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** Looks up names on the server that the options typed so far select. */
export const serverNames = (values: ReadonlyMap<string, string>): NameSource => {
  const kubeconfig = values.get('kubeconfig');
  const context = values.get('context');
  const choice = present({ kubeconfig, context });
  return {
    kinds: async () => {
      await using connection = await openConnection(choice);
      using deadline = deadlineAfter(clock, PATIENCE_MS);
      const all = await connection.client.discover({ signal: deadline.signal });
      return all.filter(({ verbs }) => verbs.includes('list'));
    },
    names: async (kind) => {
      await using connection = await openConnection(choice);
      using deadline = deadlineAfter(clock, PATIENCE_MS);
      const { signal } = deadline;
      const { caller } = connection.client;
      const fetch = async (resource: ResourceKind) => {
        const isEverywhere = resource.scope === 'Cluster' || values.has('allNamespaces');
        const usual = values.get('namespace') ?? connection.namespace;
        const target = isEverywhere ? {} : { namespace: usual };
        const path = withQuery(resourcePath(resource, target), { limit: MOST_NAMES });
        return caller.call({ method: 'GET', path, accept: ACCEPT, kind: resource, signal });
      };
      const answer = await withResource(connection.client, kind, fetch, { signal });
      return readServerTable(answer).rows.map(({ name }) => ({ value: name }));
    },
    contexts: async () => {
      const env = process.env;
      const config = await loadKubeconfig(kubeconfig === undefined ? { env } : { env, kubeconfig });
      return [...(config?.contexts.entries() ?? [])].map(([value, { cluster }]) => ({
        value,
        description: cluster,
      }));
    },
  };
};
