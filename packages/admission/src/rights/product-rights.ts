import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import type { NeededRight } from './needed-rights.ts';

/** Fields that decide when an operation runs, and not its products or their location. */
const HARMLESS: ReadonlySet<string> = new Set([
  'suspend',
  'cancel',
  'backoffLimit',
  'activeDeadlineSeconds',
  'ttlSecondsAfterFinished',
  'onPredecessorFailure',
]);

const weighty = (object: JsonObject | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(objectAt(object ?? {}, 'spec')).filter(([field]) => !HARMLESS.has(field)),
  );

const BECAUSE = 'what an operation makes is registered for whoever wrote the operation';

/**
 * The control plane creates the products that an operation declares. A DataSource is cluster-scoped and directs the
 * work of all tenants, so an author who declares one, or changes the workload or its location, needs the permission
 * to create it.
 */
export const productRights = (
  { group, plural }: { readonly group: string; readonly plural: string },
  object: JsonObject,
  old: JsonObject | undefined,
): readonly NeededRight[] => {
  if (group !== DataProcess.group || plural !== DataProcess.plural) return [];
  if (old !== undefined && sameJson(weighty(object), weighty(old))) return [];
  const spec = objectAt(object, 'spec');
  const namespace = textAt(objectAt(object, 'metadata'), 'namespace');
  const worked = textAt(objectAt(spec, 'dataset'), 'name');
  return objectsAt(spec, 'produces').flatMap((product, index): readonly NeededRight[] => {
    const right = { verb: 'create', name: '', because: BECAUSE };
    if (product.dataSource !== undefined) {
      const { group: apiGroup, version: apiVersion, plural: resource } = DataSource;
      const field = `spec.produces[${index}].dataSource`;
      const toDo = 'create DataSources';
      return [{ ...right, field, apiGroup, apiVersion, resource, namespace: '', toDo }];
    }
    // Its own dataset exists already.
    if (textAt(objectAt(product, 'dataset'), 'name') === worked) return [];
    const { group: apiGroup, version: apiVersion, plural: resource } = Dataset;
    const field = `spec.produces[${index}].dataset`;
    const toDo = 'create Datasets in its namespace';
    return [{ ...right, field, apiGroup, apiVersion, resource, namespace, toDo }];
  });
};
