import type { ApiClient } from '@perigee/kube/client/api-client';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden } from '@perigee/kube/errors';
import { Event } from '@perigee/kubernetes/core/event';
import type { ToldEvent } from '@perigee/scheduling/explain/history/told-history';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';

/** Events about cluster-scoped objects are in this namespace. */
const USUAL = 'default';

const toldBy = (event: Event): ToldEvent => {
  const { reason = '', message = '', metadata, source, reportingComponent } = event;
  const at = event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp;
  const by = source?.component ?? reportingComponent;
  return { at, reason, message, ...(by && { by }) };
};

/** Reads the Events about a workload and its binding; none for users who may not list them. */
export const readTold = async (
  client: ApiClient,
  { kind, metadata, spec: { resource } }: Binding,
): Promise<readonly ToldEvent[]> => {
  const { namespace = USUAL } = resource;
  const about = [resource, { kind, name: metadata.name }];
  const selectors = about.map(
    (one) => `involvedObject.kind=${one.kind},involvedObject.name=${one.name}`,
  );
  try {
    const lists = await Promise.all(
      selectors.map((fieldSelector) => listAll(client, Event, { namespace, fieldSelector })),
    );
    return lists.flatMap(({ items }) => items.map(toldBy));
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
};
