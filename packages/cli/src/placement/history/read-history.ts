import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import {
  bindingName,
  distinctBindingName,
  isSameResource,
} from '@perigee/api/values/karmada-names';
import type { ApiClient } from '@perigee/kube/client/api-client';
import type { ObjectRef } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { resourcePath, withQuery } from '@perigee/kube/client/resource-path';
import { isForbidden, isGone, isNotFound } from '@perigee/kube/errors';
import { Event } from '@perigee/kubernetes/core/event';
import {
  historyFromEvents,
  type RecordedEvent,
} from '@perigee/scheduling/explain/history/history-from-events';
import type { Version } from '@perigee/scheduling/explain/history/object-versions';
import {
  type HistoryEntry,
  placementHistory,
} from '@perigee/scheduling/explain/history/placement-history';
import {
  recordedHistory,
  withOlderPlacements,
} from '@perigee/scheduling/explain/history/recorded-history';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { propagatedBy } from '@perigee/scheduling/placement/policy/propagated-by';
import { present } from '@perigee/schema/present';
import type { FoundWork } from '../explain/find-work.ts';

/** Events about cluster-scoped objects are in this namespace. */
const USUAL = 'default';

const recordedEvent = (event: Event): RecordedEvent => {
  const { reason = '', message = '', metadata, source, reportingComponent } = event;
  const at = event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp;
  const by = source?.component ?? reportingComponent;
  return { at, reason, message, ...present({ by: by || undefined }) };
};

/** Reads the Events about a workload and its binding; none for users who may not list them. */
const readEvents = async (
  client: ApiClient,
  { kind, metadata, spec: { resource } }: Binding,
): Promise<readonly RecordedEvent[]> => {
  const { namespace = USUAL } = resource;
  const about = [resource, { kind, name: metadata.name }];
  const selectors = about.map(
    (one) => `involvedObject.kind=${one.kind},involvedObject.name=${one.name}`,
  );
  try {
    const lists = await Promise.all(
      selectors.map((fieldSelector) => listAll(client, Event, { namespace, fieldSelector })),
    );
    return lists.flatMap(({ items }) => items.map(recordedEvent));
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
};

/** The history from a server that keeps versions, or the current object from one that does not. */
interface Remembered {
  readonly kind?: string;
  readonly base?: KubeObject;
  readonly changes?: readonly {
    readonly type: string;
    readonly time?: string;
    readonly object?: KubeObject;
  }[];
}

const refIn = ({ resource }: FoundWork, name: string): ObjectRef =>
  resource.namespace === undefined ? { name } : { namespace: resource.namespace, name };

/** All versions that the server keeps; undefined when it keeps none or the object never existed. */
const versionsOf = async (
  { caller }: ApiClient,
  kind: ResourceKind,
  ref: ObjectRef,
): Promise<readonly Version<KubeObject>[] | undefined> => {
  try {
    const path = withQuery(resourcePath(kind, ref), { 'perigee.io/history': 'objects' });
    const history = (await caller.call({ method: 'GET', path, kind })) as Remembered;
    if (history.kind !== 'ObjectHistory') return undefined;
    const changes = (history.changes ?? []).map(({ type, time, object }) =>
      present({ time, object: type === 'DELETED' ? undefined : object }),
    );
    return [...(history.base === undefined ? [] : [{ object: history.base }]), ...changes];
  } catch (error) {
    if (isNotFound(error) || isForbidden(error) || isGone(error)) return undefined;
    throw error;
  }
};

export interface WorkHistory {
  /**
   * `server`: all changes that the server keeps. `binding`: the last placements in the binding's annotation, and
   * Events.
   */
  readonly from: 'server' | 'binding' | 'nothing';
  readonly entries: readonly HistoryEntry[];
}

const policyVersions = async (client: ApiClient, binding: Binding) => {
  const ref = propagatedBy(binding.metadata);
  if (ref === undefined) return [];
  const kind = ref.namespace === undefined ? ClusterPropagationPolicy : PropagationPolicy;
  const name =
    ref.namespace === undefined ? { name: ref.name } : { namespace: ref.namespace, name: ref.name };
  return (await versionsOf(client, kind, name)) ?? [];
};

/** Reads the history of a workload's placement, as far as it is recorded. */
export const readHistory = async (
  client: ApiClient,
  work: FoundWork,
  present: Binding | undefined,
): Promise<WorkHistory> => {
  const { resource, kind } = work;
  const bindingKind = resource.namespace === undefined ? ClusterResourceBinding : ResourceBinding;
  const names =
    present === undefined
      ? [bindingName(resource.kind, resource.name), distinctBindingName(resource)]
      : [present.metadata.name];
  for (const name of names) {
    const versions = (await versionsOf(client, bindingKind, refIn(work, name))) as
      | readonly Version<Binding>[]
      | undefined;
    const last = versions?.findLast(({ object }) => object !== undefined)?.object;
    // Of a name that is gone, the history may be that of another kind of the same short name.
    const isOther = last !== undefined && !isSameResource(last.spec.resource, resource);
    if (versions === undefined || isOther) continue;
    const templates =
      kind === undefined ? [] : await versionsOf(client, kind, refIn(work, resource.name));
    const policies = last === undefined ? [] : await policyVersions(client, last);
    const entries = placementHistory(versions, { templates: templates ?? [], policies });
    return { from: 'server', entries: withOlderPlacements(entries, versions) };
  }
  if (present === undefined) return { from: 'nothing', entries: [] };
  const events = await readEvents(client, present);
  return { from: 'binding', entries: historyFromEvents(events, recordedHistory(present)) };
};
