/** The names under which Kubernetes publishes its own types; generators of clients know them. */
const PACKAGES: { readonly [group: string]: string } = {
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

interface Named {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly origin: 'built-in' | 'crd';
}

/** The name of a kind among the schemas: `sh.volcano.batch.v1alpha1.Job`, `io.k8s.api.core.v1.Pod`. */
export const modelName = ({ group, version, kind, origin }: Named): string => {
  if (origin === 'crd') return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
  const [first = ''] = group.split('.');
  const prefix = PACKAGES[group] ?? `io.k8s.api.${first === '' ? 'core' : first}`;
  return `${prefix}.${version}.${kind}`;
};

const TYPE_PACKAGES: { readonly [name: string]: string } = {
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
  meta: 'io.k8s.apimachinery.pkg.apis.meta',
};

/** The name of a type that is a part of kinds: `apps.v1.DeploymentSpec` is `io.k8s.api.apps.v1.DeploymentSpec`. */
export const typeModelName = (type: string): string => {
  const [first = '', ...rest] = type.split('.');
  return [TYPE_PACKAGES[first] ?? `io.k8s.api.${first}`, ...rest].join('.');
};

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A group as a part of a name: `SchedulingVolcanoSh`, `RbacAuthorization`, `Core`. */
const groupTitle = (group: string): string =>
  group === ''
    ? 'Core'
    : group
        .replace(/\.k8s\.io$/, '')
        .split('.')
        .map((part) => capital(part))
        .join('');

export const operationTag = (group: string, version: string): string => {
  const title = groupTitle(group);
  return `${title.charAt(0).toLowerCase()}${title.slice(1)}_${version}`;
};

/** `listSchedulingVolcanoShV1beta1NamespacedPodGroup` */
export const operationId = (
  verb: string,
  { group, version }: { readonly group: string; readonly version: string },
  rest: string,
): string => `${verb}${groupTitle(group)}${capital(version)}${rest}`;
