import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { apiGroups } from '../../src/discovery/api-groups.ts';
import { discoveryForm } from '../../src/discovery/discovery-form.ts';
import { versionDocument } from '../../src/discovery/version-document.ts';
import { compareVersions } from '../../src/discovery/version-order.ts';
import { kindsAsServed } from '../crd/kinds.ts';

const IN_ORDER = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2'];
const OTHERS = ['foo1', 'foo10'];

describe('the order of versions', () => {
  it('puts stable ones first, then the newest', () => {
    const all = [...IN_ORDER, ...OTHERS];
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        assert.deepEqual(shuffled.sort(compareVersions), all);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the order of groups', () => {
  it('puts those of Kubernetes first, then others by name', () => {
    const [first] = kindsAsServed;
    assert.ok(first);
    const of = (...names: string[]) =>
      apiGroups(names.map((group) => ({ ...first, group }))).map(({ group }) => group);
    assert.deepEqual(of('b.example.com', 'batch', 'a.example.com', '', 'apps'), [
      '',
      'apps',
      'batch',
      'a.example.com',
      'b.example.com',
    ]);
  });
});

describe('the form of discovery', () => {
  const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const v2beta1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
  const cases: readonly [accept: string | undefined, form: string][] = [
    [`${v2},${v2beta1},application/json`, 'v2'],
    [`${v2beta1},application/json`, 'v2beta1'],
    ['application/json, */*', 'legacy'],
    ['*/*', 'legacy'],
    [undefined, 'legacy'],
    [`application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,${v2}`, 'v2'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'legacy'],
  ];
  for (const [accept, form] of cases) {
    it(`is ${form} for ${accept}`, () => assert.equal(discoveryForm(accept), form));
  }
});

describe('the version document', () => {
  it('splits the version for clients that compare numbers', () => {
    const document = versionDocument({ kubernetesVersion: 'v1.36.3', platform: 'linux/amd64' });
    assert.equal(document.major, '1');
    assert.equal(document.minor, '36');
    assert.equal(document.minCompatibilityMinor, '35');
    assert.equal(document.gitVersion, 'v1.36.3');
  });
});
