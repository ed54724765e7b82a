import type { ResourceKind } from '@perigee/api/meta/resource-kind';

/** Which objects of a kind are meant. */
export interface Selection {
  readonly resource: ResourceKind;
  /** Absent for all namespaces, and for kinds that live in none. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The same objects, but only the one of that name. */
export const onlyNamed = (selection: Selection, name: string): Selection => {
  const others = selection.fieldSelector === undefined ? '' : `${selection.fieldSelector},`;
  return { ...selection, fieldSelector: `${others}metadata.name=${name}` };
};
