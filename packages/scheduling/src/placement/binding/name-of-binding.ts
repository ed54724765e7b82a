import {
  bindingName,
  distinctBindingName,
  isSameResource,
  type NamedResource,
} from '@perigee/api/values/karmada-names';

interface ResourceHolder {
  readonly spec: { readonly resource: NamedResource };
}

/**
 * The name of a resource's binding: Karmada's, or a distinct one if Karmada's is taken by another
 * resource. An existing binding keeps its name.
 */
export const nameOfBinding = (
  resource: NamedResource,
  bindingOf: (name: string) => ResourceHolder | undefined,
): string => {
  const plain = bindingName(resource.kind, resource.name);
  const distinct = distinctBindingName(resource);
  const isAboutIt = (candidate: ResourceHolder): boolean =>
    isSameResource(candidate.spec.resource, resource);
  const own = bindingOf(distinct);
  if (own !== undefined && isAboutIt(own)) return distinct;
  const holder = bindingOf(plain);
  return holder === undefined || isAboutIt(holder) ? plain : distinct;
};
