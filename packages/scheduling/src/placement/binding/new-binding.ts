import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { present } from '@perigee/schema/present';
import type { DesiredBinding } from './desired-binding.ts';

/** A binding for a create request. */
export interface NewBinding {
  readonly metadata: Pick<
    ObjectMeta,
    'name' | 'namespace' | 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'
  >;
  readonly spec: BindingSpec;
}

export const newBinding = ({
  name,
  namespace,
  labels,
  annotations,
  owner,
  finalizer,
  spec,
}: DesiredBinding): NewBinding => ({
  metadata: {
    name,
    ...present({ namespace }),
    labels,
    annotations,
    ownerReferences: [owner],
    finalizers: [finalizer],
  },
  spec,
});
