import type { ResourceKind } from '@perigee/api/meta/resource-kind';

/** A kind, with the filters for its objects. */
export interface Selection {
  readonly resource: ResourceKind;
  /** Absent for all namespaces and for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The same selection, restricted to one name. */
export const onlyNamed = (selection: Selection, name: string): Selection => {
  const others = selection.fieldSelector === undefined ? '' : `${selection.fieldSelector},`;
  return { ...selection, fieldSelector: `${others}metadata.name=${name}` };
};
