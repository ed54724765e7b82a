import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import type { NeededRight } from './needed-rights.ts';

const asksForCopies = (object: JsonObject): boolean =>
  textAt(objectAt(object, 'spec'), 'onMissing') === 'Copy';

/**
 * A claim that asks for copies has the control plane make DataLoads in its namespace. Whoever writes it must be allowed
 * to make them, and also who changes what is copied, for whom and how much.
 */
export const copyRights = (
  { group, plural }: { readonly group: string; readonly plural: string },
  object: JsonObject,
  old: JsonObject | undefined,
): readonly NeededRight[] => {
  if (group !== DataSourceClaim.group || plural !== DataSourceClaim.plural) return [];
  if (!asksForCopies(object)) return [];
  if (old !== undefined && sameJson(objectAt(object, 'spec'), objectAt(old, 'spec'))) return [];
  return [
    {
      field: 'spec.onMissing',
      verb: 'create',
      apiGroup: DataLoad.group,
      apiVersion: DataLoad.version,
      resource: DataLoad.plural,
      namespace: textAt(objectAt(object, 'metadata'), 'namespace'),
      name: '',
      because: 'the copies of a claim are made for whoever wrote the claim',
      toDo: 'create DataLoads in its namespace',
    },
  ];
};
