import type { Chance } from './chance.ts';
import { ODD_TEXTS } from './odd-values.ts';

const CLUSTERS: readonly string[] = [
  '/clusters/m2',
  '/clusters/root',
  '/clusters/M1',
  '/clusters/',
  '/clusters',
  '/clusters/%6d2',
  '/clusters/m%32',
  '/clusters/m1/clusters/m2',
  '/clusters/m1/../m2',
  '/clusters/m1/%2e%2e/m2',
  '/clusters/m1%2f..%2fm2',
  '/clusters/m1%252f..%252fm2',
  '/clusters/m1//clusters/m2',
  '//clusters/m2',
  '/./clusters/m2',
  '/clusters/m2/.',
  '/clusters/m1\\..\\m2',
  '/clusters/m1;/clusters/m2',
  '/clusters/m1%00/m2',
  '/clusters/__proto__',
  '/clusters/constructor',
];

const PATHS: readonly string[] = [
  '/',
  '/api',
  '/apis',
  '/api/v1',
  '/apis/apps',
  '/apis/apps/v1',
  '/version',
  '/healthz',
  '/livez/ping',
  '/readyz',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/api/v1/namespaces',
  '/api/v1/namespaces/own',
  '/api/v1/namespaces/own/status',
  '/api/v1/namespaces/own/finalize',
  '/api/v1/namespaces/own/configmaps',
  '/api/v1/namespaces/own/configmaps',
  '/api/v1/namespaces/own/configmaps/mine',
  '/api/v1/namespaces/own/configmaps/mine',
  '/api/v1/namespaces/own/configmaps/mine/status',
  '/api/v1/namespaces/own/secrets',
  '/api/v1/namespaces/own/secrets/hidden',
  '/api/v1/namespaces/other/configmaps',
  '/api/v1/namespaces/other/configmaps/hidden',
  '/api/v1/configmaps',
  '/api/v1/secrets',
  '/api/v1/watch/namespaces/own/configmaps',
  '/api/v1/namespaces/own/services',
  '/api/v1/namespaces/own/pods',
  '/api/v1/namespaces/own/pods/p/binding',
  '/api/v1/namespaces/own/pods/p/eviction',
  '/api/v1/namespaces/own/pods/p/exec',
  '/api/v1/namespaces/own/pods/p/log',
  '/api/v1/namespaces/own/serviceaccounts/default/token',
  '/apis/apps/v1/namespaces/own/deployments',
  '/apis/apps/v1/namespaces/own/deployments/d',
  '/apis/apps/v1/namespaces/own/deployments/d/scale',
  '/apis/apps/v1/namespaces/own/deployments/d/status',
  '/apis/autoscaling/v1/namespaces/own/horizontalpodautoscalers',
  '/apis/policy.karmada.io/v1alpha1/namespaces/own/propagationpolicies',
  '/apis/policy.karmada.io/v1alpha1/namespaces/own/propagationpolicies/p',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/own/rolebindings',
  '/apis/example.com/v1/things',
];

const QUERIES: { readonly [name: string]: readonly string[] } = {
  watch: ['true', '1', 'false', 'x'],
  timeoutSeconds: ['1', '0', '-5', 'x'],
  timeout: ['1s', '0', '-1s', 'abc', '1h', '99999999999999h'],
  limit: ['1', '0', '-1', '500', '99999999999999999999'],
  continue: ['x', 'e30', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9tMiJ9'],
  resourceVersion: ['0', '1', '-1', '99999999', 'abc', ''],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
  labelSelector: ['a=b', 'a in (b,c)', '!a', 'a==b==c', 'a>1', '(((('],
  fieldSelector: ['metadata.name=mine', 'metadata.namespace!=own', 'spec.x=1', 'a=\\'],
  fieldManager: ['me', 'x'.repeat(129), '\u0007'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'strict'],
  dryRun: ['All', 'all', ''],
  force: ['true', 'false'],
  pretty: ['true', '1'],
  includeObject: ['Object', 'None', 'Metadata', 'x'],
  gracePeriodSeconds: ['0', '-1', 'x', '99999999999'],
  propagationPolicy: ['Orphan', 'Foreground', 'x'],
  orphanDependents: ['true', 'x'],
  sendInitialEvents: ['true', 'false'],
  allowWatchBookmarks: ['true'],
  verbose: [''],
  exclude: ['ping', 'x'],
};

const encoded = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).padStart(2, '0').slice(-2)}`;

/** One change of a path. */
const mutated = (chance: Chance, path: string): string => {
  const at = chance.below(path.length + 1);
  const segments = path.split('/');
  const which = chance.below(segments.length);
  switch (chance.below(9)) {
    case 0:
      return path.slice(0, at) + encoded(path.charAt(at) || '/') + path.slice(at + 1);
    case 1:
      return `${path.slice(0, at)}%25${encoded(path.charAt(at) || '/').slice(1)}${path.slice(at + 1)}`;
    case 2:
      return segments.with(which, chance.pick(ODD_TEXTS)).join('/');
    case 3:
      return segments.toSpliced(which, 0, chance.pick(['.', '..', '', '%2e', '%2e%2e'])).join('/');
    case 4:
      return segments.toSpliced(which, 1).join('/');
    case 5:
      return segments.toSpliced(which, 0, segments[which] ?? '').join('/');
    case 6:
      return `${path}/`;
    case 7:
      return `${path}/${'x'.repeat(1 + chance.below(20_000))}`;
    default:
      return path.slice(0, at) + chance.pick(ODD_TEXTS) + path.slice(at);
  }
};

const queryOf = (chance: Chance): string => {
  const names = Object.keys(QUERIES);
  const parts: string[] = [];
  for (let more = chance.below(4); more >= 0; more -= 1) {
    const name = chance.pick(names);
    const values = chance.happens(0.2) ? ODD_TEXTS : (QUERIES[name] ?? []);
    const value = chance.pick(values);
    parts.push(`${name}=${chance.happens(0.8) ? encodeURIComponent(value) : value}`);
  }
  return parts.join('&');
};

/** Often, asks for a little more. */
export const withQuery = (chance: Chance, target: string): string => {
  if (chance.happens(0.5)) return target;
  return `${target}${target.includes('?') ? '&' : '?'}${queryOf(chance)}`;
};

/** The method and path of a request, as in its first line. */
export const makeTarget = (chance: Chance): string => {
  const cluster = chance.happens(0.75) ? '/clusters/m1' : chance.pick(['', ...CLUSTERS]);
  let path = cluster + chance.pick(PATHS);
  while (chance.happens(0.3)) path = mutated(chance, path);
  const origin = chance.happens(0.02)
    ? chance.pick(['https://m2.localhost', 'http://x', 'https://127.0.0.1:1', '*'])
    : '';
  // A first line that cannot be read tests Node's parser, which is not what this is about.
  return withQuery(chance, origin + path).replace(/[\s\0]/g, '+') || '/';
};
