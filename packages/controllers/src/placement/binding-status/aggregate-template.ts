import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { Template, Templates } from '../binding-work/read-template.ts';

/** Writes the aggregated status of the copies to the template, if an interpreter can aggregate its kind. */
export const aggregateTemplate = async (
  { metadata, spec: { resource } }: Binding,
  items: readonly AggregatedStatusItem[],
  { interpreter, templates }: { readonly interpreter: Interpreter; readonly templates: Templates },
  context: ReconcileContext,
): Promise<void> => {
  const { client, events, signal } = context;
  const { aggregate } = interpreter.of(resource.apiVersion, resource.kind);
  // The binding controller refuses templates of other namespaces, so their status is not written either.
  if (aggregate === undefined || metadata.namespace !== resource.namespace) return;
  const source = await templates.read(resource, context);
  if (source === undefined) return;
  const { kind, template } = source;
  try {
    const next = aggregate(template, items);
    if (sameJson(next.status, template.status)) return;
    const options = { subresource: 'status', fieldManager: 'perigee-binding-status', signal };
    await client.update(kind, next as Template & JsonObject, options);
  } catch (error) {
    // It was deleted; the cache lags behind.
    if (isNotFound(error)) return;
    if (!isConflict(error) && error instanceof Error) {
      events.warning(template, 'AggregateStatusFailed', error.message);
    }
    throw error;
  }
};
