import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { type Flow, flowsOf } from '@perigee/scheduling/flows/flow-graph';
import { FLOW, OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';

/** Selects operations. */
export interface Selection extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
}

/** Operations of all kinds, with the resource versions to start watches from. */
export const readOperations = async (client: Client, selection: Selection) => {
  const lists = await Promise.all(OPERATION_KINDS.map((kind) => listAll(client, kind, selection)));
  const versions = new Map<ResourceKind, string>(
    lists.map(({ metadata }, at) => [
      OPERATION_KINDS[at] as ResourceKind,
      metadata.resourceVersion,
    ]),
  );
  const operations: readonly Operation[] = lists.flatMap(({ items }) => items);
  return { operations, versions };
};

/** The flows among operations. */
export const readFlows = async (client: Client, selection: Selection) => {
  const { operations, versions } = await readOperations(client, selection);
  const flows: readonly Flow[] = flowsOf(operations);
  return { flows, versions };
};

/** The label selector of a flow's operations. */
export const labelledAs = (name: string): string => `${FLOW}=${name}`;
