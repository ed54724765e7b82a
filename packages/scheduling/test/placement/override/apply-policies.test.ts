import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Overriders } from '@perigee/api/kinds/placement/overriders';
import { OverrideError } from '@perigee/scheduling/errors';
import {
  applyPolicies,
  type OverridingPolicy,
} from '@perigee/scheduling/placement/override/apply-policies';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { parse, stringify } from 'yaml';
import { applyOverriders } from '../../../src/placement/override/apply-overriders.ts';
import { Draft } from '../../../src/placement/override/draft.ts';

const yaml = { parse: (text: string) => parse(text) as JsonValue, format: stringify };

const overridden = (object: JsonObject, overriders: object): JsonObject => {
  const draft = new Draft(object);
  applyOverriders(draft, overriders as Overriders, yaml);
  return draft.value as JsonObject;
};

const deployment = (image = 'quay.io/team/web:v1', container: object = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
  spec: { template: { spec: { containers: [{ name: 'main', image, ...container }] } } },
});

const containerOf = (object: JsonObject): JsonObject =>
  (object as never as ReturnType<typeof JSON.parse>).spec.template.spec.containers[0];

describe('overriders', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const images: readonly (readonly [string, string, string, string | undefined, string])[] = [
    ['quay.io/team/web:v1', 'Registry', 'replace', 'local:5000', 'local:5000/team/web:v1'],
    ['quay.io/team/web:v1', 'Registry', 'add', '.eu', 'quay.io.eu/team/web:v1'],
    ['quay.io/team/web:v1', 'Registry', 'remove', undefined, 'team/web:v1'],
    ['nginx', 'Registry', 'add', 'local:5000', 'local:5000/nginx'],
    ['quay.io/team/web:v1', 'Repository', 'replace', 'web', 'quay.io/web:v1'],
    ['nginx', 'Repository', 'add', '-slim', 'nginx-slim'],
    ['nginx:v1', 'Tag', 'replace', 'v2', 'nginx:v2'],
    ['nginx:v1', 'Tag', 'add', '-eu', 'nginx:v1-eu'],
    ['nginx', 'Tag', 'add', 'v2', 'nginx:v2'],
    ['nginx:v1', 'Tag', 'remove', undefined, 'nginx'],
    ['nginx:v1', 'Tag', 'replace', digest, `nginx@${digest}`],
    [`nginx@${digest}`, 'Tag', 'replace', 'v2', 'nginx:v2'],
    ['localhost/nginx', 'Registry', 'remove', undefined, 'nginx'],
  ];
  for (const [image, component, operator, value, expected] of images) {
    it(`${operator} ${component} ${value ?? ''} makes ${expected} of ${image}`, () => {
      const overrider = { component, operator, ...(value === undefined ? {} : { value }) };
      const changed = overridden(deployment(image), { imageOverrider: [overrider] });
      assert.equal(containerOf(changed).image, expected);
    });
  }

  const cases: readonly (readonly [
    string,
    object,
    JsonObject,
    (object: JsonObject) => unknown,
    unknown,
  ])[] = [
    [
      'appends to a command',
      { commandOverrider: [{ containerName: 'main', operator: 'add', value: ['-v'] }] },
      deployment('nginx', { command: ['run'] }),
      (object) => containerOf(object).command,
      ['run', '-v'],
    ],
    [
      'makes arguments where there are none',
      { argsOverrider: [{ containerName: 'main', operator: 'add', value: ['-v'] }] },
      deployment(),
      (object) => containerOf(object).args,
      ['-v'],
    ],
    [
      'removes words',
      { argsOverrider: [{ containerName: 'main', operator: 'remove', value: ['-v'] }] },
      deployment('nginx', { args: ['-v', '-x'] }),
      (object) => containerOf(object).args,
      ['-x'],
    ],
    [
      'leaves other containers alone',
      { argsOverrider: [{ containerName: 'side', operator: 'add', value: ['-v'] }] },
      deployment(),
      (object) => containerOf(object).args,
      undefined,
    ],
    [
      'adds labels with a slash',
      { labelsOverrider: [{ operator: 'add', value: { 'a/b': 'c' } }] },
      deployment(),
      ({ metadata }) => (metadata as JsonObject).labels,
      { app: 'web', 'a/b': 'c' },
    ],
    [
      'replaces only labels that are there',
      { labelsOverrider: [{ operator: 'replace', value: { app: 'x', no: 'y', toString: 'z' } }] },
      deployment(),
      ({ metadata }) => (metadata as JsonObject).labels,
      { app: 'x' },
    ],
    [
      'adds annotations where there are none',
      { annotationsOverrider: [{ operator: 'add', value: { a: 'b' } }] },
      deployment(),
      ({ metadata }) => (metadata as JsonObject).annotations,
      { a: 'b' },
    ],
    [
      'changes a YAML document in a field',
      {
        fieldOverrider: [
          { fieldPath: '/data/c', yaml: [{ subPath: '/a/b', operator: 'replace', value: 2 }] },
        ],
      },
      { kind: 'ConfigMap', data: { c: 'a:\n  b: 1\n' } },
      ({ data }) => (data as JsonObject).c,
      'a:\n  b: 2\n',
    ],
    [
      'changes a JSON document in a field',
      {
        fieldOverrider: [
          { fieldPath: '/data/c', json: [{ subPath: '/l/-', operator: 'add', value: 2 }] },
        ],
      },
      { kind: 'ConfigMap', data: { c: '{"l":[1]}' } },
      ({ data }) => (data as JsonObject).c,
      '{"l":[1,2]}',
    ],
    [
      'changes any field by pointer',
      { plaintext: [{ path: '/spec/replicas', operator: 'add', value: 3 }] },
      deployment(),
      ({ spec }) => (spec as JsonObject).replicas,
      3,
    ],
  ];
  for (const [title, overriders, object, read, expected] of cases) {
    it(title, () => {
      const before = structuredClone(object);
      assert.deepEqual(read(overridden(object, overriders)), expected);
      assert.deepEqual(object, before);
    });
  }

  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['a path to nowhere', { plaintext: [{ path: '/a/b', operator: 'replace', value: 1 }] }, /a\/b/],
    ['removing what is not there', { plaintext: [{ path: '/x', operator: 'remove' }] }, /\/x/],
    ['a path without a slash', { plaintext: [{ path: 'x', operator: 'remove' }] }, /begin with/],
    [
      'an image that is none',
      { imageOverrider: [{ predicate: { path: '/kind' }, component: 'Tag', operator: 'remove' }] },
      /no image/,
    ],
    [
      'a tag that is none',
      { imageOverrider: [{ component: 'Tag', operator: 'replace', value: 'a b' }] },
      /neither a tag/,
    ],
  ];
  for (const [title, overriders, message] of refused) {
    it(`refuses ${title}`, () => {
      assert.throws(
        () => overridden(deployment(), overriders),
        (error) => error instanceof OverrideError && message.test(error.message),
      );
    });
  }
});

describe('override policies', () => {
  const cluster = {
    name: 'm1',
    labels: {},
    provider: '',
    region: 'eu',
    zones: [],
  } as never as ClusterFacts;
  const label = (value: string, target?: object): OverridingPolicy['spec'] =>
    ({
      overrideRules: [
        {
          ...(target === undefined ? {} : { targetCluster: target }),
          overriders: { labelsOverrider: [{ operator: 'add', value: { by: value } }] },
        },
      ],
    }) as never;
  const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };
  const policy = (name: string, selector: object | undefined, target?: object) => ({
    metadata: { name },
    spec: {
      ...label(name, target),
      ...(selector === undefined ? {} : { resourceSelectors: [{ ...kind, ...selector }] }),
    },
  });
  const labelsAfter = (
    wide: readonly OverridingPolicy[],
    own: readonly OverridingPolicy[] = [],
  ) => {
    const policies = { cluster: wide, namespaced: own };
    const { object, ...applied } = applyPolicies(deployment() as never, cluster, policies, yaml);
    return { by: ((object.metadata as JsonObject).labels as JsonObject).by, ...applied };
  };

  it('lets the most precise selector win', () => {
    const all = [policy('named', { name: 'web' }), policy('kind', {}), policy('all', undefined)];
    assert.equal(labelsAfter(all).by, 'named');
    assert.deepEqual(
      labelsAfter(all).cluster.map(({ policyName }) => policyName),
      ['all', 'kind', 'named'],
    );
  });

  it('applies the policies of the namespace after cluster-wide ones', () => {
    assert.equal(labelsAfter([policy('wide', { name: 'web' })], [policy('own', {})]).by, 'own');
  });

  it('leaves out rules for other clusters', () => {
    const far = policy('far', {}, { clusterNames: ['m2'] });
    assert.equal(labelsAfter([far]).by, undefined);
    const near = policy(
      'near',
      {},
      {
        fieldSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['eu'] }] },
      },
    );
    assert.equal(labelsAfter([far, near]).by, 'near');
  });

  it('says which policy cannot be applied', () => {
    const bad = {
      metadata: { name: 'bad' },
      spec: {
        overrideRules: [{ overriders: { plaintext: [{ path: '/no/way', operator: 'remove' }] } }],
      },
    } as never as OverridingPolicy;
    assert.throws(() => labelsAfter([bad]), /override policy bad: there is nothing at \/no\/way/);
  });

  const marked = {
    ...deployment(),
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u1',
      generation: 4,
      labels: { app: 'web', 'propagationpolicy.karmada.io/permanent-id': 'p' },
    },
  };
  const changing = (overriders: object) => {
    const spec = { overrideRules: [{ overriders }] } as never;
    const policies = { cluster: [{ metadata: { name: 'one' }, spec }], namespaced: [] };
    return applyPolicies(marked as never, cluster, policies, yaml).object;
  };

  for (const path of ['', '/apiVersion', '/kind', '/metadata', '/metadata/uid', '/metadata/name']) {
    it(`refuses to make another object of it at "${path}"`, () => {
      const plaintext = [{ path, operator: 'replace', value: 'other' }];
      assert.throws(() => changing({ plaintext }), OverrideError);
    });
  }

  it('refuses to forge a mark, and gives back one that was taken', () => {
    const mark = 'propagationpolicy.karmada.io/permanent-id';
    for (const key of [mark, 'karmada.io/managed', 'clusterresourcebinding.karmada.io/name']) {
      const labelsOverrider = [{ operator: 'add', value: { [key]: 'forged' } }];
      assert.throws(() => changing({ labelsOverrider }), /mark of the system/);
    }
    const plaintext = [{ path: '/metadata/labels', operator: 'replace', value: { a: 'b' } }];
    const { labels } = changing({ plaintext }).metadata as JsonObject;
    assert.deepEqual(labels, { a: 'b', [mark]: 'p' });
  });

  const roleBinding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'admins', namespace: 'shop' },
    subjects: [{ kind: 'User', name: 'ann' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
  };
  const naming = (scope: 'cluster' | 'namespaced', plaintext: object) => {
    const spec = { overrideRules: [{ overriders: { plaintext: [plaintext] } }] } as never;
    const policy = { metadata: { name: 'evil', namespace: 'shop' }, spec };
    const policies = { cluster: [], namespaced: [], [scope]: [policy] };
    return applyPolicies(roleBinding as never, cluster, policies, yaml).object;
  };

  const attempts = [
    { path: '/subjects/0/name', operator: 'replace', value: 'bob' },
    { path: '/subjects/-', operator: 'add', value: { kind: 'User', name: 'bob' } },
    { path: '/roleRef/name', operator: 'replace', value: 'cluster-admin' },
  ];
  for (const attempt of attempts) {
    it(`lets nobody have rights by ${attempt.path} but the author of a cluster-wide policy`, () => {
      assert.throws(() => naming('namespaced', attempt), /only a ClusterOverridePolicy may/);
      assert.notDeepEqual(naming('cluster', attempt), roleBinding);
    });
  }

  it('quotes nothing of a Secret that it does not suit', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'shop' },
      data: { password: 'SHVudGVyMg==' },
    };
    const image = { predicate: { path: '/data/password' }, component: 'Tag', operator: 'remove' };
    const edit = { subPath: '', operator: 'replace', value: 1 };
    const quoting = [
      { imageOverrider: [image] },
      { fieldOverrider: [{ fieldPath: '/data/password', json: [edit] }] },
    ];
    for (const overriders of quoting) {
      const policy = { metadata: { name: 'nosy' }, spec: { overrideRules: [{ overriders }] } };
      const policies = { cluster: [], namespaced: [policy as never] };
      assert.throws(
        () => applyPolicies(secret as never, cluster, policies, yaml),
        (error) =>
          error instanceof OverrideError &&
          /override policy nosy: /.test(error.message) &&
          !/SHVu/.test(error.message),
      );
    }
    const renamed = {
      plaintext: [{ path: '/metadata/name', operator: 'replace', value: 'other' }],
    };
    const policy = {
      metadata: { name: 'nosy' },
      spec: { overrideRules: [{ overriders: renamed }] },
    };
    const policies = { cluster: [], namespaced: [policy as never] };
    assert.throws(
      () => applyPolicies(secret as never, cluster, policies, yaml),
      /not which object it is/,
    );
  });

  for (const kind of ['ResourceQuota', 'LimitRange']) {
    it(`lets a namespace not have more than its ${kind} says`, () => {
      const metadata = { name: 'limits', namespace: 'shop' };
      const object = { apiVersion: 'v1', kind, metadata, spec: { hard: { pods: '1' } } };
      const plaintext = [{ path: '/spec/hard/pods', operator: 'replace', value: '1000' }];
      const spec = { overrideRules: [{ overriders: { plaintext } }] };
      const policy = { metadata: { name: 'more', namespace: 'shop' }, spec } as never;
      const none = { cluster: [], namespaced: [] };
      assert.throws(
        () => applyPolicies(object as never, cluster, { ...none, namespaced: [policy] }, yaml),
        /only a ClusterOverridePolicy may change what a namespace may use/,
      );
      const { object: wide } = applyPolicies(
        object as never,
        cluster,
        { ...none, cluster: [policy] },
        yaml,
      );
      assert.deepEqual(wide.spec, { hard: { pods: '1000' } });
    });
  }
});
