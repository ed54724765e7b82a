import { type FieldSet, LEAF } from '@perigee/kubernetes/meta/field-set';

/** Fields that identify an object or that the server sets: no manager owns them. */
export const STRIPPED_FIELDS: FieldSet = {
  'f:apiVersion': LEAF,
  'f:kind': LEAF,
  'f:metadata': {
    '.': LEAF,
    'f:name': LEAF,
    'f:namespace': LEAF,
    'f:creationTimestamp': LEAF,
    'f:selfLink': LEAF,
    'f:uid': LEAF,
    'f:clusterName': LEAF,
    'f:generation': LEAF,
    'f:managedFields': LEAF,
    'f:resourceVersion': LEAF,
  },
};
