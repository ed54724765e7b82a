import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';

interface TemplateReference {
  readonly spec: Pick<BindingSpec, 'resource'>;
}

/** True if the binding refers to another version of its workload than before. */
export const isOtherTemplate = (
  draft: TemplateReference,
  old: TemplateReference | undefined,
): boolean =>
  old === undefined ||
  draft.spec.resource.uid !== old.spec.resource.uid ||
  draft.spec.resource.resourceVersion !== old.spec.resource.resourceVersion;
